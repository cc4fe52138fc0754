// The documented wire format: the fields of each body, and intents in states that show every field.
import { SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeBasisPoints } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { MERCHANT, MINT, pendingIntent, SIGNATURE } from './example-intent.ts'

/** Spec: "PaymentIntent", without client_secret and the two optional fields. */
export const INTENT_FIELDS = [
  'id',
  'derivation_index',
  'address',
  'price_usd_cents',
  'mint',
  'mint_decimals',
  'expected_lamports',
  'status',
  'received_lamports',
  'reference',
  'expires_at',
  'created_at',
  'updated_at',
  'refund_sender',
]

/** Spec: "Status response", the fields that are always present. */
export const STATUS_FIELDS = [...INTENT_FIELDS, 'action', 'message']

export const inSol = { asset: SOL, decimals: 9, expected: makeBaseUnits(133_266_667n), rate: null } as const
export const inToken = { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000n), rate: null } as const

/** Beyond 2^53: a double would read …808. */
export const HUGE = 9_007_199_254_740_993n

export const settledIntent: PaymentIntent = {
  ...pendingIntent,
  status: 'swept',
  selection: { ...inToken, expected: makeBaseUnits(HUGE) },
  received: makeBaseUnits(HUGE),
  refundSender: MERCHANT,
  marketplaceFeeBps: makeBasisPoints(250),
  customerDetails: { first_name: 'Ada', address: { country: 'GB' } },
  settlement: {
    asset: 'USDC',
    decimals: 6,
    destinationAmount: makeBaseUnits(HUGE),
    platformFeeAmount: makeBaseUnits(0),
    pendingAmount: makeBaseUnits(0),
    signatures: [SIGNATURE],
    legs: [
      {
        role: 'merchant',
        destination: MERCHANT,
        mint: MINT,
        asset: 'USDC',
        decimals: 6,
        amount: makeBaseUnits(HUGE),
        feeBps: null,
        signature: SIGNATURE,
      },
    ],
  },
  tokenRefunds: [
    {
      mint: MINT,
      status: 'refunded',
      amount: makeBaseUnits(9),
      refund: { amount: makeBaseUnits(9), signatures: [SIGNATURE] },
    },
  ],
  latePayments: [
    { mint: null, amount: makeBaseUnits(7), status: 'held', signature: SIGNATURE, count: 1, refund: null },
  ],
  held: [{ mint: null, amount: makeBaseUnits(7), reason: 'The sender is not known for certain.' }],
}

// Every field of a payment, except the receipt, and pages of the histories.

/** A receipt costs a point of its own. */
export const RECEIPT = 'receipt { jws asOf }'

/** Fields that both the business and the buyer see. */
export const SHARED_FIELDS = `network derivationIndex address priceUsdCents acceptedAssets status reference expiresAt
  createdAt updatedAt version refundSender marketplaceFeeBps
  customerDetails { firstName lastName email address { line1 line2 city state postalCode country } }
  description lineItems { name quantity amountUsdCents } successUrl cancelUrl
  asset mint mintDecimals expectedAmount receivedAmount action message paymentUri shortfall isCovered
  settlement { ticker decimals destinationAmount destinationUi platformFeeAmount platformFeeUi pendingAmount shortfallAmount signatures
    legs { role destination mint ticker decimals amount amountUi feeBps signature } }
  refunds { mint amount signatures }
  tokenRefunds { mint status amount refund { amount signatures } } tokenRefundsCount
  latePayments { mint amount status signature count refund { amount signatures } } latePaymentsCount
  latePaymentsTotals { mint amount count } held { mint amount reason } heldCount heldTotals { mint amount count } refundAddress { isWanted proposal { address status reason proposedAt decidedAt } }`

/** Every field of a `PaymentIntent`, but the receipt. */
export const EVERY_FIELD = `uuid ${SHARED_FIELDS}
  deposits(first: 3) { edges { node { asset amount signature slot blockTime use seenAt } } }
  transfers(first: 3) { edges { node { id kind status reason asset decimals signature attempts createdAt doneAt
    legs { role destination amount movedAmount feeBps } } } }
  events(first: 3) { edges { node { id type createdAt } } }`

/** Every field of a `Checkout`, but the receipt. */
export const EVERY_CHECKOUT_FIELD = `id ${SHARED_FIELDS}
  merchantName expiresInSeconds mayBeEmbeddedIn(origin: "https://shop.example") acceptedTokens { asset ticker name imageUrl }
  brand { logoUrl accentColor supportUrl supportEmail } countedDeposits { asset amount signature arrivedAt } namedTokens { asset ticker decimals }`
