// The payment that the documentation shows: an order of 25 dollars, paid in SOL and settled.
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { SHOWN_WHOLE } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

export const signature = makeSignature(
  '4JeBrmYAiTXBfLC6zMaUrMWoMEtWt9BCQACqGGpxDsqzH47e89nKy6ooxjPEdsSrL3LspE7cMp3UufN79PQZ9BNG',
)
export const merchant = makeAddress('BfbvQP92h3HQ7a8h7gCnyRZPfkvUnEH9uW6VshgaFT9A')
export const marketplaceWallet = makeAddress('AWxggjuZRmWULwxwPeM6ZZxRtdDdekVq22mFRx2QbW7U')
export const feePayer = makeAddress('6YAz9ksiJ6rvKMm9vMajVJdfK7RwfnhmAysQEEMB98S2')
export const leg = { mint: null, asset: 'SOL', decimals: 9, feeBps: null, signature } as const

export const swept: PaymentIntent = {
  id: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11',
  network: 'live',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  callerAccountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  derivationIndex: 42,
  address: makeAddress('EB2z7jfRUeWEd2DpSp6vPFAhcMmdVSQL1EXgJUKWbbEA'),
  priceUsdCents: makeUsdCents(2500),
  acceptedAssets: ['SOL'],
  selection: { asset: 'SOL', decimals: 9, expected: makeBaseUnits(166_666_667), rate: null },
  received: makeBaseUnits(166_666_667),
  status: 'swept',
  statusReason: null,
  reference: 'order-1001',
  expiresAt: new Date('2026-11-20T12:10:00.000Z'),
  refundSender: makeAddress('AWxggjuZRmWULwxwPeM6ZZxRtdDdekVq22mFRx2QbW7U'),
  marketplaceFeeBps: null,
  underpaymentToleranceBps: null,
  payeeLabel: 'Corner Shop',
  customerDetails: { email: 'ada@example.com' },
  orderDetails: null,
  metadata: null,
  settlement: {
    asset: 'SOL',
    decimals: 9,
    destinationAmount: makeBaseUnits(166_656_617),
    platformFeeAmount: makeBaseUnits(0),
    pendingAmount: makeBaseUnits(0),
    signatures: [signature],
    legs: [
      { ...leg, role: 'merchant', destination: merchant, amount: makeBaseUnits(166_656_617) },
      { ...leg, role: 'network_fee', destination: feePayer, amount: makeBaseUnits(10_050) },
    ],
  },
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  refundAddress: null,
  version: 5,
  createdAt: new Date('2026-11-20T12:00:00.000Z'),
  updatedAt: new Date('2026-11-20T12:01:24.310Z'),
}
