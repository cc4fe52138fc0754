// Makes the receipt of a payment, a charge or a refund from what is stored: the same state gives the same receipt. It has nothing of the
// buyer but what the chain shows. docs/contract.md, "Receipts".
import type { Charge } from '#core/billing/charge.ts'
import type { ChargeTransfer } from '#core/billing/charge-transfer.ts'
import { type Asset, type Network, SOL } from '#core/chain/types.ts'
import { sumOf } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import { decimalText } from '#core/money/price.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { bySlot } from '#core/payments/deposits/inbound.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { mintOf } from '#core/payments/returns/asset-books.ts'
import type { Refund, RefundTransaction } from '#core/refunds/refund.ts'
import { isoText } from '#core/text.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import {
  type Arrival,
  type ChargeReceipt,
  MOST_LISTED,
  type Movement,
  type Others,
  type PaymentReceipt,
  type Receipt,
  type RefundReceipt,
} from './shape.ts'

/** Who issues the receipt, and for whom. */
export type ReceiptOf = Pick<Receipt, 'iss' | 'business' | 'seller'> & {
  readonly genesisHashOf: (network: Network) => string
}

/** Returns null while nothing has settled. */
export function receiptOfPayment(
  { intent, deposits, transfers }: Pick<IntentFacts, 'intent' | 'deposits' | 'transfers'>,
  { genesisHashOf, ...parties }: ReceiptOf,
): PaymentReceipt | null {
  const { settlement, selection, network, priceUsdCents, reference, createdAt } = intent
  if (settlement === null || selection === null) return null
  const { asset, decimals, expected, rate } = selection
  const done = transfers.filter(({ status }) => status === 'done')
  const legs = done.filter(({ kind }) => kind === 'sweep').flatMap(movementsOf)
  const back = done.filter(({ kind }) => kind === 'refund' || kind === 'release').flatMap(movementsOf)
  const quoted = mintOf(asset)
  const rankOf = ({ use, mint }: { readonly use?: string; readonly mint: string | null }): number =>
    use === 'applied' ? 0 : mint === quoted ? 1 : 2
  const listed = largestOf(deposits.toSorted(inOrder).map(arrivalOf), rankOf)
  const returned = largestOf(back, rankOf)
  const assets = [...new Set([asset, ...deposits.map((deposit) => deposit.asset)])]
  const shareOf = (...roles: Movement['role'][]): string =>
    sumOf(settlement.legs.flatMap(({ role, amount }) => (roles.includes(role) ? [amount] : []))).toString()
  return {
    ...parties,
    kind: 'payment',
    id: intent.id,
    as_of: isoText(intent.updatedAt),
    network,
    genesis_hash: genesisHashOf(network),
    order: {
      price_usd: decimalText({ mantissa: priceUsdCents, exponent: -2 }),
      reference,
      created_at: isoText(createdAt),
    },
    quote: {
      mint: quoted,
      decimals,
      amount: expected.toString(),
      usd: rate?.usd ?? null,
      sources: (rate?.sources ?? []).map(({ name, usd, at }) => ({ name, usd, at: isoText(at) })),
    },
    address: intent.address,
    deposits: listed.shown,
    other_deposits: listed.others,
    settlement: {
      destination_amount: settlement.destinationAmount.toString(),
      marketplace_fee: shareOf('marketplace'),
      platform_fee: settlement.platformFeeAmount.toString(),
      network_fee: shareOf('network_fee'),
      legs,
    },
    returned: returned.shown,
    other_returned: returned.others,
    totals: assets.map((one) => totalOf(one, deposits, legs, back)),
  }
}

/** Returns null while the charge is not paid. One token is one dollar: docs/billing.md. */
export function receiptOfCharge(
  charge: Charge,
  transfer: ChargeTransfer,
  { genesisHashOf, ...parties }: ReceiptOf,
): ChargeReceipt | null {
  const { network, mint, amount, netAmount, feeAmount } = charge
  if (charge.status !== 'succeeded') return null
  const { decimals } = transfer
  const legs = movementsOf(transfer).map((leg) => (leg.role === 'payout' ? { ...leg, role: 'merchant' } : leg))
  return {
    ...parties,
    kind: 'charge',
    id: charge.id,
    as_of: isoText(charge.updatedAt),
    network,
    genesis_hash: genesisHashOf(network),
    order: {
      price_usd: formatUnits(amount, decimals),
      created_at: isoText(charge.createdAt),
      subscription_id: charge.subscriptionId,
      period_index: charge.periodIndex,
      period_start: isoText(charge.periodStart),
      period_end: charge.periodEnd && isoText(charge.periodEnd),
    },
    quote: { mint, decimals, amount: amount.toString(), usd: '1', sources: [] },
    address: transfer.source,
    settlement: {
      destination_amount: netAmount.toString(),
      marketplace_fee: '0',
      platform_fee: feeAmount.toString(),
      network_fee: '0',
      legs,
    },
    totals: [
      { mint, received: amount.toString(), settled: (netAmount + feeAmount).toString(), returned: '0', remaining: '0' },
    ],
  }
}

/** Returns null unless the refund has succeeded. */
export function receiptOfRefund(
  refund: Refund,
  transactions: readonly RefundTransaction[],
  { genesisHashOf, ...parties }: ReceiptOf,
): RefundReceipt | null {
  const { network, asset, decimals, amount, paidAmount, recipient, referenceKey } = refund
  if (refund.status !== 'succeeded') return null
  const mint = mintOf(asset)
  const oldestFirst = transactions.toSorted((a, b) => bySlot(a, b) || (a.signature < b.signature ? -1 : 1))
  const { shown, others } = largestOf(
    oldestFirst.map((one) => ({
      mint,
      amount: one.amount.toString(),
      paid_by: one.paidBy,
      signature: one.signature,
      slot: one.slot.toString(),
    })),
  )
  return {
    ...parties,
    kind: 'refund',
    id: refund.id,
    as_of: isoText(refund.updatedAt),
    network,
    genesis_hash: genesisHashOf(network),
    order: {
      payment_id: refund.intentId,
      charge_id: refund.chargeId,
      part: refund.part,
      part_of: refund.partOf,
      reference: refund.reference,
      created_at: isoText(refund.createdAt),
    },
    mint,
    decimals,
    amount: amount.toString(),
    paid_amount: paidAmount.toString(),
    recipient,
    reference_key: referenceKey,
    transactions: shown.map(({ mint: _, ...one }) => one),
    other_transactions: others,
  }
}

const inOrder = (a: Deposit, b: Deposit): number =>
  bySlot(a, b) || (`${a.signature} ${a.account}` < `${b.signature} ${b.account}` ? -1 : 1)

const arrivalOf = (deposit: Deposit): Arrival => ({
  use: deposit.use,
  account: deposit.account,
  mint: mintOf(deposit.asset),
  amount: deposit.amount.toString(),
  senders: [...new Set(deposit.senders.map(({ address }) => address))],
  signature: deposit.signature,
  slot: deposit.slot.toString(),
  arrived_at: deposit.blockTime && isoText(deposit.blockTime),
})

/** Returns what the legs of a transfer moved. What a mint withheld is a fee of its own, as in a settlement. */
function movementsOf({ asset, legs, moved, signature }: Pick<Transfer, 'asset' | 'legs' | 'moved' | 'signature'>) {
  if (signature === null) throw new Error('a transfer that is done has a signature')
  const mint = mintOf(asset)
  const movements = legs.map(
    ({ role, destination, feeBps, amount }, at): Movement => ({
      role,
      destination,
      mint,
      amount: (moved[at] ?? amount).toString(),
      fee_bps: feeBps,
      signature,
    }),
  )
  const withheld = sumOf(legs.map(({ amount }, at) => amount - (moved[at] ?? amount)))
  if (withheld === 0n || mint === null) return movements
  const fee = { role: 'network_fee', destination: mint, mint, amount: withheld.toString(), fee_bps: null, signature }
  return [...movements, fee]
}

function totalOf(
  asset: Asset,
  deposits: readonly Deposit[],
  legs: readonly Movement[],
  back: readonly Movement[],
): PaymentReceipt['totals'][number] {
  const mint = asset === SOL ? null : asset
  const received = sumOf(deposits.filter((one) => one.asset === asset).map(({ amount }) => amount))
  const ofRole = (isWanted: (leg: Movement) => boolean, list: readonly Movement[]) =>
    sumOf(list.filter((leg) => leg.mint === mint && isWanted(leg)).map(({ amount }) => BigInt(amount)))
  const settled = ofRole(({ role }) => role !== 'refund', legs)
  const returned = ofRole(({ role }) => role === 'refund', legs) + ofRole(() => true, back)
  return {
    mint,
    received: received.toString(),
    settled: settled.toString(),
    returned: returned.toString(),
    remaining: (received - settled - returned).toString(),
  }
}

type Entry = { readonly mint: string | null; readonly amount: string; readonly signature: string }

/**
 * Returns the first entries by rank and then by amount, in the order of their transactions, and the sum of the others by asset. Anyone
 * can add entries, of any asset: so no stranger pushes a payment out.
 */
function largestOf<T extends Entry>(
  list: readonly T[],
  rankOf: (entry: T) => number = () => 0,
): { shown: readonly T[]; others: readonly Others[] } {
  const byAmount = (a: T, b: T) => (BigInt(b.amount) < BigInt(a.amount) ? -1 : a.amount === b.amount ? 0 : 1)
  const largest = list.toSorted((a, b) => rankOf(a) - rankOf(b) || byAmount(a, b))
  const listed = new Set(largest.slice(0, MOST_LISTED))
  const others = Map.groupBy(
    list.filter((entry) => !listed.has(entry)),
    ({ mint }) => mint,
  )
  return {
    shown: list.filter((entry) => listed.has(entry)),
    others: [...others].map(([mint, own]) => ({
      mint,
      amount: sumOf(own.map(({ amount }) => BigInt(amount))).toString(),
      count: own.length,
    })),
  }
}
