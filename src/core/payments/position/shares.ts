// The owners of the money at an address: every deposit by its senders. No sender gets back a unit that another sender sent, in any
// number of rounds. docs/money.md, "Refund recipients".
import type { Address } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, smaller, subtract, sumOf } from '#core/money/amounts.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { PaymentLeg } from '#core/payments/transfers.ts'

/** A part of one deposit. */
export type DepositShare = {
  readonly deposit: Deposit
  /** null when the sender is not known. */
  readonly sender: Address | null
  /** Set when it is not returned automatically although its sender is known, or why the sender is not known. */
  readonly obstacle: Obstacle | null
  readonly amount: BaseUnits
}

/**
 * Returns the shares of the oldest deposit first. Within a deposit, the share without a known sender first, then the smallest
 * sender first.
 */
export function depositSharesOf(deposits: readonly Deposit[]): readonly DepositShare[] {
  const oldestFirst = [...deposits].sort((a, b) => (a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1))
  return oldestFirst.flatMap((deposit) => {
    const shares: DepositShare[] = []
    let rest = deposit.amount
    const [ambiguous, known] = [deposit.senders.filter(isAmbiguous), deposit.senders.filter((one) => !isAmbiguous(one))]
    for (const { address, amount, obstacle = null } of known) {
      const part = smaller(amount, rest)
      shares.push({ deposit, sender: address, obstacle, amount: part })
      rest = subtract(rest, part)
    }
    shares.push({ deposit, sender: null, obstacle: ambiguous.length > 0 ? 'ambiguous' : null, amount: rest })
    return shares.filter(({ amount }) => amount > 0n).reverse()
  })
}

/** A wallet that may have sent a part of the deposit. Its name is kept, and no part counts as its own. */
const isAmbiguous = ({ obstacle }: Deposit['senders'][number]): boolean => obstacle === 'ambiguous'

/** Returns whether the shares cover the legs: each refund from the shares of its recipient, and all legs together. */
export function coversLegs(shares: readonly DepositShare[], legs: readonly PaymentLeg[]): boolean {
  if (totalOf(legs) > totalOf(shares)) return false
  const refunds = legs.filter(({ role }) => role === 'refund')
  return [...Map.groupBy(refunds, ({ destination }) => destination)].every(
    ([wallet, own]) => totalOf(own) <= totalOf(shares.filter(({ sender }) => sender === wallet)),
  )
}

/** Returns the sum of the parts, at most 2^64 − 1: one transfer cannot move more than an account holds. */
export const totalOf = (parts: readonly { readonly amount: BaseUnits }[]): BaseUnits =>
  capAtU64(sumOf(parts.map(({ amount }) => amount)))

/** Returns the newest part of shares, up to an amount; the newest share comes first. */
export const newestPart = (amount: BaseUnits, shares: readonly DepositShare[]): readonly DepositShare[] =>
  oldestPart(amount, shares.toReversed())

/** Returns the first part of shares, up to an amount. */
export function oldestPart(amount: BaseUnits, shares: readonly DepositShare[]): readonly DepositShare[] {
  let left = amount
  return shares.flatMap((share) => {
    const part = smaller(share.amount, left)
    left = subtract(left, part)
    return part === 0n ? [] : [{ ...share, amount: part }]
  })
}
