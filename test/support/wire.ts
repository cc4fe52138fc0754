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

export const inSol = { asset: SOL, decimals: 9, expected: makeBaseUnits(133_266_667n) } as const
export const inToken = { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000n) } as const

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
