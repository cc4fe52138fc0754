// The sums that hold in a receipt. docs/contract.md, "Receipts". The service signs no receipt that breaks one. The command
// `solana-payments verify` has a copy of this file, so it imports the shape alone.
import {
  type ChargeReceipt,
  MOST_LISTED,
  type Movement,
  type Others,
  type PaymentReceipt,
  type Receipt,
  type RefundReceipt,
} from './shape.ts'

type SettledReceipt = PaymentReceipt | ChargeReceipt

/** Returns the rules that a receipt breaks, as sentences; none when it adds up. Throws RangeError for a rate of 0. */
export function checkReceipt(receipt: Receipt): readonly string[] {
  if (receipt.kind === 'refund') return brokenRefund(receipt)
  const { legs } = receipt.settlement
  const sums = [...brokenTotals(receipt), ...brokenSettlement(receipt), ...brokenQuote(receipt)]
  if (receipt.kind === 'charge') return [...brokenFees(legs), ...sums]
  const { deposits, other_deposits, returned, other_returned } = receipt
  return [
    ...brokenList(deposits, other_deposits),
    ...brokenNames(deposits.map(({ signature, account, mint }) => `${signature} ${account} ${mint}`)),
    ...brokenList(returned, other_returned),
    ...brokenFees([...legs, ...returned]),
    ...sums,
  ]
}

/** A mint is no wallet: whatever else goes there has reached no one. */
const brokenFees = (movements: readonly Movement[]): readonly string[] =>
  movements.some(({ role, destination, mint }) => destination === mint && role !== 'network_fee')
    ? ['A mint keeps more than a fee.']
    : []

type Amount = { readonly mint: string | null; readonly amount: string }

/** Returns whether the leg gives an excess back. It is no part of what settles. */
const isReturn = ({ role }: Movement): boolean => role === 'refund'

/**
 * The largest entries of an asset are listed, so no money hides among the others. Deposits that are applied are listed before all else,
 * and say nothing of the others.
 */
function brokenList(
  listed: readonly (Amount & { readonly use?: string })[],
  others: readonly Others[],
): readonly string[] {
  const leastOf = (mint: string | null): bigint =>
    listed.reduce(
      (least, one) =>
        one.mint === mint && one.use !== 'applied' && BigInt(one.amount) < least ? BigInt(one.amount) : least,
      MOST,
    )
  return [
    ...(others.length > 0 && listed.length < MOST_LISTED ? ['Entries are left out that could be listed.'] : []),
    ...(others.some(({ mint, amount, count }) => BigInt(amount) > BigInt(count) * leastOf(mint))
      ? ['Entries are left out that are larger than one that is listed.']
      : []),
    ...(new Set(others.map(({ mint }) => mint)).size < others.length
      ? ['The others of an asset are named twice.']
      : []),
  ]
}

const MOST = 10n ** 30n

const brokenNames = (names: readonly string[]): readonly string[] =>
  new Set(names).size < names.length ? ['An entry is listed twice.'] : []

function brokenRefund(receipt: RefundReceipt): readonly string[] {
  const { order, mint, amount, paid_amount, transactions, other_transactions } = receipt
  const listed = transactions.map((one) => ({ mint, amount: one.amount }))
  const shown = sumOf(listed)
  const sum = shown + sumOf(other_transactions)
  return [
    ...brokenList(listed, other_transactions),
    ...brokenNames(transactions.map(({ signature }) => signature)),
    ...((order.payment_id === null) === (order.charge_id === null) ? ['It is of a payment or of a charge.'] : []),
    ...(other_transactions.some((one) => one.mint !== mint) ? ['A transaction is in another asset.'] : []),
    ...(sum === BigInt(paid_amount) ? [] : [`The transactions add up to ${sum}, and ${paid_amount} was paid.`]),
    // What is not listed cannot be looked up, so it pays nothing.
    ...(shown >= BigInt(amount) ? [] : [`${shown} is listed as paid, which is less than ${amount}.`]),
  ]
}

function brokenTotals(receipt: SettledReceipt): readonly string[] {
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
      const remaining = BigInt(total.remaining)
      return [
        ...(['received', 'settled', 'returned'] as const)
          .filter((name) => BigInt(total[name]) !== sums[name])
          .map((name) => `The entries of ${asset} add up to ${sums[name]} ${name}, and the total says ${total[name]}.`),
        ...(sums.received === sums.settled + sums.returned + remaining
          ? []
          : [`What was received in ${asset} is not what settled, went back and remains.`]),
      ]
    }),
  ]
}

function brokenSettlement({ settlement, quote }: SettledReceipt): readonly string[] {
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
      return BigInt(said) === sum ? [] : [`The legs add up to ${sum} of ${name}, and the settlement says ${said}.`]
    }),
    ...(legs.some(({ mint }) => mint !== quote.mint) ? ['A leg is in another asset than the quote.'] : []),
  ]
}

function brokenQuote({ quote, order }: SettledReceipt): readonly string[] {
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
    ...(BigInt(quote.amount) === due ? [] : [`At the rate the price is ${due}, and the quote says ${quote.amount}.`]),
  ]
}

function sumOf(amounts: readonly Amount[], mint?: string | null): bigint {
  const own = mint === undefined ? amounts : amounts.filter((one) => one.mint === mint)
  return own.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** Returns a plain decimal above 0 in units of 10^-places. */
function decimalOf(text: string, places: number): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`not a decimal: ${text}`)
  const value = BigInt(whole + fraction.padEnd(places, '0'))
  if (value === 0n) throw new RangeError('a rate is above 0')
  return value
}
