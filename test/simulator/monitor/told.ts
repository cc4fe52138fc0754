// What the service says of a payment, as businesses and buyers read it: the data of an event, or the body of a status.
import { makeAddress, makeAsset, makeSignature } from '#core/chain/base58.ts'
import { type Address, type Asset, type Signature, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'

export type ToldLeg = {
  readonly role: string
  readonly destination: Address
  readonly asset: Asset
  readonly decimals: number
  readonly amount: bigint
  readonly feeBps: number | null
  readonly signature: Signature
}
export type ToldSettlement = {
  readonly destinationAmount: bigint
  readonly platformFeeAmount: bigint
  /** Base units that are left behind and follow; zero when nothing does. */
  readonly pendingAmount: bigint
  readonly decimals: number
  readonly signatures: readonly Signature[]
  readonly legs: readonly ToldLeg[]
}
/** What went back, or is on its way, by the newest transactions that are final. */
export type ToldRefund = { readonly asset: Asset; readonly amount: bigint; readonly signatures: readonly Signature[] }
export type ToldReturn = {
  readonly asset: Asset
  readonly status: string
  /** What arrived; null where it is not told. */
  readonly amount: bigint | null
  readonly refund: ToldRefund | null
}
export type ToldLate = {
  readonly asset: Asset
  readonly amount: bigint
  readonly status: string
  readonly signature: Signature
  /** How many payments it stands for: more than one where they are too small to return. */
  readonly count: number
  readonly refund: ToldRefund | null
}
/** A list that may be shown in part, and the totals of the whole of it. */
export type ToldTotals = {
  readonly count: number
  readonly amounts: ReadonlyMap<Asset, bigint>
}
export type Told = {
  readonly id: string
  readonly index: number
  readonly address: Address
  readonly version: number
  readonly priceUsdCents: bigint
  readonly status: string
  readonly action: string
  readonly message: string
  readonly asset: Asset | null
  readonly decimals: number | null
  readonly expected: bigint | null
  readonly received: bigint
  /** null where none is told. */
  readonly shortfall: bigint | null
  readonly refundSender: Address | null
  readonly feeBps: number | null
  readonly settlement: ToldSettlement | null
  readonly tokenRefunds: readonly ToldReturn[]
  readonly latePayments: readonly ToldLate[]
  readonly lateTotals: ToldTotals
  readonly held: readonly { readonly asset: Asset; readonly amount: bigint; readonly reason: string }[]
  readonly heldTotals: ToldTotals
  readonly refunds: readonly ToldRefund[]
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => {
  if (typeof value !== 'object' || value === null) throw new TypeError(`not an object: ${String(value)}`)
  return Object.fromEntries(Object.entries(value))
}
const listOf = (value: unknown): readonly Fields[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new TypeError(`not a list: ${String(value)}`)
  return value.map(fieldsOf)
}
const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError(`not a text: ${String(value)}`)
  return value
}
/** Base units: digits in an event, an exact number in a status. */
const amount = (value: unknown): bigint => {
  const digits = String(value)
  if (!/^\d+$/.test(digits)) throw new TypeError(`not base units: ${digits}`)
  return BigInt(digits)
}
const whole = (value: unknown): number => Number(amount(value))
const maybe = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null || value === undefined ? null : read(value)
/** `null` is SOL, and so is wrapped SOL where a mint must be named. */
const assetOf = (mint: unknown): Asset => (mint === null || mint === WRAPPED_SOL_MINT ? SOL : makeAsset(text(mint)))
const address = (value: unknown): Address => makeAddress(text(value))
const signaturesOf = (value: unknown): readonly Signature[] => (Array.isArray(value) ? value.map(signature) : [])
const signature = (value: unknown): Signature => makeSignature(text(value))

/** Throws TypeError on anything that is not an intent as the interface describes it. */
export function readTold(data: unknown): Told {
  const told = fieldsOf(data)
  const tokenRefunds = listOf(told.token_refunds)
  const latePayments = listOf(told.late_payments)
  const held = listOf(told.held)
  const decimals = maybe(told.mint_decimals, whole)
  return {
    id: text(told.id),
    index: whole(told.derivation_index),
    address: address(told.address),
    version: maybe(told.version, whole) ?? 0,
    priceUsdCents: amount(told.price_usd_cents),
    status: text(told.status),
    action: text(told.action),
    message: text(told.message),
    asset: decimals === null ? null : assetOf(told.mint),
    decimals,
    expected: maybe(told.expected_lamports, amount),
    received: amount(told.received_lamports),
    shortfall: maybe(told.shortfall_lamports, amount),
    refundSender: maybe(told.refund_sender, address),
    feeBps: maybe(told.marketplace_fee_bps, whole),
    settlement: maybe(told.settlement, readSettlement),
    tokenRefunds: tokenRefunds.map((one) => ({
      asset: assetOf(one.mint),
      status: text(one.status),
      amount: maybe(one.amount, amount),
      refund: maybe(one.refund, (value) => readRefund(value, one.mint)),
    })),
    latePayments: latePayments.map((one) => ({
      asset: assetOf(one.mint),
      amount: amount(one.amount),
      status: text(one.status),
      signature: signature(one.signature),
      count: maybe(one.count, whole) ?? 1,
      refund: maybe(one.refund, (value) => readRefund(value, one.mint)),
    })),
    lateTotals: totalsOf(latePayments, told.late_payments_count, told.late_payments_totals),
    held: held.map((one) => ({ asset: assetOf(one.mint), amount: amount(one.amount), reason: text(one.reason) })),
    heldTotals: totalsOf(held, told.held_count, told.held_totals),
    refunds: listOf(told.refunds).map((one) => readRefund(one, one.mint)),
  }
}

function readRefund(value: unknown, mint: unknown): ToldRefund {
  const told = fieldsOf(value)
  return { asset: assetOf(mint), amount: amount(told.amount), signatures: signaturesOf(told.signatures) }
}

/** Told where a list is shown in part; of a list that is shown whole, its own. */
function totalsOf(list: readonly Fields[], count: unknown, totals: unknown): ToldTotals {
  const amounts = new Map<Asset, bigint>()
  for (const one of totals === undefined || totals === null ? list : listOf(totals)) {
    const asset = assetOf(one.mint)
    amounts.set(asset, (amounts.get(asset) ?? 0n) + amount(one.amount))
  }
  return { count: maybe(count, whole) ?? list.length, amounts }
}

function readSettlement(value: unknown): ToldSettlement {
  const told = fieldsOf(value)
  return {
    destinationAmount: amount(told.destination_amount),
    platformFeeAmount: amount(told.platform_fee_amount),
    pendingAmount: maybe(told.pending_amount, amount) ?? 0n,
    decimals: whole(told.decimals),
    signatures: signaturesOf(told.signatures),
    legs: listOf(told.legs).map((leg) => ({
      role: text(leg.role),
      destination: address(leg.destination),
      asset: assetOf(leg.mint),
      decimals: whole(leg.decimals),
      amount: amount(leg.amount),
      feeBps: maybe(leg.fee_bps, whole),
      signature: signature(leg.signature),
    })),
  }
}
