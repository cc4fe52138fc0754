// A payment whose every field has a value: one that is not the default of its column, and not that of another field.
import { makeBaseUnits, makeBasisPoints } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { MERCHANT, MINT, pendingIntent, SIGNATURE } from './example-intent.ts'

const total = (count: number) => ({ count, totals: [{ mint: MINT, amount: makeBaseUnits(count), count }] })
const refund = { amount: makeBaseUnits(11), signatures: [SIGNATURE] }

/** Underpaid, because only then a payment has a shortfall and a payment link. */
export const fullIntent: PaymentIntent = {
  ...pendingIntent,
  selection: { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000) },
  received: makeBaseUnits(10_000_000),
  status: 'underpaid',
  statusReason: 'A reason.',
  refundSender: MERCHANT,
  marketplaceFeeBps: makeBasisPoints(250),
  customerDetails: { email: 'ada@example.com', address: { country: 'GB' } },
  orderDetails: {
    description: 'Two books',
    lineItems: [{ name: 'A book', quantity: 2, amountUsdCents: 2_400 }],
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
  },
  settlement: {
    asset: 'USDC',
    decimals: 6,
    destinationAmount: makeBaseUnits(21),
    platformFeeAmount: makeBaseUnits(22),
    pendingAmount: makeBaseUnits(23),
    signatures: [SIGNATURE],
    legs: [
      {
        role: 'merchant',
        destination: MERCHANT,
        mint: MINT,
        asset: 'USDC',
        decimals: 6,
        amount: makeBaseUnits(21),
        feeBps: 30,
        signature: SIGNATURE,
      },
    ],
  },
  refunds: [{ mint: MINT, ...refund }],
  tokenRefunds: [{ mint: MINT, status: 'refunded', amount: makeBaseUnits(12), refund }],
  latePayments: [{ mint: MINT, amount: makeBaseUnits(13), status: 'settling', signature: SIGNATURE, count: 2, refund }],
  held: [{ mint: MINT, amount: makeBaseUnits(14), reason: 'Its sender is not known.' }],
  listTotals: { tokenRefunds: total(31), latePayments: total(32), held: total(33) },
  version: 7,
  updatedAt: new Date('2026-11-20T12:01:24.310Z'),
}
