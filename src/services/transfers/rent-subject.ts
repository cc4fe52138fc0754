// Rent: an emptied token account is closed, and the fee payer gets its rent back. No status depends on it, so it is booked
// without its payment.

import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import { judgeClose } from '#core/transfers/preflight.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { isLast } from './steps.ts'
import type { Claimed, TransferSubject } from './subject.ts'

/** Long, because no other work waits for rent. */
const TRY_AGAIN_MS = 15 * 60_000
/** Dust in the account may stay permanently: each wait is as long as all before it, up to this. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000
const MAX_PER_ROUND = 64

const waitAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs, TRY_AGAIN_MS), LONGEST_WAIT_MS)

export function createRentSubject({
  kind,
  transfers,
  clock,
}: {
  /** The subject's name, and its only kind of transfer. */
  readonly kind: string
  readonly transfers: Pick<TransferStore, 'finish' | 'hold' | 'recordAttempt'>
  readonly clock: Clock
}): TransferSubject {
  const ageOf = ({ transfer }: Claimed): number => clock.now().getTime() - transfer.createdAt.getTime()
  return {
    kind,
    queues: { [kind]: { most: MAX_PER_ROUND } },
    action: 'close',
    isUntouched: (source) => source !== null,
    readChecks: async () => async (one, view) => {
      const verdict = judgeClose(view.source, view)
      switch (verdict.is) {
        case 'go':
          return 'go'
        case 'later':
          return { reason: verdict.reason, afterMs: verdict.lasts ? waitAfter(ageOf(one)) : TRY_AGAIN_MS }
        case 'held':
          await transfers.hold(one.lease, verdict.reason)
          return 'handled'
        case 'nothing':
          await transfers.finish(one.lease, {
            attemptId: null,
            attemptState: null,
            status: 'done',
            reason: null,
            signature: null,
            slot: null,
            at: clock.now(),
            ledger: [],
          })
          return 'handled'
      }
    },
    overBudget: async () => ({ reason: 'Its budget is used up.', afterMs: TRY_AGAIN_MS }),
    async book({ transfer, lease }, attempt, transaction) {
      const failed = transaction.error !== null
      const failure = isLast(attempt) ? 'failed' : 'planned'
      await transfers.finish(lease, {
        attemptId: attempt.id,
        attemptState: failed ? 'final_err' : 'final_ok',
        status: failed ? failure : 'done',
        reason: transaction.error,
        signature: attempt.signature,
        slot: transaction.slot,
        at: clock.now(),
        ledger: ledgerOfTransfer(transfer, transaction),
      })
    },
    async giveUp({ lease }, attempt, reason) {
      const isRecorded = await transfers.recordAttempt(lease, attempt.id, 'dead', { now: clock.now(), error: reason })
      if (isRecorded) await transfers.hold(lease, reason)
    },
  }
}
