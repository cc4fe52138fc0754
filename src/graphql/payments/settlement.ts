// The money that was settled, and the money that was returned.
import type { BaseUnits } from '#core/money/amounts.ts'
import { formatUnits, toUiNumber } from '#core/money/conversion.ts'
import type {
  AssetRefund,
  HeldMoney,
  LatePayment as LatePaymentShape,
  MintTotal,
  Refund,
  Settlement,
  SettlementLeg,
  TokenRefund as TokenRefundShape,
} from '#core/payments/intent-values.ts'
import type { SettledLeg } from '#core/payments/settlement/figures.ts'
import type { LegRole } from '#core/payments/transfers.ts'
import { builder, type FieldsOf } from '#graphql/builder.ts'

type Meanings<Value extends string> = Readonly<Record<Value, { readonly description: string }>>

const UI = 'The amount in whole units, as a float. For display only.'
const TICKER = 'The ticker of the asset, such as `SOL`.'
const DECIMALS = 'The number of decimals of the asset.'
const MINT = 'The mint of the token. Null for SOL.'
const NOT_PLANNED = 'Its refund. Null while none is planned.'
const LEFT_AS_FEE =
  'SOL that was too little to stay at the address, and left as the network fee of another refund, is also failed: it has no ' +
  'refund, and nothing of it is held.'

export const LegRoleEnum = builder.enumType('LegRole', {
  description: 'What a recipient gets money for.',
  values: {
    seller: { description: 'The share of the seller.' },
    merchant: { description: 'The share of the business.' },
    marketplace: { description: 'The fee of the marketplace.' },
    platform: { description: 'The fee of the platform.' },
    refund: { description: 'A refund to a payer.' },
    release: { description: 'Held money that the operator released.' },
    buyer: { description: 'Held money for the address that the buyer proposed and the business approved.' },
    network_fee: { description: 'The network fee, repaid to the fee payer.' },
  } satisfies Meanings<LegRole>,
})

const SettlementLegType = builder.objectRef<SettlementLeg>('SettlementLeg').implement({
  description: 'One recipient of a settlement. The legs add up to what was received.',
  fields: (t) => ({
    role: t.expose('role', { type: LegRoleEnum, description: 'What the recipient gets the money for.' }),
    destination: t.expose('destination', { type: 'SolanaAddress', description: 'The wallet that received it.' }),
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
    ticker: t.exposeString('asset', { description: TICKER }),
    decimals: t.exposeInt('decimals', { description: DECIMALS }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived there, in base units.' }),
    amountUi: t.float({ description: UI, resolve: (leg) => toUiNumber(leg.amount, leg.decimals) }),
    feeBps: t.exposeInt('feeBps', {
      nullable: true,
      description: 'The fee rate in basis points. Null unless the leg is a fee.',
    }),
    signature: t.expose('signature', {
      type: 'Signature',
      description:
        'The transaction that carried it: the newest of several when the leg stands for all that came before `signatures`.',
    }),
  }),
})

/** In US dollars, of which a microcent is the hundred-millionth part. */
const USD_DECIMALS = 8
const usdOf = (microcents: bigint): string =>
  microcents
    .toString()
    .padStart(USD_DECIMALS + 1, '0')
    .replace(/(?=.{8}$)/, '.')

export const SettledLegType = builder.objectRef<SettledLeg>('SettledLeg').implement({
  description: 'One recipient of a settlement, with amounts that can be added up over payments.',
  fields: (t) => ({
    role: t.expose('role', { type: LegRoleEnum, description: 'What the recipient gets the money for.' }),
    destination: t.expose('destination', { type: 'SolanaAddress', description: 'The wallet that received it.' }),
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
    ticker: t.exposeString('asset', { description: TICKER }),
    decimals: t.exposeInt('decimals', { description: DECIMALS }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived there, in base units.' }),
    wholeAmount: t.string({
      description: 'The amount in whole units, exactly.',
      resolve: ({ amount, decimals }) => formatUnits(amount, decimals),
    }),
    usd: t.string({
      description:
        `The worth in US dollars, with ${USD_DECIMALS} decimals, at the rate that was locked for the payment. 0 for a refund. ` +
        'Sums are the figures of `marketplaceStats` before these are rounded to cents.',
      resolve: ({ microcents }) => usdOf(microcents),
    }),
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction that carried it.' }),
  }),
})

/** A settlement, with the base units that it has less than the price; null for none. */
type ShownSettlement = Settlement & { readonly shortfallAmount: BaseUnits | null }

export const SettlementType = builder.objectRef<ShownSettlement>('Settlement').implement({
  description: 'The settled amounts of a payment, as they arrived.',
  fields: (t) => ({
    ticker: t.exposeString('asset', { description: TICKER }),
    decimals: t.exposeInt('decimals', { description: DECIMALS }),
    destinationAmount: t.expose('destinationAmount', {
      type: 'BaseUnits',
      description:
        'The amount that arrived in the destination wallet, in base units, net of fees and of a refunded excess. ' +
        'This is the figure for accounting.',
    }),
    destinationUi: t.float({
      description: UI,
      resolve: (settlement) => toUiNumber(settlement.destinationAmount, settlement.decimals),
    }),
    platformFeeAmount: t.expose('platformFeeAmount', {
      type: 'BaseUnits',
      description: 'The fee of the platform, in base units. 0 unless the payment is for a seller.',
    }),
    platformFeeUi: t.float({
      description: UI,
      resolve: (settlement) => toUiNumber(settlement.platformFeeAmount, settlement.decimals),
    }),
    pendingAmount: t.expose('pendingAmount', {
      type: 'BaseUnits',
      description: 'A rest for the business that follows later. The event `intent.settlement_updated` reports it.',
    }),
    shortfallAmount: t.expose('shortfallAmount', {
      type: 'BaseUnits',
      nullable: true,
      description:
        'What the payment was short of its price, in base units: the business tolerates it, or has swept a part. Null when nothing is missing.',
    }),
    signatures: t.field({
      type: ['Signature'],
      description: 'The transactions of the settlement, the newest 20, oldest first.',
      resolve: (settlement) => [...settlement.signatures],
    }),
    legs: t.field({
      type: [SettlementLegType],
      description:
        'The recipients, with what each received. Transactions before the newest 20 have one leg for each recipient and role.',
      resolve: (settlement) => [...settlement.legs],
    }),
  }),
})

const refundFields = (t: FieldsOf<Refund>) => ({
  amount: t.expose('amount', {
    type: 'BaseUnits',
    description: 'The refunded amount, in base units: final transfers as they arrived, the others as planned.',
  }),
  signatures: t.field({
    type: ['Signature'],
    description: 'The final transactions of the refund, the newest five, oldest first.',
    resolve: ({ signatures }) => [...signatures],
  }),
})

export const RefundType = builder.objectRef<Refund>('Refund').implement({
  description: 'Money that goes back to its senders, or where the operator released it, or went there.',
  fields: refundFields,
})

export const AssetRefundType = builder.objectRef<AssetRefund>('AssetRefund').implement({
  description: 'The refund of money that was paid for the price, in one asset.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
  }),
})
builder.objectFields(AssetRefundType, refundFields)

export const MintTotalType = builder.objectRef<MintTotal>('MintTotal').implement({
  description: 'The sum of the entries of a list that have one mint.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The sum of their amounts, in base units.' }),
    count: t.exposeInt('count', { description: 'The number of entries.' }),
  }),
})

const TokenRefundStatusEnum = builder.enumType('TokenRefundStatus', {
  description: 'How far the refund of an asset that was sent by mistake is.',
  values: {
    pending: { description: 'No refund is under way yet.' },
    settling: { description: 'The refund, or a release of the money, is under way.' },
    refunded: { description: 'The refund is complete, or the operator released the money.' },
    failed: { description: `The refund failed, or the money is held. A person must act. ${LEFT_AS_FEE}` },
  } satisfies Meanings<TokenRefundShape['status']>,
})

export const TokenRefund = builder.objectRef<TokenRefundShape>('TokenRefund').implement({
  description: 'The refund of an asset that was sent by mistake.',
  fields: (t) => ({
    mint: t.expose('mint', {
      type: 'Mint',
      description: 'The mint of the token. SOL that was sent by mistake has the wrapped-SOL mint.',
    }),
    status: t.expose('status', { type: TokenRefundStatusEnum, description: 'How far the refund is.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived, in base units.' }),
    refund: t.expose('refund', { type: RefundType, nullable: true, description: NOT_PLANNED }),
  }),
})

export const LatePaymentStatusEnum = builder.enumType('LatePaymentStatus', {
  description: 'What became of money that arrived late.',
  values: {
    held: { description: 'It stays at the address until the operator releases it.' },
    pending: { description: 'Its refund is not under way yet.' },
    settling: { description: 'It is on its way, back or to the business.' },
    refunded: { description: 'It went back, or where the operator released it.' },
    failed: { description: `Its refund failed. A person must act. ${LEFT_AS_FEE}` },
  } satisfies Meanings<LatePaymentShape['status']>,
})

export const LatePayment = builder.objectRef<LatePaymentShape>('LatePayment').implement({
  description:
    'Money that arrived after the payment was closed: one payment, or all payments of one asset and one status that are ' +
    'too small to refund.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The amount that arrived, in base units.' }),
    status: t.expose('status', { type: LatePaymentStatusEnum, description: 'What became of it.' }),
    signature: t.expose('signature', {
      type: 'Signature',
      description: 'The transaction that brought it, the newest one of several.',
    }),
    count: t.exposeInt('count', { description: 'The number of payments that the entry stands for.' }),
    refund: t.expose('refund', { type: RefundType, nullable: true, description: NOT_PLANNED }),
  }),
})

export const HeldMoneyType = builder.objectRef<HeldMoney>('HeldMoney').implement({
  description: 'Money whose recipient is not known, or that cannot go back.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: MINT }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'The held amount, in base units.' }),
    reason: t.exposeString('reason', { description: 'Why it is held, for people.' }),
  }),
})
