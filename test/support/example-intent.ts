// A plain payment intent with its identifiers, for tests that change one or two fields.
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { makeBaseUnits, makeBasisPoints, makeUsdCents, ZERO } from '#core/money/amounts.ts'
import { SHOWN_WHOLE } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

export const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
export const MERCHANT = makeAddress('Stake11111111111111111111111111111111111111')
export const SIGNATURE = makeSignature('5'.repeat(87))

export const pendingIntent: PaymentIntent = {
  id: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11',
  network: 'live',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  callerAccountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  derivationIndex: 42,
  address: makeAddress('BPFLoaderUpgradeab1e11111111111111111111111'),
  priceUsdCents: makeUsdCents(2500),
  acceptedAssets: ['SOL', MINT],
  selection: null,
  received: ZERO,
  status: 'pending',
  statusReason: null,
  reference: 'order-1001',
  expiresAt: new Date('2026-11-20T12:10:00.000Z'),
  refundSender: null,
  marketplaceFeeBps: null,
  underpaymentToleranceBps: null,
  payeeLabel: 'Corner Shop',
  customerDetails: null,
  orderDetails: null,
  metadata: null,
  settlement: null,
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  refundAddress: null,
  version: 1,
  createdAt: new Date('2026-11-20T12:00:00.000Z'),
  updatedAt: new Date('2026-11-20T12:00:00.000Z'),
}

// A payment whose every field has a value: one that is not the default of its column, and not that of another field.

const total = (count: number) => ({ count, totals: [{ mint: MINT, amount: makeBaseUnits(count), count }] })
const refund = { amount: makeBaseUnits(11), signatures: [SIGNATURE] }

/** Underpaid, because only then a payment has a shortfall and a payment link. */
export const fullIntent: PaymentIntent = {
  ...pendingIntent,
  selection: { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000), rate: null },
  received: makeBaseUnits(10_000_000),
  status: 'underpaid',
  statusReason: 'A reason.',
  refundSender: MERCHANT,
  marketplaceFeeBps: makeBasisPoints(250),
  underpaymentToleranceBps: makeBasisPoints(50),
  customerDetails: { email: 'ada@example.com', address: { country: 'GB' } },
  orderDetails: {
    description: 'Two books',
    lineItems: [{ name: 'A book', quantity: 2, amountUsdCents: 2_400 }],
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/cart',
  },
  metadata: { order: 'A-17', gift: true },
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
  refundAddress: {
    isWanted: true,
    proposal: {
      address: MINT,
      status: 'declined',
      reason: 'It is not yours.',
      number: 2,
      proposedAt: new Date('2026-11-20T12:00:41.000Z'),
      decidedAt: new Date('2026-11-20T12:01:02.000Z'),
    },
  },
  version: 7,
  updatedAt: new Date('2026-11-20T12:01:24.310Z'),
}
