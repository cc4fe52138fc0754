// The wallets to which shares go back, and what stays at the address. docs/money.md, "Refund recipients".
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, subtract, ZERO } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
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
import { largestDust, type ReturnTerms } from '#core/payments/returns/dust.ts'

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

/**
 * Returns whether a transfer with these recipients returns money to a sender of the deposit. The share of such a sender can pay
 * the network fee of its refund. Any other share goes with the transfer only because it cannot stay.
 */
export const isForSenderOf = ({ senders }: Deposit, recipients: ReadonlySet<Address>): boolean =>
  senders.some(
    ({ address, obstacle = null }) => recipients.has(address) && (obstacle === null || ENDS_BY_PAYMENT.has(obstacle)),
  )

/**
 * Returns the newest part of shares, up to an amount, by the wallets that it goes back to. Shares that are not returned
 * automatically are left out, and go to no other wallet.
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
  return [...bySender].map(([address, part]) => ({ address, amount: part }))
}

/** Returns how much of the newest part of shares, up to an amount, is known to be worth less than returning it costs. */
export function dustOf(amount: BaseUnits, shares: readonly DepositShare[], custodians: Custodians): BaseUnits {
  const isReturnable = createReturnable(shares, custodians)
  return totalOf(newestPart(amount, shares).filter((one) => one.obstacle === 'too_small' && !isReturnable(one)))
}

/** Returns the wallet that would get the largest part if this amount of the shares went back; by default all of it. */
export function largestRecipient(
  shares: readonly DepositShare[],
  custodians: Custodians,
  amount = totalOf(shares),
): Address | null {
  const [first, ...others] = allocateRefund(amount, shares, custodians)
  if (first === undefined) return null
  return others.reduce((largest, sender) => (sender.amount > largest.amount ? sender : largest), first).address
}

/**
 * Returns the number of recipients for which one transaction has room, besides the business. A recipient of a token can need an
 * account.
 */
export const maxRecipients = (asset: Asset): number => (asset === SOL ? 10 : 5)

export type Division = {
  /** The largest first. */
  readonly refunds: readonly Recipient[]
  /** What remains at the address: it is not returned automatically, or it waits for a transaction with room. */
  readonly stays: BaseUnits
  /** The remaining SOL when it is less than the rent minimum. It leaves with the rest, and goes to no sender. */
  readonly remnant: BaseUnits
}

export type DivisionContext = Pick<DecisionContext, 'rentMinimum' | 'custodians'> & {
  readonly terms: ReturnTerms
}

/** Divides the newest part of shares among the recipients of one transaction; with `only`, among these wallets. */
export function divide(
  amount: BaseUnits,
  shares: readonly DepositShare[],
  asset: Asset,
  context: DivisionContext,
  only: ReadonlySet<Address> | null = null,
): Division {
  const senders = largestFirst(allocateRefund(amount, shares, context.custodians), only)
  return divisionOf(amount, recipientsOfRound(amount, senders, asset, context), asset, context)
}

/** Returns the recipients by amount; with `only`, these wallets. */
export const largestFirst = (
  recipients: readonly Recipient[],
  only: ReadonlySet<Address> | null,
): readonly Recipient[] =>
  recipients
    .filter(({ address }) => only === null || only.has(address))
    .toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))

/** Returns the division of an amount by which these recipients get their parts. */
export function divisionOf(
  amount: BaseUnits,
  refunds: readonly Recipient[],
  asset: Asset,
  { rentMinimum }: Pick<DivisionContext, 'rentMinimum'>,
): Division {
  const rest = subtract(amount, totalOf(refunds))
  return asset === SOL && rest < rentMinimum
    ? { refunds, stays: ZERO, remnant: rest }
    : { refunds, stays: rest, remnant: ZERO }
}

/**
 * Returns the senders of one round, the largest first. When more senders of SOL are worth a refund than one transaction has room
 * for, at least the rent minimum stays for the others: the smallest of the largest senders wait with them, or else the smallest
 * senders go first. Where neither is possible, the others lose less than the rent minimum, because the address cannot keep it.
 */
function recipientsOfRound(
  amount: BaseUnits,
  senders: readonly Recipient[],
  asset: Asset,
  { rentMinimum, terms }: DivisionContext,
): readonly Recipient[] {
  const room = maxRecipients(asset)
  const largest = senders.slice(0, room)
  const worth = senders.filter((sender) => sender.amount > largestDust(terms))
  if (asset !== SOL || worth.length <= room) return largest
  const canWait = (round: readonly Recipient[]): boolean => subtract(amount, totalOf(round)) >= rentMinimum
  const counts = Array.from({ length: room }, (_, at) => room - at)
  const rounds = [
    ...counts.map((count) => worth.slice(0, count)),
    ...counts.map((count) => worth.slice(Math.max(room, worth.length - count))),
  ]
  return rounds.find(canWait) ?? largest
}

/** Returns why shares are not returned automatically: the reason that holds for the largest part; null when none does. */
export function mainObstruction(shares: readonly DepositShare[], custodians: Custodians): string | null {
  const byReason = [...Map.groupBy(shares, (share) => obstructionOf(share, custodians))].flatMap(([reason, parts]) =>
    reason === null ? [] : [{ reason, total: totalOf(parts) }],
  )
  const [first, ...others] = byReason
  if (first === undefined) return null
  return others.reduce((largest, one) => (one.total > largest.total ? one : largest), first).reason
}
