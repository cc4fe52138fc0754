// A plain payment intent with its identifiers, for tests that change one or two fields.
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { makeUsdCents, ZERO } from '#core/money/amounts.ts'
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
  payeeLabel: 'Corner Shop',
  customerDetails: null,
  orderDetails: null,
  settlement: null,
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  version: 1,
  createdAt: new Date('2026-11-20T12:00:00.000Z'),
  updatedAt: new Date('2026-11-20T12:00:00.000Z'),
}
