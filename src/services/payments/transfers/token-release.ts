// Releases of tokens that are not allowed, as a subject of transfers. No state of the payment depends on them.
import { SOL } from '#core/chain/types.ts'
import { judgeTokenRelease, TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import { coversLegs } from '#core/transfers/preflight.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'
import type { Claimed, TransferSubject } from '#services/transfers/subject.ts'
import type { DecideDeps } from './withdraw.ts'

const MAX_PER_ROUND = 16
const TRY_AGAIN_MS = 60_000

export function createTokenReleaseSubject({
  transfers,
  clock,
  intents,
  decisionContext,
}: Pick<DecideDeps, 'decisionContext'> & {
  readonly intents: Pick<DecideDeps['intents'], 'facts'>
  readonly transfers: Pick<TransferStore, 'finish' | 'recordAttempt'>
  readonly clock: Clock
}): TransferSubject {
  const fail = ({ lease }: Claimed, reason: string) =>
    transfers.finish(lease, {
      attemptId: null,
      attemptState: null,
      status: 'failed',
      reason,
      signature: null,
      slot: null,
      at: clock.now(),
      ledger: [],
    })
  return {
    kind: TOKEN_RELEASE,
    queues: { [TOKEN_RELEASE]: { most: MAX_PER_ROUND } },
    action: 'legs',
    isUntouched: coversLegs,
    async readChecks(network) {
      const context = await decisionContext(network)
      return async (one, view) => {
        const { id } = one.transfer.subject
        const facts = await intents.facts(id)
        if (facts === null) throw new Error(`the payment ${id} does not exist`)
        const verdict = judgeTokenRelease(one.transfer, view, facts, context)
        if (verdict === 'go' || !('failed' in verdict)) return verdict
        await fail(one, verdict.failed)
        return 'handled'
      }
    },
    overBudget: async () => ({ reason: 'Its budget is used up.', afterMs: TRY_AGAIN_MS }),
    async book({ transfer, lease }, attempt, transaction) {
      const { error, slot } = transaction
      await transfers.finish(lease, {
        attemptId: attempt.id,
        attemptState: error === null ? 'final_ok' : 'final_err',
        status: error === null ? 'done' : 'failed',
        reason: error,
        signature: attempt.signature,
        slot,
        at: clock.now(),
        // The token has no books. What the fee payer paid has.
        ledger: ledgerOfTransfer(transfer, transaction).filter(({ asset }) => asset === SOL),
      })
    },
    async giveUp(one, attempt, reason) {
      const dead = { now: clock.now(), error: reason }
      if (await transfers.recordAttempt(one.lease, attempt.id, 'dead', dead)) await fail(one, reason)
    },
  }
}
