// A product, its tier, a redirect domain and a checkout as examples.

import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { makeBaseUnits, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import { MINT } from './example-intent.ts'

export const exampleProduct: Product = {
  id: '9e0c7a41-5d0f-4f1e-8a51-3f6f0b6d2c10',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  name: 'Coffee',
  description: 'A bag of beans',
  externalId: 'coffee-1',
  metadata: { roast: 'dark' },
  archivedAt: null,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleTier: Tier = {
  id: '4b8f1f0e-7c2d-4d0e-9a63-0c4b7f0f5e21',
  accountId: exampleProduct.accountId,
  productId: exampleProduct.id,
  name: 'Monthly',
  description: null,
  priceUsdCents: makeUsdCents(1_500),
  interval: 'month',
  intervalCount: 1,
  authorizationPeriods: 12,
  mint: MINT,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  decimals: 6,
  unitBaseUnits: makeBaseUnits(15_000_000),
  payoutOwner: makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  payoutAta: makeAddress('BfbvQP92h3HQ7a8h7gCnyRZPfkvUnEH9uW6VshgaFT9A'),
  platformFeeBps: makeBasisPoints(0),
  platformWallet: null,
  metadata: {},
  archivedAt: null,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleDomain: RedirectDomain = {
  id: 'd2a1f6c3-0b57-4a0c-9c8e-6f2d1e7b4a90',
  accountId: exampleProduct.accountId,
  host: 'shop.example.com',
  active: true,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const exampleIntent: SubscriptionIntent = {
  id: '7e5b9c02-3f41-4d6a-8b1e-2a9c0d4f6e73',
  accountId: exampleProduct.accountId,
  tierId: exampleTier.id,
  status: 'open',
  subscriberWallet: null,
  walletPinned: false,
  successUrl: 'https://shop.example.com/thanks',
  cancelUrl: null,
  subscriptionId: null,
  metadata: { order: 17 },
  version: 1,
  expiresAt: new Date('2026-11-21T12:00:00Z'),
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
  completedAt: null,
  canceledAt: null,
}
