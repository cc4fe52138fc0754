// Holds or withdraws a claimed transfer of a payment before it is signed, and changes the payment in the same transaction.

import { type IntentChange, type IntentFacts, moved, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { Undeliverable } from '#core/payments/machine/preflight.ts'
import { bookDusty, bookHeld, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { isLeasedBy } from '#core/transfers/transfer.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { Claimed } from '#services/transfers/subject.ts'

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
