// The status of a payment while one of its transfers has failed and waits for a person, and when a person takes it up again.

import { type Position, paymentAssets } from '#core/payments/position/position.ts'
import { isMainSweep, type PaymentTransfer } from '#core/payments/transfers.ts'

/** Returns the change: a payment that waits for this transfer now waits for a person; any other payment continues. */
export function giveUp(position: Position, transfer: PaymentTransfer, statusReason: string): Position {
  const { status } = position.intent
  if (status === 'settling' && isMainSweep(transfer)) return position.moveTo('settle_failed', { statusReason })
  if (status === 'refunding' && isReturn(transfer, position)) return position.moveTo('refund_failed', { statusReason })
  return position.step()
}

/** Returns the change: a payment that waits for a person because of this transfer continues. */
export function takeUp(position: Position, transfer: PaymentTransfer): Position {
  const { status } = position.intent
  if (status === 'settle_failed' && isMainSweep(transfer)) return position.moveTo('settling')
  if (status === 'refund_failed' && isReturn(transfer, position)) return position.moveTo('refunding')
  return position.step()
}

/** Returns whether the transfer takes back what was paid for the price. */
const isReturn = ({ kind, asset, sourceAccount }: PaymentTransfer, { deposits }: Position): boolean =>
  (kind === 'refund' || kind === 'release') && sourceAccount === null && paymentAssets(deposits).has(asset)
