// Plans a refund: how much goes back, to which wallet, and who pays which part. docs/contract.md, "Refunds by the business".

import { isWallet } from '#core/chain/curve.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import {
  add,
  type BaseUnits,
  capAtU64,
  makeBaseUnits,
  smaller,
  subtractToZero,
  sumOf,
  type UsdCents,
  ZERO,
} from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { Custodians } from '#core/payments/obstacle.ts'
import type { PaymentIntent, Sender } from '#core/payments/payment-intent.ts'
import { isReleased } from '#core/payments/transfers.ts'
import { PARTS, type Part, REFUND_LIFE_MS, type Refund } from './refund.ts'

/** A payment or a charge whose money has arrived. Amounts are in base units of the asset in which it settled. */
export type Settled = {
  readonly intentId: string | null
  readonly chargeId: string | null
  readonly subscriptionId: string | null
  readonly network: Network
  readonly callerAccountId: string
  readonly asset: Asset
  readonly decimals: number
  readonly tokenProgram: Address | null
  readonly label: string
  /** Everything that settled, with all fees; what went back to senders is no part of it. */
  readonly amount: BaseUnits
  /** What the marketplace has of it. */
  readonly cut: BaseUnits
  /** The locked rate: this many base units for so many cents. */
  readonly rate: { readonly units: BaseUnits; readonly cents: bigint }
  /** The accounts that pay a refund, and their wallets. The wallet of the marketplace pays its part. */
  readonly payee: Payer
  readonly marketplace: Payer | null
  /** The wallets that paid, and what each paid for it that was not returned. */
  readonly senders: readonly Pick<Sender, 'address' | 'amount'>[]
}

type Payer = { readonly accountId: string; readonly wallet: Address | null }

/** Returns what a payment has settled, with all fees: zero before. */
export const settledAmountOf = ({ settlement }: Pick<PaymentIntent, 'settlement'>): BaseUnits =>
  capAtU64(sumOf((settlement?.legs ?? []).filter(({ role }) => role !== 'refund').map(({ amount }) => amount)))

/** Returns a payment as a refund sees it; null before an asset is selected. `tokenProgram` is that of its asset. */
export function settledPayment(
  facts: IntentFacts,
  tokenProgram: Address | null,
  custodians: Custodians,
): Settled | null {
  const { intent, payee } = facts
  const { selection, settlement, callerAccountId } = intent
  if (selection === null) return null
  const cuts = (settlement?.legs ?? []).filter(({ role }) => role === 'marketplace')
  return {
    intentId: intent.id,
    chargeId: null,
    subscriptionId: null,
    network: intent.network,
    callerAccountId,
    asset: selection.asset,
    decimals: selection.decimals,
    tokenProgram,
    label: intent.payeeLabel,
    amount: settledAmountOf(intent),
    cut: capAtU64(sumOf(cuts.map(({ amount }) => amount))),
    rate: { units: selection.expected, cents: intent.priceUsdCents },
    payee: { accountId: intent.accountId, wallet: payee.sweepDestination },
    marketplace:
      payee.marketplace === null ? null : { accountId: callerAccountId, wallet: payee.marketplace.feeDestination },
    senders: payingWalletsOf(facts, custodians),
  }
}

/** What a business asks for. */
export type RefundInput = {
  /** In base units, or in US cents at the locked rate; null in both for everything that can go back. */
  readonly amount: BaseUnits | null
  readonly amountUsdCents: UsdCents | null
  /** null for the wallet that paid. */
  readonly to: Address | null
  readonly reason: string | null
  readonly reference: string | null
  readonly reverseFee: boolean
}

/** The most refunds of a payment or a charge that wait for money: the chain is read for each. */
export const MAX_WAITING = 20

/** The refunds that a payment or a charge has, added up by what they take of it (`countedOf`). */
export type Counted = {
  /** All together. */
  readonly total: BaseUnits
  /** The parts of those of which the marketplace pays its part, by payer. */
  readonly reversed: Readonly<Record<Part, BaseUnits>>
  readonly byRecipient: ReadonlyMap<Address, BaseUnits>
  /** How many of them wait for money. */
  readonly waiting: number
}

export type Refused = { readonly refused: ErrorCode; readonly context: ErrorContext }
export const refused = (code: ErrorCode, context: ErrorContext = {}): Refused => ({ refused: code, context })

/** Senders to which nothing can be sent, or of which it is not certain what they sent. */
const UNUSABLE: readonly (Sender['obstacle'] | undefined)[] = [
  'ambiguous',
  'not_a_wallet',
  'foreign_account',
  'frozen_account',
]

/**
 * Returns the wallets that paid for a payment, and what each has paid for it that did not go back to it: by a refund, or by a release of
 * held money to it. What came late, and is no part of the price, is what goes back first. Custodians are left out.
 */
export function payingWalletsOf(facts: IntentFacts, custodians: Custodians): Settled['senders'] {
  const { intent, deposits, transfers } = facts
  const asset = intent.selection?.asset
  const paid = new Map<Address, bigint>()
  const sent = new Map<Address, bigint>()
  for (const deposit of deposits) {
    if (deposit.asset !== asset) continue
    for (const { address, amount, obstacle } of deposit.senders) {
      if (UNUSABLE.includes(obstacle) || custodians.has(address)) continue
      sent.set(address, (sent.get(address) ?? 0n) + amount)
      if (deposit.use === 'applied') paid.set(address, (paid.get(address) ?? 0n) + amount)
    }
  }
  const legs = transfers.filter((one) => one.asset === asset && one.status !== 'failed').flatMap((one) => one.legs)
  const back = Map.groupBy(
    legs.filter((leg) => leg.role === 'refund' || isReleased(leg)),
    ({ destination }) => destination,
  )
  return [...paid].map(([address, amount]) => {
    const kept = (sent.get(address) ?? 0n) - sumOf((back.get(address) ?? []).map((leg) => leg.amount))
    return { address, amount: makeBaseUnits(kept < 0n ? 0n : kept < amount ? kept : amount) }
  })
}

/** What is new of refunds: ids, random keys by which their transactions are found, the time, and a final slot before it, if known. */
export type Made = {
  readonly ids: readonly [string, string]
  readonly keys: readonly [Address, Address]
  readonly at: Date
  readonly slot: bigint | null
}

/**
 * Returns the refunds that are asked for: one, or two where the marketplace pays its part. Their amounts add up to the amount that was asked for.
 */
export function planRefunds(
  settled: Settled,
  input: RefundInput,
  counted: Counted,
  made: Made,
): readonly Refund[] | Refused {
  const left = subtractToZero(settled.amount, counted.total)
  if (input.reverseFee && settled.marketplace === null) return refused('reverse_fee_without_seller')
  const recipient = input.to === null ? recipientOf(settled, counted) : { address: input.to, most: left }
  if (recipient === null) return refused('refund_recipient_unknown')
  const amount = amountOf(settled, input, smaller(left, recipient.most))
  if (typeof amount !== 'bigint') return amount
  if (left === 0n || amount > left) return refused('refund_too_large', { refundable: left.toString() })
  if (amount > recipient.most) return refused('refund_above_sender', { most: recipient.most.toString() })
  if (amount === 0n)
    return recipient.most === 0n ? refused('refund_above_sender', { most: '0' }) : refused('refund_too_small')
  const marketplace = input.reverseFee ? partOfMarketplace(settled, amount, counted.reversed) : ZERO
  const amounts = { payee: subtractToZero(amount, marketplace), marketplace }
  const parts = PARTS.filter((part) => amounts[part] > 0n)
  if (counted.waiting + parts.length > MAX_WAITING) return refused('too_many_refunds')
  const refunds: Refund[] = []
  for (const [at, part] of parts.entries()) {
    const payer = part === 'payee' ? settled.payee : settled.marketplace
    if (payer?.wallet == null) return refused('sweep_destination_missing')
    if (payer.wallet === recipient.address)
      return input.to === null
        ? refused('refund_recipient_unknown')
        : refused('invalid_address', { field: 'to', rule: 'is the wallet that pays the refund' })
    const [id, first] = [made.ids[at], made.ids[0]]
    const referenceKey = made.keys[at]
    if (id === undefined || referenceKey === undefined) throw new RangeError('a refund has at most two parts')
    refunds.push({
      id,
      network: settled.network,
      accountId: payer.accountId,
      callerAccountId: settled.callerAccountId,
      intentId: settled.intentId,
      chargeId: settled.chargeId,
      subscriptionId: settled.subscriptionId,
      part,
      partOf: at === 0 ? null : first,
      reverseFee: input.reverseFee,
      asset: settled.asset,
      decimals: settled.decimals,
      tokenProgram: settled.tokenProgram,
      amount: amounts[part],
      paidAmount: ZERO,
      paidBy: [],
      signatures: [],
      payer: payer.wallet,
      recipient: recipient.address,
      referenceKey,
      label: settled.label,
      reference: at === 0 ? input.reference : null,
      reason: input.reason,
      status: 'open',
      problem: null,
      reading: { to: null, from: null, at: null, isLast: false },
      nextLookAt: made.at,
      lookedAt: null,
      failedLooks: 0,
      createdSlot: made.slot,
      closesAtSlot: null,
      version: 1,
      expiresAt: new Date(made.at.getTime() + REFUND_LIFE_MS),
      createdAt: made.at,
      updatedAt: made.at,
      endedAt: null,
    })
  }
  return refunds
}

/** What a refund would be now, when its business says neither how much nor to whom. Amounts are in base units. */
export type RefundTerms = {
  /** What can still go back. */
  readonly refundable: BaseUnits
  /** The wallet that gets it; null where none is known, so the business has to say one. */
  readonly recipient: Address | null
  /** What can go to this wallet at most; without one, to any. */
  readonly most: BaseUnits
  /** The wallet that is to pay; null where the business has none. */
  readonly payer: Address | null
}

export function refundTermsOf(settled: Settled, counted: Counted): RefundTerms {
  const { payee } = settled
  const refundable = subtractToZero(settled.amount, counted.total)
  const found = recipientOf(settled, counted)
  const terms = { refundable, payer: payee.wallet }
  // No wallet pays itself.
  return found === null || found.address === payee.wallet
    ? { ...terms, recipient: null, most: refundable }
    : { ...terms, recipient: found.address, most: smaller(refundable, found.most) }
}

/**
 * Returns the wallet that has paid most of what did not go back yet, and how much that is: nothing more goes to it without the
 * word of the business. null when no wallet is known.
 */
function recipientOf({ senders }: Settled, { byRecipient }: Counted) {
  const wallets = senders
    .filter(({ address }) => isWallet(address))
    .map((sender) => ({ ...sender, most: subtractToZero(sender.amount, byRecipient.get(sender.address) ?? ZERO) }))
  const [first, ...others] = wallets
  if (first === undefined) return null
  return others.reduce((best, one) => (one.most > best.most ? one : best), first)
}

/** Returns the amount that is asked for; for everything, `most`. */
function amountOf(
  settled: Settled,
  { amount, amountUsdCents: cents }: RefundInput,
  most: BaseUnits,
): BaseUnits | Refused {
  if (amount !== null) return amount
  if (cents === null) return most
  const { rate } = settled
  if (cents > rate.cents) return refused('refund_too_large', { refundable: most.toString() })
  // The whole price gives the whole amount: a division would give the same.
  return smaller(settled.amount, makeBaseUnits((rate.units * cents) / rate.cents))
}

/**
 * Returns the part of the marketplace in an amount. The parts of all refunds together are its cut of all that goes back, rounded
 * down: each takes the difference to what the parts before it are. So over refunds of everything they are the cut, to the unit, also
 * when refunds in between are canceled.
 */
export function partOfMarketplace(
  { amount: settled, cut }: Pick<Settled, 'amount' | 'cut'>,
  amount: BaseUnits,
  before: Counted['reversed'],
): BaseUnits {
  const all = sumOf([before.payee, before.marketplace, amount])
  const whole = makeBaseUnits((cut * all) / settled)
  return smaller(subtractToZero(whole, before.marketplace), amount)
}

/** Returns the sums of refunds. */
export function countedIn(refunds: readonly CountedRow[]): Counted {
  const byRecipient = new Map<Address, BaseUnits>()
  for (const { recipient, counted } of refunds)
    byRecipient.set(recipient, add(byRecipient.get(recipient) ?? ZERO, counted))
  const sum = (rows: readonly CountedRow[]): BaseUnits => add(...rows.map(({ counted }) => counted))
  const reversed = refunds.filter(({ reverseFee }) => reverseFee)
  return {
    total: sum(refunds),
    reversed: {
      payee: sum(reversed.filter(({ part }) => part === 'payee')),
      marketplace: sum(reversed.filter(({ part }) => part === 'marketplace')),
    },
    byRecipient,
    waiting: refunds.reduce((waiting, one) => waiting + one.waiting, 0),
  }
}

/** Refunds with the same payer and recipient, added up. */
export type CountedRow = Pick<Refund, 'part' | 'reverseFee' | 'recipient'> & {
  readonly counted: BaseUnits
  readonly waiting: number
}
