// The status of a payment while one of its transfers has failed and waits for a person.

import { type Position, paymentAssets } from '#core/payments/position/position.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'

/** Returns the change: a payment that waits for this transfer now waits for a person; any other payment continues. */
export function giveUp(position: Position, transfer: PaymentTransfer, statusReason: string): Position {
  const { kind, asset, sourceAccount } = transfer
  const { status } = position.intent
  if (isRentReserve(transfer)) return position.step()
  if (kind === 'sweep' && status === 'settling') return position.moveTo('settle_failed', { statusReason })
  if (
    (kind === 'refund' || kind === 'release') &&
    status === 'refunding' &&
    sourceAccount === null &&
    paymentAssets(position.deposits).has(asset)
  ) {
    return position.moveTo('refund_failed', { statusReason })
  }
  return position.step()
}
