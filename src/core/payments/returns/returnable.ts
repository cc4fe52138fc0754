// Which payments go back by themselves, and to whom.
import type { Address, Asset } from '#core/chain/types.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { Custodians } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { isDust } from '#core/payments/returns/dust.ts'
import { largestRecipient, obstructionOf } from '#core/payments/returns/recipients.ts'

/** Returns whether the part of a sender of the deposit can go back. Money that cannot is held, and changes no status. */
export const goesBack = (deposit: Deposit, context: DecisionContext): boolean =>
  depositSharesOf([deposit]).some(
    (share) =>
      obstructionOf(share, context.custodians) === null && !isDust({ ...deposit, amount: share.amount }, context),
  )

/**
 * Returns the wallet to which the largest part goes back. Base units of different assets are not compared: the deposits of
 * the `preferred` asset decide, or those of the asset of the oldest.
 */
export function refundSenderOf(
  deposits: readonly Deposit[],
  preferred: Asset | undefined,
  custodians: Custodians,
): Address | null {
  const asset = deposits.some((deposit) => deposit.asset === preferred) ? preferred : deposits[0]?.asset
  return largestRecipient(depositSharesOf(deposits.filter((deposit) => deposit.asset === asset)), custodians)
}
