// The parts of a payment, each with its type and its codec.
import { addressCodec, assetCodec, signatureCodec, unitsCodec } from '#core/chain/codecs.ts'
import { flag, integer, listOf, nullable, plain, record, text, time, type ValueOf } from '#core/codec.ts'
import { checked, isRecord, oneOf } from '#core/json.ts'
import { LEG_ROLES } from '#core/payments/transfers.ts'

const signatures = listOf(signatureCodec)

/** null for SOL. */
const mint = nullable(text)

export type PostalAddress = {
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly state?: string
  readonly postal_code?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
}

export type CustomerDetails = {
  readonly first_name?: string
  readonly last_name?: string
  readonly email?: string
  readonly address?: PostalAddress
}

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string'

const isCustomerDetails = (value: unknown): value is CustomerDetails =>
  isRecord(value) &&
  ['first_name', 'last_name', 'email'].every((name) => isOptionalText(value[name])) &&
  (value.address === undefined || (isRecord(value.address) && Object.values(value.address).every(isOptionalText)))

export const customerDetailsCodec = plain('json', checked(isCustomerDetails))

/** A line of an order as the business describes it. Lines need not add up: the price alone is charged. */
const lineItemCodec = record({
  name: text,
  quantity: integer,
  /** The amount of the whole line. */
  amountUsdCents: integer,
})
export type LineItem = ValueOf<typeof lineItemCodec>

/** The least and the most of each number of a line: what an Int of GraphQL holds. */
export const LINE_QUANTITY = { min: 1, max: 2 ** 31 - 1 } as const
export const LINE_CENTS = { min: 0, max: 2 ** 31 - 1 } as const
export const MAX_LINE_ITEMS = 100
/** Characters. Every event and each entry of a list has the lines, so they are bounded together. */
export const MAX_LINE_NAME = 200

/** What a business says to the buyer of a payment: what it is for, and where the buyer goes after it. */
export const orderDetailsCodec = record({
  description: nullable(text),
  lineItems: listOf(lineItemCodec),
  successUrl: nullable(text),
  cancelUrl: nullable(text),
})
export type OrderDetails = ValueOf<typeof orderDetailsCodec>

/** Dollars for a whole unit of an asset, as plain decimals: the median of what the sources gave, with the time of each. */
const rateCodec = record({ usd: text, sources: listOf(record({ name: text, usd: text, at: time })) })

/** The buyer's choice of asset and the amount that it locked. `rate`: null where none is stored. */
export const selectionCodec = record({
  asset: assetCodec,
  decimals: integer,
  expected: unitsCodec,
  rate: nullable(rateCodec),
})
export type Selection = ValueOf<typeof selectionCodec>

const legCodec = record({
  role: plain('text', oneOf(LEG_ROLES)),
  destination: addressCodec,
  /** null for SOL. */
  mint: nullable(addressCodec),
  /** The ticker. */
  asset: text,
  decimals: integer,
  /** Base units that arrived there. */
  amount: unitsCodec,
  feeBps: nullable(integer),
  signature: signatureCodec,
})
export type SettlementLeg = ValueOf<typeof legCodec>

/** What the transactions moved where, in base units; the legs add up to what was received. Spec: "Settlement object". */
export const settlementCodec = record({
  /** The ticker. */
  asset: text,
  decimals: integer,
  destinationAmount: unitsCodec,
  platformFeeAmount: unitsCodec,
  /** Base units for the business that remain at the address and follow later; zero when the figures are complete. */
  pendingAmount: unitsCodec,
  signatures,
  legs: listOf(legCodec),
})
export type Settlement = ValueOf<typeof settlementCodec>

const refundFields = {
  /** Base units: what arrived where a transfer is final, and what was planned where it is under way. */
  amount: unitsCodec,
  /** The newest transactions that are final, oldest first; empty until there is one. */
  signatures,
}

/** Money on its way back to its senders, or returned. */
export const refundCodec = record(refundFields)
export type Refund = ValueOf<typeof refundCodec>

/** null while none is planned. */
const plannedRefund = nullable(refundCodec)

/** The refund of what was paid for the price in one asset, in time or late. */
export const assetRefundCodec = record({ mint, ...refundFields })
export type AssetRefund = ValueOf<typeof assetRefundCodec>

export const TOKEN_REFUND_STATUSES = ['pending', 'settling', 'refunded', 'failed'] as const

/** The refund of an asset that was sent by mistake. */
export const tokenRefundCodec = record({
  mint: text,
  status: plain('text', oneOf(TOKEN_REFUND_STATUSES)),
  /** Base units of the mint that arrived, in all payments together. */
  amount: unitsCodec,
  refund: plannedRefund,
})
export type TokenRefund = ValueOf<typeof tokenRefundCodec>

export const LATE_PAYMENT_STATUSES = ['held', 'pending', 'settling', 'refunded', 'failed'] as const

/** One late payment, or all payments of an asset and a status that are too small to return. */
export const latePaymentCodec = record({
  mint,
  amount: unitsCodec,
  status: plain('text', oneOf(LATE_PAYMENT_STATUSES)),
  /** The transaction of the payment, the newest of several. */
  signature: signatureCodec,
  /** The number of payments in this entry. */
  count: integer,
  refund: plannedRefund,
})
export type LatePayment = ValueOf<typeof latePaymentCodec>

/** Money that stays at the address until the operator decides: its owner is not known, or it cannot go back. */
export const heldMoneyCodec = record({
  mint,
  /** Base units. */
  amount: unitsCodec,
  /** For people. */
  reason: text,
})
export type HeldMoney = ValueOf<typeof heldMoneyCodec>

export const PROPOSAL_STATUSES = ['proposed', 'approved', 'not_sent', 'declined', 'closed'] as const

/** An address that the buyer proposes for held money. The client secret proves the order and not the person: the business decides. */
const addressProposalCodec = record({
  address: addressCodec,
  /**
   * `not_sent`: it was approved, and could not receive the money, which is held again. `closed`: nothing was left to decide about,
   * because the money went elsewhere.
   */
  status: plain('text', oneOf(PROPOSAL_STATUSES)),
  /** Why the business declined it, for people; null otherwise. */
  reason: nullable(text),
  /** How many addresses were proposed since the business decided last, this one included. */
  number: integer,
  proposedAt: time,
  /** null until it is decided or closed. */
  decidedAt: nullable(time),
})
export type AddressProposal = ValueOf<typeof addressProposalCodec>

/** Where held money may go: what the buyer is asked, and has proposed last. docs/contract.md, "An address from the buyer". */
export const refundAddressCodec = record({
  /** Whether money is held that could go to an address of the buyer, who may propose one. */
  isWanted: flag,
  proposal: nullable(addressProposalCodec),
})
export type RefundAddress = ValueOf<typeof refundAddressCodec>

/** The entries of a list of one mint, added up. */
export const mintTotalCodec = record({ mint, amount: unitsCodec, count: integer })
export type MintTotal = ValueOf<typeof mintTotalCodec>

/** A list that is longer than what is shown of it. */
const listTotalCodec = record({
  /** All entries, with the entries that are shown. */
  count: integer,
  /** All entries by mint, of the newest mints. */
  totals: listOf(mintTotalCodec),
})
export type ListTotal = ValueOf<typeof listTotalCodec>

/** null for a list that is shown whole. */
const total = nullable(listTotalCodec)

export const listTotalsCodec = record({ tokenRefunds: total, latePayments: total, held: total })
export type ListTotals = ValueOf<typeof listTotalsCodec>

/** The totals of a payment whose lists are shown whole. */
export const SHOWN_WHOLE: ListTotals = { tokenRefunds: null, latePayments: null, held: null }
