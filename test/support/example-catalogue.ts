// A product as an example.
import type { Product } from '#core/billing/product.ts'

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
