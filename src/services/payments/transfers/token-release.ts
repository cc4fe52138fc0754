// Releases of tokens that are not allowed, as a subject of transfers. No state of the payment depends on them.

import { SOL } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, moved, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { judgeTokenRelease, TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import type { Undeliverable } from '#core/payments/machine/preflight.ts'
import { bookDusty, bookHeld, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { ledgerOfTransfer } from '#core/transfers/ledger.ts'
import { coversLegs } from '#core/transfers/preflight.ts'
import { isLeasedBy } from '#core/transfers/transfer.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { decideAndApply, type ReadDecisionContext } from '#services/payments/decide.ts'
import type { Claimed, TransferSubject } from '#services/transfers/subject.ts'

// Holds or withdraws a claimed transfer of a payment before it is signed, and changes the payment in the same transaction.

export type DecideDeps = {
  readonly intents: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
}

type About = { readonly facts: IntentFacts; readonly transfer: PaymentTransfer; readonly context: DecisionContext }

/**
 * Decides on a payment by one of its transfers, and applies the change while the lease is valid. Returns false when the lease
 * is lost, or when there is nothing to change.
 */
export async function decideByTransfer(
  { intents, decisionContext }: DecideDeps,
  { transfer, lease }: Claimed,
  book: (about: About) => IntentChange | null,
): Promise<boolean> {
  const context = await decisionContext(transfer.network)
  let change: IntentChange | null = null
  await decideAndApply(intents, transfer.subject.id, (facts) => {
    const current = facts.transfers.find(({ id }) => id === transfer.id)
    change = isLeasedBy(lease, current) ? book({ facts, transfer: current, context }) : null
    return change === null ? UNCHANGED : moved(change)
  })
  return change !== null
}

/** Holds the transfer for a person. It keeps its money. */
export const holdTransfer = (deps: DecideDeps, one: Claimed, reason: string): Promise<boolean> =>
  decideByTransfer(deps, one, (about) => bookHeld(about, one.lease, reason))

/** Withdraws the transfer and plans the next round, without the legs that cannot arrive. */
export const planWithout = (
  deps: DecideDeps,
  one: Claimed,
  reason: string,
  undeliverable: readonly Undeliverable[],
): Promise<boolean> =>
  decideByTransfer(deps, one, (about) => bookUndeliverable(about, one.lease, reason, undeliverable))

/** Plans the next round because of dust that the transfer does not take. Returns false while it is better to wait. */
export const planForDust = (deps: DecideDeps, one: Claimed, reason: string): Promise<boolean> =>
  decideByTransfer(deps, one, (about) => bookDusty(about, one.lease, reason))

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
