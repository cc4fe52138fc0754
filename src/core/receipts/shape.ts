// What a receipt has. docs/contract.md, "Receipts". The command `solana-payments verify` has a copy of this file, so it imports nothing.

type Read<T> = (value: unknown, path: string) => T
type Of<R> = R extends Read<infer T> ? T : never

/** The entries that a receipt lists one by one. */
export const MOST_LISTED = 100
/** The entries of an asset that a receipt counts and does not list. */
const MOST_COUNTED = 10_000
/** More legs than any settlement has. */
const MOST_LEGS = 1_000
const MOST_CHARACTERS = 1_000

const text: Read<string> = (value, path) =>
  typeof value === 'string' && value.length <= MOST_CHARACTERS ? value : fail(path, 'a text')

const matching =
  (pattern: RegExp, what: string): Read<string> =>
  (value, path) =>
    typeof value === 'string' && pattern.test(value) ? value : fail(path, what)

/** Base units. Sums have more digits than any amount of a token. */
const units = matching(/^(?:0|[1-9]\d{0,29})$/, 'an amount in decimal digits')
const decimal = matching(/^\d{1,40}(?:\.\d{1,40})?$/, 'a plain decimal')
const address = matching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'an address')
const transaction = matching(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, 'a signature of a transaction')
const slot = matching(/^(?:0|[1-9]\d{0,19})$/, 'a slot')

const time: Read<string> = (value, path) => {
  const at = typeof value === 'string' ? new Date(value) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString() === value ? value : fail(path, 'a time')
}

const integer =
  (least: number, most: number): Read<number> =>
  (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? value
      : fail(path, `an integer from ${least} to ${most}`)

const oneOf =
  <const T extends string>(...values: readonly T[]): Read<T> =>
  (value, path) =>
    values.find((one) => one === value) ?? fail(path, `one of ${values.join(', ')}`)

const among = (...values: readonly string[]): Read<string> => oneOf(...values)

const nullable =
  <T>(read: Read<T>): Read<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

const listOf =
  <T>(read: Read<T>, most: number): Read<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length <= most
      ? value.map((one, at) => read(one, `${path}.${at}`))
      : fail(path, `a list of at most ${most}`)

type Fields = Readonly<Record<string, Read<unknown>>>

/** Reads an object with these fields. Others are left out: a newer service may have added them. */
function object<const F extends Fields>(fields: F): Read<{ readonly [Name in keyof F]: Of<F[Name]> }>
function object(fields: Fields): Read<object> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(path, 'an object')
    const given = new Map(Object.entries(value))
    return Object.fromEntries(
      Object.entries(fields).map(([name, read]) => [
        name,
        read(given.get(name), path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
}

function fail(path: string, what: string): never {
  throw new RangeError(`${path || 'the receipt'} is not ${what}`)
}

/** null for SOL. */
const mint = nullable(address)

const movementAs = (...roles: readonly string[]) =>
  object({
    role: among(...roles),
    /** A wallet, or the mint itself for a fee that it kept. */
    destination: address,
    mint,
    amount: units,
    fee_bps: nullable(integer(0, 10_000)),
    signature: transaction,
  })

/** Money that a final transaction moved from the address of the receipt, by the settlement. */
const settled = movementAs('seller', 'merchant', 'marketplace', 'platform', 'network_fee', 'refund')
/** The same, by a return or a release of its own. */
const returned = movementAs('refund', 'release', 'buyer', 'network_fee')

/** Money that arrived at the address, by one final transaction. */
const arrival = object({
  /** `applied` to the price, `late`, `wrong_asset`, or `unaccepted`: in another token account than the associated one. */
  use: among('applied', 'wrong_asset', 'late', 'unaccepted'),
  /** The address itself, or its token account. */
  account: address,
  mint,
  amount: units,
  /** The signers of the transaction whose balance fell. */
  senders: listOf(address, MOST_LISTED),
  signature: transaction,
  slot,
  /** The time of its block; null where that is not known. */
  arrived_at: nullable(time),
})

/** Entries that are not listed one by one, because there are too many of them. */
const others = object({ mint, amount: units, count: integer(1, MOST_COUNTED) })

/** `received` is the sum of the other three. */
const total = object({
  mint,
  received: units,
  settled: units,
  returned: units,
  /** What is still at the address. */
  remaining: units,
})

/** How the price became an amount. */
const quote = object({
  mint,
  decimals: integer(0, 30),
  amount: units,
  /** Dollars for a whole unit: the median of the sources. null where it is not kept. */
  usd: nullable(decimal),
  sources: listOf(object({ name: text, usd: decimal, at: time }), MOST_LISTED),
})

/** `name` is null where none is kept of that time. */
const party = object({ id: text, name: nullable(text) })

const head = {
  iss: text,
  business: party,
  seller: nullable(party),
  id: text,
  /** The last change that the receipt knows of. */
  as_of: time,
  network: among('live', 'test'),
  genesis_hash: text,
} as const

const payment = object({
  ...head,
  kind: oneOf('payment'),
  /** `price_usd` is a plain decimal. */
  order: object({ price_usd: decimal, reference: nullable(text), created_at: time }),
  quote,
  /** The deposit address. */
  address,
  deposits: listOf(arrival, MOST_LISTED),
  other_deposits: listOf(others, MOST_LEGS),
  settlement: object({
    destination_amount: units,
    marketplace_fee: units,
    platform_fee: units,
    network_fee: units,
    legs: listOf(settled, MOST_LEGS),
  }),
  returned: listOf(returned, MOST_LISTED),
  other_returned: listOf(others, MOST_LEGS),
  totals: listOf(total, MOST_LEGS),
})

const charge = object({
  ...head,
  kind: oneOf('charge'),
  order: object({
    price_usd: decimal,
    created_at: time,
    subscription_id: text,
    period_index: integer(0, Number.MAX_SAFE_INTEGER),
    period_start: time,
    period_end: nullable(time),
  }),
  quote,
  /** The wallet of the subscriber. */
  address,
  settlement: object({
    destination_amount: units,
    marketplace_fee: units,
    platform_fee: units,
    network_fee: units,
    legs: listOf(settled, MOST_LEGS),
  }),
  totals: listOf(total, MOST_LEGS),
})

/** A refund that the business has paid from its own wallet. */
const refund = object({
  ...head,
  kind: oneOf('refund'),
  /** It gives money back of a payment or of a charge: one of the two. */
  order: object({
    payment_id: nullable(text),
    charge_id: nullable(text),
    /** Whose wallet pays, and the refund whose other part it is. */
    part: among('payee', 'marketplace'),
    part_of: nullable(text),
    reference: nullable(text),
    created_at: time,
  }),
  mint,
  decimals: integer(0, 30),
  /** What was to be paid, and what was. */
  amount: units,
  paid_amount: units,
  /** The wallet that got it. */
  recipient: address,
  /** The key that each transaction names. */
  reference_key: address,
  /** A transaction that pays several refunds is listed with its part for this one. */
  transactions: listOf(
    object({
      amount: units,
      /** The wallet that paid; null where no balance shows it. */
      paid_by: nullable(address),
      signature: transaction,
      slot,
    }),
    MOST_LISTED,
  ),
  other_transactions: listOf(others, 1),
})

export type Movement = Of<typeof settled>
export type Arrival = Of<typeof arrival>
export type Others = Of<typeof others>
export type PaymentReceipt = Of<typeof payment>
export type ChargeReceipt = Of<typeof charge>
export type RefundReceipt = Of<typeof refund>

/** Amounts are base units in decimal digits, and times ISO 8601. */
export type Receipt = PaymentReceipt | ChargeReceipt | RefundReceipt

const kind = object({ kind: oneOf('payment', 'charge', 'refund') })

/** Reads a receipt. Throws RangeError with the place of what it cannot read. */
export function readReceipt(value: unknown): Receipt {
  switch (kind(value, '').kind) {
    case 'payment':
      return payment(value, '')
    case 'charge':
      return charge(value, '')
    case 'refund':
      return refund(value, '')
  }
}
