// The wallets to which shares go back, and what stays at the address. docs/money.md, "Refund recipients".

import type { Address } from '#core/chain/types.ts'
import { add, type BaseUnits, ZERO } from '#core/money/amounts.ts'
import {
  type Custodians,
  custodianText,
  type Obstacle,
  obstacleText,
  SENDER_AMBIGUOUS,
  SENDER_UNKNOWN,
} from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { type DepositShare, newestPart, totalOf } from '#core/payments/position/shares.ts'
import { isRentReserve, type NewPaymentTransfer, type PaymentTransfer } from '#core/payments/transfers.ts'

/** A wallet and the amount that goes back to it. */
export type Recipient = { readonly address: Address; readonly amount: BaseUnits }

/** Returns why a share is not returned automatically, for people; null when it is. */
export function obstructionOf({ sender, obstacle }: DepositShare, custodians: Custodians): string | null {
  if (sender === null) return obstacle === 'ambiguous' ? SENDER_AMBIGUOUS : SENDER_UNKNOWN
  const label = custodians.get(sender)
  if (label !== undefined) return custodianText(sender, label)
  return obstacle === null ? null : obstacleText(obstacle, sender)
}

/** Obstacles that may have ended when the same wallet sends more. A refund to it is judged again before it is signed. */
const ENDS_BY_PAYMENT: ReadonlySet<Obstacle | null> = new Set([
  'too_small',
  'unpriced',
  'no_account',
  'below_rent_minimum',
])

/**
 * Returns whether a share is returned automatically. A share that was too small to return or had no price, or whose wallet had no
 * account or was empty, goes with a later share of the same wallet.
 */
function createReturnable(shares: readonly DepositShare[], custodians: Custodians): (share: DepositShare) => boolean {
  const isFree = (share: DepositShare): boolean => obstructionOf(share, custodians) === null
  const free = new Set(shares.filter(isFree).map(({ sender }) => sender))
  return (share) => isFree(share) || (ENDS_BY_PAYMENT.has(share.obstacle) && free.has(share.sender))
}

/** Returns the shares that are returned automatically. */
export const returnableOf = (shares: readonly DepositShare[], custodians: Custodians): readonly DepositShare[] =>
  shares.filter(createReturnable(shares, custodians))

/** Returns the wallets to which a transfer returns money. */
export const recipientsOf = ({ legs }: Pick<NewPaymentTransfer, 'legs'>): ReadonlySet<Address> =>
  new Set(legs.flatMap(({ role, destination }) => (role === 'refund' ? [destination] : [])))

/**
 * Returns whether both are rounds of one movement. Each asset, token account and rent reserve, and each wallet of a refund, has its own.
 */
export function isSameMovement(one: PaymentTransfer, other: PaymentTransfer): boolean {
  const wallets = recipientsOf(other)
  return (
    one.kind === other.kind &&
    one.asset === other.asset &&
    one.sourceAccount === other.sourceAccount &&
    isRentReserve(one) === isRentReserve(other) &&
    (one.kind !== 'refund' || [...recipientsOf(one)].some((wallet) => wallets.has(wallet)))
  )
}

/**
 * Returns whether a transfer with these recipients returns money to a sender of the deposit. The share of such a sender can pay
 * the network fee of its refund. Any other share goes with the transfer only because it cannot stay.
 */
export const isForSenderOf = ({ senders }: Deposit, recipients: ReadonlySet<Address>): boolean =>
  senders.some(
    ({ address, obstacle = null }) => recipients.has(address) && (obstacle === null || ENDS_BY_PAYMENT.has(obstacle)),
  )

/**
 * Returns the newest part of shares, up to an amount, by the wallets that it goes back to, the largest first. Shares that are not
 * returned automatically are left out, and go to no other wallet.
 */
export function allocateRefund(
  amount: BaseUnits,
  shares: readonly DepositShare[],
  custodians: Custodians,
): readonly Recipient[] {
  const isReturnable = createReturnable(shares, custodians)
  const bySender = new Map<Address, BaseUnits>()
  for (const share of newestPart(amount, shares)) {
    const { sender, amount: part } = share
    if (sender !== null && isReturnable(share)) bySender.set(sender, add(bySender.get(sender) ?? ZERO, part))
  }
  return [...bySender]
    .map(([address, part]) => ({ address, amount: part }))
    .sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
}

/** Returns how much of the newest part of shares, up to an amount, is known to be worth less than returning it costs. */
export function dustOf(amount: BaseUnits, shares: readonly DepositShare[], custodians: Custodians): BaseUnits {
  const isReturnable = createReturnable(shares, custodians)
  return totalOf(newestPart(amount, shares).filter((one) => one.obstacle === 'too_small' && !isReturnable(one)))
}

/** Returns the wallet that would get the largest part if this amount of the shares went back; by default all of it. */
export const largestRecipient = (
  shares: readonly DepositShare[],
  custodians: Custodians,
  amount = totalOf(shares),
): Address | null => allocateRefund(amount, shares, custodians)[0]?.address ?? null

/** Returns why shares are not returned automatically: the reason that holds for the largest part; null when none does. */
export function mainObstruction(shares: readonly DepositShare[], custodians: Custodians): string | null {
  const byReason = [...Map.groupBy(shares, (share) => obstructionOf(share, custodians))].flatMap(([reason, parts]) =>
    reason === null ? [] : [{ reason, total: totalOf(parts) }],
  )
  const [first, ...others] = byReason
  if (first === undefined) return null
  return others.reduce((largest, one) => (one.total > largest.total ? one : largest), first).reason
}

/**
 * Returns the deposits of the shares, with the obstacle of each share's sender. A deposit that has its obstacles already is left
 * out, so that it is not written again.
 */
export function markSenders(
  shares: readonly DepositShare[],
  obstacles: ReadonlyMap<Address, Obstacle>,
): readonly Deposit[] {
  return [...Map.groupBy(shares, ({ deposit }) => deposit)].flatMap(([deposit, parts]) => {
    const marked = new Set(parts.map(({ sender }) => sender))
    const senders = deposit.senders.map((sender) => {
      const obstacle = marked.has(sender.address) ? obstacles.get(sender.address) : undefined
      const stays = obstacle === undefined || sender.obstacle === obstacle || sender.obstacle === 'ambiguous'
      return stays ? sender : { ...sender, obstacle }
    })
    const isChanged = senders.some((sender, at) => sender !== deposit.senders[at])
    return isChanged ? [{ ...deposit, senders }] : []
  })
}
