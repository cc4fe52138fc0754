// The data of a payment that businesses and buyers read: the data of an event, or the body of a status.
import { makeAddress, makeAsset, makeSignature } from '#core/chain/base58.ts'
import { type Address, type Asset, type Signature, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'

// Reads amounts in whole units, by rules of the monitor's own.

const PLAIN = /^(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/

/** Returns the base units of a plain decimal without needless zeros; null for any other text. */
export function baseUnitsOf(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ''] = PLAIN.exec(text) ?? []
  return whole === undefined || fraction.length > decimals ? null : BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** Returns the base units of an amount in whole units: an exact decimal in an event, a number in a status. */
function baseUnitsOfFigure(figure: unknown, decimals: number): bigint | null {
  if (typeof figure === 'string') return baseUnitsOf(figure, decimals)
  if (typeof figure === 'bigint') return figure * 10n ** BigInt(decimals)
  return typeof figure === 'number' ? BigInt(Math.round(figure * 10 ** decimals)) : null
}

export type ReportedLeg = {
  readonly role: string
  readonly destination: Address
  readonly asset: Asset
  readonly ticker: string
  readonly decimals: number
  readonly amount: bigint
  /** The base units that the amount in whole units stands for; null where it is no amount. */
  readonly amountUi: bigint | null
  readonly feeBps: number | null
  readonly signature: Signature
}
export type ReportedSettlement = {
  readonly destinationAmount: bigint
  readonly destinationUi: bigint | null
  readonly platformFeeAmount: bigint
  readonly platformFeeUi: bigint | null
  /** Base units of the rent reserve, which follow; zero without a rent reserve. */
  readonly pendingAmount: bigint
  /** Base units less than the price; null where none is shown. */
  readonly shortfall: bigint | null
  readonly ticker: string
  readonly decimals: number
  readonly signatures: readonly Signature[]
  readonly legs: readonly ReportedLeg[]
}
/** The returned amount, or the amount under way, by the newest final transactions. */
export type ReportedRefund = {
  readonly asset: Asset
  readonly amount: bigint
  readonly signatures: readonly Signature[]
}
export type ReportedReturn = {
  readonly asset: Asset
  readonly status: string
  /** The amount that arrived; null where it is not shown. */
  readonly amount: bigint | null
  readonly refund: ReportedRefund | null
}
type ReportedLate = {
  readonly asset: Asset
  readonly amount: bigint
  readonly status: string
  readonly signature: Signature
  /** The number of payments of the entry: several where they are too small to return. */
  readonly count: number
  readonly refund: ReportedRefund | null
}
/** A list that may be shown in part, and the totals of the whole of it. */
type ReportedTotals = {
  readonly count: number
  readonly amounts: ReadonlyMap<Asset, bigint>
}
export type Reported = {
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
  /** null where none is shown. */
  readonly shortfall: bigint | null
  /** null where none is shown. */
  readonly paymentUri: string | null
  readonly refundSender: Address | null
  readonly feeBps: number | null
  readonly toleranceBps: number | null
  readonly reference: string | null
  readonly email: string | null
  /** In milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly settlement: ReportedSettlement | null
  readonly tokenRefunds: readonly ReportedReturn[]
  readonly latePayments: readonly ReportedLate[]
  readonly lateTotals: ReportedTotals
  readonly held: readonly { readonly asset: Asset; readonly amount: bigint; readonly reason: string }[]
  readonly heldTotals: ReportedTotals
  readonly refunds: readonly ReportedRefund[]
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
const timeOf = (value: unknown): number => {
  const time = new Date(text(value))
  if (time.toISOString() !== value) throw new TypeError(`not a time: ${String(value)}`)
  return time.getTime()
}
const whole = (value: unknown): number => Number(amount(value))
const maybe = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null || value === undefined ? null : read(value)
/** `null` is SOL; so is wrapped SOL where a mint is required. */
const assetOf = (mint: unknown): Asset => (mint === null || mint === WRAPPED_SOL_MINT ? SOL : makeAsset(text(mint)))
const address = (value: unknown): Address => makeAddress(text(value))
const signaturesOf = (value: unknown): readonly Signature[] => (Array.isArray(value) ? value.map(signature) : [])
const signature = (value: unknown): Signature => makeSignature(text(value))

/** Throws TypeError on anything that is not an intent as the interface describes it. */
export function readReported(data: unknown): Reported {
  const reported = fieldsOf(data)
  const tokenRefunds = listOf(reported.token_refunds)
  const latePayments = listOf(reported.late_payments)
  const held = listOf(reported.held)
  const decimals = maybe(reported.mint_decimals, whole)
  return {
    id: text(reported.id),
    index: whole(reported.derivation_index),
    address: address(reported.address),
    version: maybe(reported.version, whole) ?? 0,
    priceUsdCents: amount(reported.price_usd_cents),
    status: text(reported.status),
    action: text(reported.action),
    message: text(reported.message),
    asset: decimals === null ? null : assetOf(reported.mint),
    decimals,
    expected: maybe(reported.expected_lamports, amount),
    received: amount(reported.received_lamports),
    shortfall: maybe(reported.shortfall_lamports, amount),
    paymentUri: maybe(reported.payment_uri, text),
    refundSender: maybe(reported.refund_sender, address),
    feeBps: maybe(reported.marketplace_fee_bps, whole),
    toleranceBps: maybe(reported.underpayment_tolerance_bps, whole),
    reference: maybe(reported.reference, text),
    email: maybe(reported.customer_details, (details) => maybe(fieldsOf(details).email, text)),
    createdAt: timeOf(reported.created_at),
    expiresAt: timeOf(reported.expires_at),
    settlement: maybe(reported.settlement, readSettlement),
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
    lateTotals: totalsOf(latePayments, reported.late_payments_count, reported.late_payments_totals),
    held: held.map((one) => ({ asset: assetOf(one.mint), amount: amount(one.amount), reason: text(one.reason) })),
    heldTotals: totalsOf(held, reported.held_count, reported.held_totals),
    refunds: listOf(reported.refunds).map((one) => readRefund(one, one.mint)),
  }
}

/** The answer of `POST /sweep`. */
export type SweepAnswer = {
  readonly signature: Signature
  readonly swept: bigint
  readonly platformFee: bigint
  readonly from: Address
  readonly to: Address
}

/** Throws TypeError on anything that is not the answer of a sweep. */
export function readSweepAnswer(data: unknown): SweepAnswer {
  const answer = fieldsOf(data)
  return {
    signature: signature(answer.signature),
    swept: amount(answer.lamports_swept),
    platformFee: amount(answer.platform_fee_lamports),
    from: address(answer.from),
    to: address(answer.to),
  }
}

function readRefund(value: unknown, mint: unknown): ReportedRefund {
  const reported = fieldsOf(value)
  return { asset: assetOf(mint), amount: amount(reported.amount), signatures: signaturesOf(reported.signatures) }
}

/** The totals where a list is shown in part; otherwise the totals of the entries. */
function totalsOf(list: readonly Fields[], count: unknown, totals: unknown): ReportedTotals {
  const amounts = new Map<Asset, bigint>()
  for (const one of totals === undefined || totals === null ? list : listOf(totals)) {
    const asset = assetOf(one.mint)
    amounts.set(asset, (amounts.get(asset) ?? 0n) + amount(one.amount))
  }
  return { count: maybe(count, whole) ?? list.length, amounts }
}

function readSettlement(value: unknown): ReportedSettlement {
  const reported = fieldsOf(value)
  const decimals = whole(reported.decimals)
  return {
    destinationAmount: amount(reported.destination_amount),
    destinationUi: baseUnitsOfFigure(reported.destination_ui, decimals),
    platformFeeAmount: amount(reported.platform_fee_amount),
    platformFeeUi: baseUnitsOfFigure(reported.platform_fee_ui, decimals),
    pendingAmount: maybe(reported.pending_amount, amount) ?? 0n,
    shortfall: maybe(reported.shortfall_amount, amount),
    ticker: text(reported.asset),
    decimals,
    signatures: signaturesOf(reported.signatures),
    legs: listOf(reported.legs).map((leg) => ({
      role: text(leg.role),
      destination: address(leg.destination),
      asset: assetOf(leg.mint),
      ticker: text(leg.ticker),
      decimals: whole(leg.decimals),
      amount: amount(leg.amount),
      amountUi: baseUnitsOfFigure(leg.amount_ui, whole(leg.decimals)),
      feeBps: maybe(leg.fee_bps, whole),
      signature: signature(leg.signature),
    })),
  }
}
