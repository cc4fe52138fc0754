// Compares charges with their transfers and the ledger, subscriptions with their charges, and allowances with subscriptions.
// docs/billing.md, "What always holds".
import type { Charge } from '#core/billing/charge.ts'
import { chargeKey } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { judgeDelegation } from '#core/billing/delegation-state.ts'
import type { Slice } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import { sumOf } from '#core/money/amounts.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

/** What an audit compares. */
export const BILLING_RECORDS = ['charge', 'subscription', 'delegation'] as const
export type BillingRecord = (typeof BILLING_RECORDS)[number]

/**
 * A rule that a record breaks.
 * - `split`: payout and fee of a charge add up to its amount.
 * - `transfer`: a charge has one transfer, which is done exactly when the charge has succeeded.
 * - `transaction`: a charge that succeeded has exactly one successful transaction, any other has none.
 * - `legs`: the transfer pays out the amounts of the charge, to its destinations, and all of it arrived.
 * - `period`: no other charge that succeeded is for a part of the same period.
 * - `ledger`: the ledger has each final transaction of the charge, and no other.
 * - `spent`: the charges that succeeded add up to what the subscription has spent.
 * - `next_period`: the next period to charge is after every paid one.
 * - `owner`: a subscription and its delegation have the same network, wallet and token.
 * - `allowance`: the allowance, as it was read last, covers what is outstanding.
 */
export const BILLING_RULES = [
  'split',
  'transfer',
  'transaction',
  'legs',
  'period',
  'ledger',
  'spent',
  'next_period',
  'owner',
  'allowance',
] as const
export type BillingRule = (typeof BILLING_RULES)[number]

export type BillingFinding = {
  readonly record: BillingRecord
  readonly id: string
  readonly rule: BillingRule
  /** What differs, in a sentence. */
  readonly problem: string
}

/** A charge with everything that must agree with it. */
export type ChargeBooks = {
  readonly charge: Charge
  readonly transfers: readonly Transfer[]
  /** The final transactions of its transfers, failed ones included. */
  readonly transactions: readonly { readonly signature: Signature; readonly succeeded: boolean }[]
  /** The transactions that the ledger has for the charge. */
  readonly booked: readonly Signature[]
  /** The number of other charges of the subscription that succeeded for a part of the same period. */
  readonly overlapping: number
}

/** Compares the charge with the chain. `accountOf`: the token account of a wallet for the charge's token. */
export function auditCharge(books: ChargeBooks, accountOf: ReadonlyMap<Address, Address>): readonly BillingFinding[] {
  const { charge } = books
  const finding = (rule: BillingRule, problem: string) => ({ record: 'charge', id: charge.id, rule, problem }) as const
  return [
    ...(charge.netAmount + charge.feeAmount === charge.amount
      ? []
      : [finding('split', `Payout ${charge.netAmount} and fee ${charge.feeAmount} are not ${charge.amount}.`)]),
    ...transferProblems(books).map((problem) => finding('transfer', problem)),
    ...transactionProblems(books).map((problem) => finding('transaction', problem)),
    ...legProblems(books, accountOf).map((problem) => finding('legs', problem)),
    ...(charge.status === 'succeeded' && books.overlapping > 0
      ? [finding('period', 'Another charge of the same period has succeeded.')]
      : []),
    ...ledgerProblems(books).map((problem) => finding('ledger', problem)),
  ]
}

function transferProblems({ charge, transfers }: ChargeBooks): readonly string[] {
  const [transfer, ...more] = transfers
  if (transfer === undefined || more.length > 0) return [`The charge has ${transfers.length} transfers.`]
  if (transfer.key !== chargeKey(charge)) return [`Its transfer is ${transfer.key}.`]
  const isDone = transfer.status === 'done'
  return isDone === (charge.status === 'succeeded')
    ? []
    : [`The charge is ${charge.status}, and its transfer is ${transfer.status}.`]
}

function transactionProblems({ charge, transactions }: ChargeBooks): readonly string[] {
  const landed = transactions.filter(({ succeeded }) => succeeded).map(({ signature }) => signature)
  const expected = charge.status === 'succeeded' ? [charge.signature] : []
  return hasSame(landed, expected)
    ? []
    : [`The charge is ${charge.status}, and ${landed.length} transactions of it have succeeded: ${landed.join(', ')}.`]
}

function legProblems({ charge, transfers }: ChargeBooks, accountOf: ReadonlyMap<Address, Address>): readonly string[] {
  const [transfer] = transfers
  if (transfer === undefined) return []
  const parts = [
    { role: 'payout', amount: charge.netAmount, account: charge.destinationAta },
    { role: 'platform', amount: charge.feeAmount, account: charge.feeDestination },
  ]
  return parts.flatMap(({ role, amount, account }) => {
    const legs = transfer.legs.map((leg, at) => ({ ...leg, moved: transfer.moved[at] ?? null }))
    const own = legs.filter((leg) => leg.role === role)
    const planned = sumOf(own.map((leg) => leg.amount))
    if (planned !== amount) return [`The ${role} of its transfer is ${planned}, where the charge has ${amount}.`]
    if (own.some(({ destination }) => accountOf.get(destination) !== account))
      return [`The ${role} of its transfer goes to another account than the charge names.`]
    const moved = sumOf(own.map((leg) => leg.moved ?? 0n))
    return transfer.status === 'done' && moved !== amount ? [`The ${role} is ${amount}, and ${moved} arrived.`] : []
  })
}

function ledgerProblems({ transactions, booked }: ChargeBooks): readonly string[] {
  const final = transactions.map(({ signature }) => signature)
  return hasSame(final, booked) ? [] : [`The ledger has ${booked.length} of its ${final.length} final transactions.`]
}

const hasSame = (some: readonly (string | null)[], others: readonly (string | null)[]): boolean =>
  [...some].sort().join() === [...others].sort().join()

/** A subscription, the sum of its charges that succeeded, and its delegation. */
export type SubscriptionBooks = {
  readonly subscription: BillingSubscription
  readonly delegation: Pick<Delegation, 'network' | 'wallet' | 'mint'>
  readonly charged: bigint
  /** The latest period that is paid; null for none. */
  readonly lastPaid: number | null
}

export function auditSubscription(books: SubscriptionBooks): readonly BillingFinding[] {
  const { subscription, delegation, charged, lastPaid } = books
  const { spentAmount, earlierAmount, nextChargePeriod, network, subscriberWallet, mint } = subscription
  const finding = (rule: BillingRule, problem: string) =>
    ({ record: 'subscription', id: subscription.id, rule, problem }) as const
  const isOwn = delegation.network === network && delegation.wallet === subscriberWallet && delegation.mint === mint
  return [
    ...(earlierAmount + spentAmount === charged
      ? []
      : [finding('spent', `Its charges add up to ${charged}, and it has spent ${earlierAmount + spentAmount}.`)]),
    ...(lastPaid === null || nextChargePeriod > lastPaid
      ? []
      : [finding('next_period', `Period ${nextChargePeriod} is to be charged, and period ${lastPaid} is paid.`)]),
    ...(isOwn ? [] : [finding('owner', 'Its delegation is of another wallet, token or network.')]),
  ]
}

/** A delegation, and the slices of its subscriptions that may still be charged. */
export type DelegationBooks = { readonly delegation: Delegation; readonly slices: readonly Slice[] }

/** Compares the delegation with the chain. `delegate`: the delegate key of the network. */
export function auditDelegation(books: DelegationBooks, delegate: Address, now: Date): readonly BillingFinding[] {
  const { id } = books.delegation
  const { uncovered } = judgeDelegation({ ...books, delegate }, now)
  if (uncovered.length === 0) return []
  const problem = `The allowance does not cover ${uncovered.length} of its subscriptions: ${uncovered.join(', ')}.`
  return [{ record: 'delegation', id, rule: 'allowance', problem }]
}
