// A payment intent: one price in US cents, to be paid at one deposit address within its window. Spec: "PaymentIntent", "Limits".
// Its fields are declared here once. The type, the JSON of events, the columns of the database and the payload of
// webhooks derive from them.

import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import {
  addressCodec,
  assetCodec,
  basisPointsCodec,
  networkCodec,
  signatureCodec,
  slotCodec,
  unitsCodec,
  usdCentsCodec,
} from '#core/chain/codecs.ts'
import type { Address } from '#core/chain/types.ts'
import {
  type Codec,
  type Decoded,
  type Encoded,
  integer,
  listOf,
  nullable,
  plain,
  record,
  text,
  texts,
  time,
  uuid,
} from '#core/codec.ts'
import { fieldsOf, oneOf, readOptional } from '#core/json.ts'
import { metadataCodec } from '#core/metadata.ts'
import { type BaseUnits, type BasisPoints, makeBaseUnits, mulBpsFloor, subtract, ZERO } from '#core/money/amounts.ts'
import {
  assetRefundCodec,
  customerDetailsCodec,
  heldMoneyCodec,
  latePaymentCodec,
  listTotalsCodec,
  orderDetailsCodec,
  refundAddressCodec,
  SHOWN_WHOLE,
  selectionCodec,
  settlementCodec,
  tokenRefundCodec,
} from './intent-values.ts'
import { OBSTACLES, type Obstacle } from './obstacle.ts'

export const INTENT_STATUSES = [
  'pending',
  'underpaid',
  'paid',
  'overpaid',
  'settling',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'settle_failed',
  'refund_failed',
] as const
export type IntentStatus = (typeof INTENT_STATUSES)[number]

/** The fixed window in which an intent can be paid. Spec: "Limits". */
export const CHECKOUT_WINDOW_SECONDS = 600

/** When a field is written: at the creation only, by changes only, or by both. */
export type Written = 'once' | 'later' | 'both'

/**
 * How webhooks and REST show a field: always, or unless it is null or an empty list, under its name in snake_case; by a
 * rule of `payload.ts`; or not at all.
 */
type Shown = 'always' | 'unless empty' | 'by rule' | 'never'

type Field = Codec<unknown, unknown> & { readonly written: Written; readonly shown: Shown }

export const INTENT_FIELDS = {
  id: { ...uuid, written: 'once', shown: 'always' },
  network: { ...networkCodec, written: 'once', shown: 'never' },
  /** The account that receives the money: the business, or the seller of a marketplace. */
  accountId: { ...uuid, written: 'once', shown: 'never' },
  /** The account whose key created the payment: the business, or the marketplace. */
  callerAccountId: { ...uuid, written: 'once', shown: 'never' },
  derivationIndex: { ...integer, written: 'once', shown: 'always' },
  address: { ...addressCodec, written: 'once', shown: 'always' },
  priceUsdCents: { ...usdCentsCodec, written: 'once', shown: 'by rule' },
  acceptedAssets: { ...texts(assetCodec.read), written: 'once', shown: 'never' },
  /** null until the buyer, or an early payment, chose. */
  selection: { ...nullable(selectionCodec), written: 'later', shown: 'by rule' },
  /** Base units of the selected asset received so far. */
  received: { ...unitsCodec, written: 'later', shown: 'by rule' },
  status: { ...plain('text', oneOf(INTENT_STATUSES)), written: 'later', shown: 'by rule' },
  /** Why the payment cannot continue, for people; null while it can. `message` shows it. */
  statusReason: { ...nullable(text), written: 'later', shown: 'never' },
  reference: { ...nullable(text), written: 'once', shown: 'always' },
  refundSender: { ...nullable(addressCodec), written: 'later', shown: 'always' },
  marketplaceFeeBps: { ...nullable(basisPointsCodec), written: 'once', shown: 'unless empty' },
  /** How much less than the price counts as paid; null for nothing less. It does not change with the setting of the business. */
  underpaymentToleranceBps: { ...nullable(basisPointsCodec), written: 'once', shown: 'unless empty' },
  /** The name of the payee for buyers, as it was at the creation. `message` shows it. */
  payeeLabel: { ...text, written: 'once', shown: 'never' },
  customerDetails: { ...nullable(customerDetailsCodec), written: 'both', shown: 'by rule' },
  /** null when the business gives none. */
  orderDetails: { ...nullable(orderDetailsCodec), written: 'once', shown: 'by rule' },
  /** Data of the business, which the buyer does not see. null when it gives none. */
  metadata: { ...nullable(metadataCodec), written: 'once', shown: 'unless empty' },
  settlement: { ...nullable(settlementCodec), written: 'later', shown: 'by rule' },
  /** What was paid for the price and goes back, by asset. */
  refunds: { ...listOf(assetRefundCodec), written: 'later', shown: 'unless empty' },
  /** This list and the next two have the newest entries only, oldest first; `listTotals` has the rest. */
  tokenRefunds: { ...listOf(tokenRefundCodec), written: 'later', shown: 'unless empty' },
  latePayments: { ...listOf(latePaymentCodec), written: 'later', shown: 'unless empty' },
  held: { ...listOf(heldMoneyCodec), written: 'later', shown: 'unless empty' },
  listTotals: { ...listTotalsCodec, written: 'later', shown: 'by rule' },
  /** null while nothing was held that could go to an address of the buyer. */
  refundAddress: { ...nullable(refundAddressCodec), written: 'later', shown: 'by rule' },
  expiresAt: { ...time, written: 'once', shown: 'always' },
  createdAt: { ...time, written: 'once', shown: 'always' },
  updatedAt: { ...time, written: 'both', shown: 'always' },
  /** Grows with every change. */
  version: { ...integer, written: 'later', shown: 'always' },
} satisfies Readonly<Record<string, Field>>

export type IntentField = keyof typeof INTENT_FIELDS
export type PaymentIntent = Decoded<typeof INTENT_FIELDS>
/** A PaymentIntent with amounts as decimal digits and dates as ISO 8601. */
export type IntentJson = Encoded<typeof INTENT_FIELDS>

/** The most that a business can tolerate, in basis points of the price. */
export const MAX_UNDERPAYMENT_TOLERANCE_BPS = 500

/** Returns the least amount that counts as paid, in base units. What is tolerated is rounded down. docs/contract.md, "Tolerance". */
export const leastPaid = (expected: BaseUnits, tolerance: BasisPoints | null): BaseUnits =>
  tolerance === null ? expected : subtract(expected, mulBpsFloor(expected, tolerance))

/** Returns the least expected amount of which at least so much counts as paid. */
export const leastExpected = (least: BaseUnits, tolerance: BasisPoints | null): BaseUnits =>
  tolerance === null || least === 0n
    ? least
    : makeBaseUnits(((least - 1n) * ALL_BPS) / (ALL_BPS - BigInt(tolerance)) + 1n)

/** The whole, in basis points. */
const ALL_BPS = 10_000n

/** Returns whether a payment counts as paid, in whole or by what its business tolerates. */
export const coversPrice = ({
  selection,
  received,
  underpaymentToleranceBps,
}: Pick<PaymentIntent, 'selection' | 'received' | 'underpaymentToleranceBps'>): boolean =>
  selection !== null && received >= leastPaid(selection.expected, underpaymentToleranceBps)

/** Returns whether a marketplace takes the payment for one of its sellers. */
export const isForSeller = ({
  accountId,
  callerAccountId,
}: Pick<PaymentIntent, 'accountId' | 'callerAccountId'>): boolean => accountId !== callerAccountId

/** One sender of a deposit: a signer whose balance of the asset fell in its transaction. */
export type Sender = {
  readonly address: Address
  readonly amount: BaseUnits
  /** Set when nothing is returned there automatically. */
  readonly obstacle?: Obstacle
}

const senderCodec: Codec<Sender, object> = {
  storage: 'json',
  read(value, path) {
    const field = fieldsOf(value, path)
    const obstacle = field('obstacle', readOptional(oneOf(OBSTACLES)))
    return {
      address: field('address', addressCodec.read),
      amount: field('amount', unitsCodec.read),
      ...(obstacle !== undefined && { obstacle }),
    }
  },
  write: ({ amount, ...sender }) => ({ ...sender, amount: unitsCodec.write(amount) }),
}

const DEPOSIT_USES = ['applied', 'wrong_asset', 'late', 'unaccepted'] as const

export const DEPOSIT_FIELDS = {
  network: networkCodec,
  intentId: uuid,
  account: addressCodec,
  asset: assetCodec,
  amount: unitsCodec,
  signature: signatureCodec,
  slot: slotCodec,
  blockTime: nullable(time),
  senders: listOf(senderCodec),
  use: plain('text', oneOf(DEPOSIT_USES)),
  seenAt: time,
  /** The version of the intent that first had it. A transfer takes only what was known when it was planned. */
  seenVersion: integer,
} as const

/** Money that arrived at a deposit address, by one final transaction, in one asset. */
export type Deposit = Decoded<typeof DEPOSIT_FIELDS>

/** The reason of an intent whose window ended unpaid: a late selection is refused as expired, not as cancelled. */
export const WINDOW_ENDED = 'The checkout window ended before a payment arrived.'

export const isExpired = (intent: Pick<PaymentIntent, 'expiresAt'>, now: Date): boolean => now >= intent.expiresAt

/** Returns the seconds until the checkout window ends, rounded up; 0 after its end. */
export const secondsLeft = ({ expiresAt }: Pick<PaymentIntent, 'expiresAt'>, now: Date): number =>
  Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000))

const codec = record(INTENT_FIELDS)

export const intentToJson = (intent: PaymentIntent): IntentJson => codec.write(intent)

/** Reads parsed JSON. Throws RangeError with the place of a field that `intentToJson` did not write. */
export const intentFromJson = (json: unknown): PaymentIntent => codec.read(json, 'intent')

/** Reads the values of columns by the names of their fields. Throws RangeError with the place of a wrong value. */
export const intentFromColumns = (columns: unknown): PaymentIntent => codec.read(columns, 'payment_intents')

export const FIELD_NAMES: readonly IntentField[] = Object.keys(INTENT_FIELDS).filter(
  (name): name is IntentField => name in INTENT_FIELDS,
)

export const isWritten = (name: IntentField, ...times: readonly Written[]): boolean =>
  times.includes(INTENT_FIELDS[name].written)

// A payment at the moment of its creation.

type WrittenLater = {
  [Name in IntentField]: (typeof INTENT_FIELDS)[Name]['written'] extends 'later' ? Name : never
}[IntentField]

/** The fields that only changes write. The database has the same defaults. */
const AT_CREATION: Pick<PaymentIntent, WrittenLater> = {
  selection: null,
  received: ZERO,
  status: 'pending',
  statusReason: null,
  refundSender: null,
  settlement: null,
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  refundAddress: null,
  version: 1,
}

/** What the creation decides. The caller is the tenant. */
export type NewIntent = Omit<PaymentIntent, WrittenLater | 'network' | 'callerAccountId' | 'updatedAt'> & {
  readonly clientSecretHash: Uint8Array
  /** Recorded in the audit trail, when the payment is for a seller. Null records nothing. */
  readonly createdBy: Actor | null
}

/** Returns the payment, without the hash of its client secret and without its creator. */
export function createdIntent({ network, accountId }: Tenant, draft: NewIntent): PaymentIntent {
  const { clientSecretHash: _, createdBy: _by, ...given } = draft
  return { ...AT_CREATION, ...given, network, callerAccountId: accountId, updatedAt: given.createdAt }
}
