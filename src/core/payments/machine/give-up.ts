// The status of a payment while one of its transfers has failed and waits for a person.

import { type IntentChange, type IntentFacts, moveTo, step } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { depositsAfter, paymentAssets } from '#core/payments/position/position.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'

/** Returns the change: a payment that waits for this transfer now waits for a person; any other payment continues. */
export function giveUp(
  change: IntentChange,
  transfer: PaymentTransfer,
  facts: IntentFacts,
  statusReason: string,
  { now }: DecisionContext,
): IntentChange {
  const { kind, asset, sourceAccount } = transfer
  const { status } = change.after
  if (isRentReserve(transfer)) return step(change, {}, now, null)
  if (kind === 'sweep' && status === 'settling') return moveTo(change, 'settle_failed', { statusReason }, now)
  if (
    (kind === 'refund' || kind === 'release') &&
    status === 'refunding' &&
    sourceAccount === null &&
    paymentAssets(depositsAfter(change, facts)).has(asset)
  ) {
    return moveTo(change, 'refund_failed', { statusReason }, now)
  }
  return step(change, {}, now, null)
}

/** Returns `held` for a rent reserve, which keeps its reservation: no refund may take money of the business. */
export const statusGivenUp = (transfer: PaymentTransfer): 'failed' | 'held' =>
  isRentReserve(transfer) ? 'held' : 'failed'
