// The wallets of one refund. Strangers can pay next to a buyer, so no wallet may keep the others from their money, and the
// money of no wallet that is worth a refund pays the fee of another one. docs/money.md, "Refund recipients".
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { subtract, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { canSpareRent } from '#core/payments/position/rent-reserve.ts'
import { type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { isBelowFee } from '#core/payments/returns/dust.ts'
import {
  allocateRefund,
  type Division,
  divisionOf,
  largestFirst,
  maxRecipients,
  type Recipient,
} from '#core/payments/returns/recipients.ts'

/** Returns the wallets to which shares go back, if the part of the wallet is worth a refund alone. */
export const worthyRecipients = (
  shares: readonly DepositShare[],
  asset: Asset,
  context: DecisionContext,
): readonly Recipient[] =>
  allocateRefund(totalOf(shares), shares, context.custodians).filter((one) => isWorthItsFee([one], asset, context))

/** With `othersFollow`, the largest recipient leaves the rent minimum, so that the money of the others can wait. */
export type RefundDivision = Division & { readonly othersFollow: boolean }

/** Divides shares among the recipients of one refund; with `only`, among these wallets. */
export function divideRefund(
  shares: readonly DepositShare[],
  asset: Asset,
  context: DecisionContext,
  only: ReadonlySet<Address> | null,
): RefundDivision {
  const amount = totalOf(shares)
  const senders = largestFirst(allocateRefund(amount, shares, context.custodians), only)
  const divided = (refunds: readonly Recipient[], othersFollow: boolean): RefundDivision => ({
    ...divisionOf(amount, refunds, asset, context),
    othersFollow,
  })
  const worth = senders.filter((sender) => isWorthItsFee([sender], asset, context))
  // Where nothing is worth a refund, the largest is judged, and found too small.
  if (worth.length === 0) return divided(senders.slice(0, 1), false)

  // The most first. A round of one wallet is worth its fee.
  const room = maxRecipients(asset)
  const counts = Array.from({ length: Math.min(room, worth.length) }, (_, at) => at + 1).toReversed()
  const canGo = (round: readonly Recipient[]): boolean => isWorthItsFee(round, asset, context)
  const largest = counts.map((count) => worth.slice(0, count)).filter(canGo)
  const smallest = counts.map((count) => worth.slice(-count)).filter(canGo)
  const [most = []] = largest
  // What stays permanently keeps the address open for any number of rounds.
  const stays = subtract(amount, totalOf(worth))
  if (asset !== SOL || most.length === worth.length || stays >= context.rentMinimum) return divided(most, false)

  const canWait = (round: readonly Recipient[]): boolean => subtract(amount, totalOf(round)) >= context.rentMinimum
  // The last round needs no other that follows.
  const isBeforeLast = ({ length }: readonly Recipient[]): boolean =>
    worth.length - length <= room && canGo(worth.slice(length))
  const beforeLast = largest.find((round) => canWait(round) && isBeforeLast(round))
  if (beforeLast !== undefined) return divided(beforeLast, false)
  if (most.slice(0, 1).some((one) => canSpareRentOf(one, context))) return divided(most, true)
  // The largest keep the address open until the others have gone. Where no round leaves enough, the others lose less than
  // the rent minimum: the address cannot keep it.
  return divided(smallest.find(canWait) ?? largest.find(canWait) ?? most, false)
}

/**
 * Returns whether a wallet can leave the rent minimum at the address. It may be empty, and gets the rest after the network fee.
 */
export const canSpareRentOf = (
  { amount }: Recipient,
  { rentMinimum, terms }: Pick<DecisionContext, 'rentMinimum' | 'terms'>,
): boolean => canSpareRent({ amount: subtractToZero(amount, terms.networkFee) }, rentMinimum)

/**
 * Returns whether each recipient gets more than the highest fee of the transaction: a round is withdrawn for any that does not.
 * `round` has the largest first, which pays the network fee of SOL.
 */
function isWorthItsFee(round: readonly Recipient[], asset: Asset, context: DecisionContext): boolean {
  const [largest, smallest] = [round.at(0), round.at(-1)]
  if (largest === undefined || smallest === undefined) return false
  const [fee, legs] = asset === SOL ? [context.terms.networkFee, round.length + 1] : [ZERO, round.length]
  const least = [subtractToZero(largest.amount, fee), smallest.amount]
  return least.every((part) => !isBelowFee(asset, part, legs, context))
}
