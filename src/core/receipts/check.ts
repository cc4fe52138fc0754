// What a receipt says, and the sums that hold in it. docs/contract.md, "Receipts". The service signs no receipt that breaks one. The
// command `solana-payments verify` has a copy of this file, so it imports nothing.

type Party = { readonly id: string; readonly name: string }

/** Money that a final transaction moved from the address of the receipt. */
export type Movement = {
  readonly role: string
  /** A wallet, or the mint itself for a fee that it kept. */
  readonly destination: string
  /** null for SOL. */
  readonly mint: string | null
  readonly amount: string
  readonly fee_bps: number | null
  readonly signature: string
}

/** Money that arrived at the address, by one final transaction. */
export type Arrival = {
  /** `applied` to the price, `late`, `wrong_asset`, or `unaccepted`: in another token account than the associated one. */
  readonly use: string
  /** The address itself, or its token account. */
  readonly account: string
  readonly mint: string | null
  readonly amount: string
  /** The signers of the transaction whose balance fell. */
  readonly senders: readonly string[]
  readonly signature: string
  readonly slot: string
  /** The time of its block; null where that is not known. */
  readonly arrived_at: string | null
}

/** Entries that are not listed one by one, because there are too many of them. */
export type Others = { readonly mint: string | null; readonly amount: string; readonly count: number }

/** `received` is the sum of the other three. */
type Total = {
  readonly mint: string | null
  readonly received: string
  readonly settled: string
  readonly returned: string
  /** What is still at the address. */
  readonly remaining: string
}

type Order = {
  /** A plain decimal. */
  readonly price_usd: string
  readonly created_at: string
}

type PaymentOrder = Order & { readonly reference: string | null }

type ChargeOrder = Order & {
  readonly subscription_id: string
  readonly period_index: number
  readonly period_start: string
  readonly period_end: string | null
}

/** How the price became an amount. */
type Quote = {
  readonly mint: string | null
  readonly decimals: number
  readonly amount: string
  /** Dollars for a whole unit: the median of the sources. null where it is not kept. */
  readonly usd: string | null
  readonly sources: readonly { readonly name: string; readonly usd: string; readonly at: string }[]
}

type Common = {
  readonly iss: string
  readonly id: string
  /** The last change that the receipt knows of. */
  readonly as_of: string
  readonly network: string
  readonly genesis_hash: string
  readonly business: Party
  readonly seller: Party | null
  readonly quote: Quote
  /** The deposit address of a payment, or the wallet of a subscriber. */
  readonly address: string
  readonly settlement: {
    readonly destination_amount: string
    readonly marketplace_fee: string
    readonly platform_fee: string
    readonly network_fee: string
    readonly legs: readonly Movement[]
  }
  readonly totals: readonly Total[]
}

export type PaymentReceipt = Common & {
  readonly kind: 'payment'
  readonly order: PaymentOrder
  readonly deposits: readonly Arrival[]
  readonly other_deposits: readonly Others[]
  readonly returned: readonly Movement[]
  readonly other_returned: readonly Others[]
}

export type ChargeReceipt = Common & { readonly kind: 'charge'; readonly order: ChargeOrder }

/** Amounts are base units in decimal digits, and times ISO 8601. */
export type Receipt = PaymentReceipt | ChargeReceipt

/** Returns the rules that a receipt breaks, as sentences; none when it adds up. Throws when it has not the shape of a receipt. */
export function checkReceipt(receipt: Receipt): readonly string[] {
  return [...brokenTotals(receipt), ...brokenSettlement(receipt), ...brokenQuote(receipt)]
}

type Amount = { readonly mint: string | null; readonly amount: string }

/** Returns whether the leg gives an excess back. It is no part of what settles. */
const isReturn = ({ role }: Movement): boolean => role === 'refund'

function brokenTotals(receipt: Receipt): readonly string[] {
  const { totals, settlement, quote } = receipt
  const { legs } = settlement
  const arrived =
    receipt.kind === 'payment' ? [...receipt.deposits, ...receipt.other_deposits] : [{ ...quote, count: 1 }]
  const back = receipt.kind === 'payment' ? [...receipt.returned, ...receipt.other_returned] : []
  const columns = {
    received: arrived,
    settled: legs.filter((leg) => !isReturn(leg)),
    returned: [...legs.filter(isReturn), ...back],
  } satisfies Record<string, readonly Amount[]>
  const named = new Set(totals.map(({ mint }) => mint))
  const moved = Object.values(columns).flat()
  return [
    ...(named.size < totals.length ? ['An asset has two totals.'] : []),
    ...(moved.some(({ mint }) => !named.has(mint)) ? ['An asset has no total.'] : []),
    ...totals.flatMap((total) => {
      const sums = {
        received: sumOf(columns.received, total.mint),
        settled: sumOf(columns.settled, total.mint),
        returned: sumOf(columns.returned, total.mint),
      }
      const asset = total.mint ?? 'SOL'
      const remaining = unitsOf(total.remaining)
      return [
        ...(['received', 'settled', 'returned'] as const)
          .filter((name) => unitsOf(total[name]) !== sums[name])
          .map((name) => `The entries of ${asset} add up to ${sums[name]} ${name}, and the total says ${total[name]}.`),
        ...(sums.received === sums.settled + sums.returned + remaining
          ? []
          : [`What was received in ${asset} is not what settled, went back and remains.`]),
      ]
    }),
  ]
}

function brokenSettlement({ settlement, quote }: Receipt): readonly string[] {
  const { legs } = settlement
  const parts = [
    ['destination_amount', ['merchant', 'seller']],
    ['marketplace_fee', ['marketplace']],
    ['platform_fee', ['platform']],
    ['network_fee', ['network_fee']],
  ] as const
  return [
    ...parts.flatMap(([name, roles]) => {
      const sum = sumOf(legs.filter(({ role }) => roles.some((one) => one === role)))
      const said = settlement[name]
      return unitsOf(said) === sum ? [] : [`The legs add up to ${sum} of ${name}, and the settlement says ${said}.`]
    }),
    ...(legs.some(({ mint }) => mint !== quote.mint) ? ['A leg is in another asset than the quote.'] : []),
  ]
}

function brokenQuote({ quote, order }: Receipt): readonly string[] {
  const { usd, sources, decimals } = quote
  if (usd === null) return sources.length === 0 ? [] : ['The quote has sources and no rate.']
  const figures = [order.price_usd, usd, ...sources.map((one) => one.usd)]
  const places = Math.max(...figures.map((text) => (text.split('.')[1] ?? '').length))
  const rate = decimalOf(usd, places)
  const sorted = sources.map((one) => decimalOf(one.usd, places)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)] ?? rate) + (sorted[Math.floor(sorted.length / 2)] ?? rate)
  const due = (decimalOf(order.price_usd, places) * 10n ** BigInt(decimals) + rate - 1n) / rate
  return [
    ...(middle === rate * 2n ? [] : ['The rate is not the median of its sources.']),
    ...(unitsOf(quote.amount) === due ? [] : [`At the rate the price is ${due}, and the quote says ${quote.amount}.`]),
  ]
}

function sumOf(amounts: readonly Amount[], mint?: string | null): bigint {
  const own = mint === undefined ? amounts : amounts.filter((one) => one.mint === mint)
  return own.reduce((sum, { amount }) => sum + unitsOf(amount), 0n)
}

function unitsOf(text: string): bigint {
  if (!/^(?:0|[1-9]\d*)$/.test(text)) throw new RangeError(`not an amount: ${text}`)
  return BigInt(text)
}

/** Returns a plain decimal above 0 in units of 10^-places. */
function decimalOf(text: string, places: number): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`not a decimal: ${text}`)
  const value = BigInt(whole + fraction.padEnd(places, '0'))
  if (value === 0n) throw new RangeError('a rate is above 0')
  return value
}
