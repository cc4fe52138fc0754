import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createSubscriptionProductStore } from '#adapters/prisma/billing/product-store.ts'
import { createSubscriptionTierStore } from '#adapters/prisma/billing/tier-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { editedEntry } from '#core/billing/catalogue.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { exampleProduct, exampleTier } from '../../../support/example-catalogue.ts'
import { addBusiness } from '../../../support/stores.ts'

const LATER = new Date('2026-11-20T13:00:00Z')

describeOnBothEngines('tiers', (open) => {
  let db: Database
  let mine: Tenant
  let other: Tenant
  beforeAll(async () => {
    db = await open()
    mine = await addBusiness(db)
    other = await addBusiness(db)
  })
  const products = () => createSubscriptionProductStore(db)
  const tiers = () => createSubscriptionTierStore(db)
  const addProduct = async () => {
    const draft = { ...exampleProduct, id: randomUUID(), accountId: mine.accountId, externalId: null }
    return (await products().create(mine, draft)).product
  }
  const draft = (productId: string) => ({ ...exampleTier, id: randomUUID(), accountId: mine.accountId, productId })
  const setStatus = (id: string, status: 'active' | 'archived', at = LATER) =>
    products().change(mine, id, (product) => editedEntry(product, { status }, at))

  test('are read as they were written, with the largest amounts', async () => {
    const { id } = await addProduct()
    const largest = { priceUsdCents: makeUsdCents(2n ** 53n - 1n), unitBaseUnits: makeBaseUnits(2n ** 64n - 1n) }
    const tier = { ...draft(id), ...largest, authorizationPeriods: 1, metadata: { a: [1, null] }, archivedAt: LATER }
    expect(await tiers().create(mine, tier)).toBe(true)
    expect(await tiers().find(mine, tier.id)).toEqual(tier)
    expect(await tiers().find(other, tier.id)).toBeNull()
    expect(await tiers().change(other, tier.id, ({ tier: one }) => one)).toBeNull()
  })

  test('are not created in an archived product', async () => {
    const { id } = await addProduct()
    await setStatus(id, 'archived')
    const tier = draft(id)
    expect(await tiers().create(mine, tier)).toBe(false)
    expect(await tiers().find(mine, tier.id)).toBeNull()
  })

  test('an archive next to creates and changes leaves no active tier in the archived product', async () => {
    const { id } = await addProduct()
    const first = draft(id)
    await tiers().create(mine, { ...first, archivedAt: new Date(0) })
    const activate = () =>
      tiers().change(mine, first.id, ({ tier, isProductArchived }) =>
        isProductArchived ? tier : editedEntry(tier, { status: 'active' }, LATER),
      )
    await Promise.all([
      ...Array.from({ length: 6 }, () => tiers().create(mine, draft(id))),
      activate(),
      setStatus(id, 'archived'),
      activate(),
      ...Array.from({ length: 6 }, () => tiers().create(mine, draft(id))),
    ])
    const stored = await createTenantReads(db.prisma)(mine).subscriptionTier.findMany({ where: { productId: id } })
    expect(stored.length).toBeGreaterThan(0)
    expect(stored.filter(({ archivedAt }) => archivedAt === null)).toEqual([])
  })

  test('a row of another business is not found by the reads of an edge', async () => {
    const { id } = await addProduct()
    const tier = draft(id)
    await tiers().create(mine, tier)
    const reads = createTenantReads(db.prisma)
    expect(await reads(other).subscriptionTier.findMany({ where: { id: tier.id } })).toEqual([])
    expect(await reads(other).subscriptionTier.findUnique({ where: { id: tier.id } })).toBeNull()
    await expect(reads(other).subscriptionTier.findUniqueOrThrow({ where: { id: tier.id } })).rejects.toMatchObject({
      code: 'tier_not_found',
    })
    expect(await reads(mine).subscriptionTier.findUnique({ where: { id: tier.id } })).toEqual(tier)
  })
})
