import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createRedirectDomainStore,
  createSubscriptionIntentStore,
  createSubscriptionProductStore,
  createSubscriptionTierStore,
} from '#adapters/prisma/billing/catalogue-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { editedEntry } from '#core/billing/catalogue.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { exampleIntent, exampleProduct, exampleTier } from '../../../support/example-billing.ts'
import { addBusiness } from '../../../support/stores.ts'

describe('product store', () => {
  const LATER = new Date('2026-11-20T13:00:00Z')

  describeOnBothEngines('products', (open) => {
    let db: Database
    let mine: Tenant
    let other: Tenant
    beforeAll(async () => {
      db = await open()
      mine = await addBusiness(db)
      other = await addBusiness(db)
    })
    const store = () => createSubscriptionProductStore(db)
    const draft = (tenant = mine, externalId: string | null = null) => ({
      ...exampleProduct,
      id: randomUUID(),
      accountId: tenant.accountId,
      externalId,
    })

    test('concurrent inserts with one external id store one product', async () => {
      const results = await Promise.all(Array.from({ length: 12 }, () => store().create(mine, draft(mine, 'one'))))
      expect(results.filter(({ created }) => created)).toHaveLength(1)
      expect(new Set(results.map(({ product }) => product.id)).size).toBe(1)
    })

    test('are found and changed by their business only', async () => {
      const { product } = await store().create(mine, draft(mine, 'two'))
      expect(await store().find(mine, product.id)).toEqual(product)
      expect(await store().findByExternalId(mine, 'two')).toEqual(product)
      expect(await store().find(other, product.id)).toBeNull()
      expect(await store().findByExternalId(other, 'two')).toBeNull()
      const rename = () => store().change(other, product.id, (one) => editedEntry(one, { name: 'Theirs' }, LATER))
      expect(await rename()).toBeNull()
      expect(await store().find(mine, product.id)).toEqual(product)
    })

    test('concurrent changes are made one after the other', async () => {
      const { product } = await store().create(mine, { ...draft(), name: '' })
      await Promise.all(
        Array.from({ length: 10 }, () =>
          store().change(mine, product.id, (one) => editedEntry(one, { name: `${one.name}x` }, LATER)),
        ),
      )
      expect((await store().find(mine, product.id))?.name).toBe('x'.repeat(10))
    })

    test('a row of another business is not found by the reads of an edge, for any query', async () => {
      const { product } = await store().create(other, draft(other))
      const { subscriptionProduct } = createTenantReads(db.prisma)(mine)
      const questions = [{ id: product.id }, { accountId: other.accountId }, { OR: [{ id: product.id }] }, {}]
      for (const where of questions)
        expect((await subscriptionProduct.findMany({ where })).map(({ id }) => id)).not.toContain(product.id)
      expect(await subscriptionProduct.findUnique({ where: { id: product.id } })).toBeNull()
      await expect(subscriptionProduct.findUniqueOrThrow({ where: { id: product.id } })).rejects.toMatchObject({
        code: 'product_not_found',
      })
    })
  })
})

describe('tier store', () => {
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
})

describe('intent store', () => {
  const LATER = new Date('2026-11-20T13:00:00Z')

  describeOnBothEngines('checkouts of a business', (open) => {
    let db: Database
    let mine: Tenant
    let other: Tenant
    beforeAll(async () => {
      db = await open()
      mine = await addBusiness(db)
      other = await addBusiness(db)
    })
    const intents = () => createSubscriptionIntentStore(db)
    const tiers = () => createSubscriptionTierStore(db)
    const addTier = async () => {
      const { accountId } = mine
      const product = { ...exampleProduct, id: randomUUID(), accountId, externalId: null }
      await createSubscriptionProductStore(db).create(mine, product)
      const tier = { ...exampleTier, id: randomUUID(), accountId, productId: product.id }
      await tiers().create(mine, tier)
      return tier
    }
    const draft = (tierId: string): SubscriptionIntent => ({
      ...exampleIntent,
      id: randomUUID(),
      accountId: mine.accountId,
      tierId,
    })
    const add = async (intent: SubscriptionIntent) => await intents().create(mine, intent, randomBytes(32))

    test('are read as they were written, by their business only', async () => {
      const intent = draft((await addTier()).id)
      expect(await add(intent)).toBe('created')
      expect(await intents().find(mine, intent.id)).toEqual(intent)
      expect(await intents().find(other, intent.id)).toBeNull()
      expect(await intents().replace(other, { ...intent, status: 'canceled', version: 2 }, 1)).toBe(false)
      const reads = createTenantReads(db.prisma)
      expect(await reads(mine).subscriptionIntent.findUnique({ where: { id: intent.id } })).toEqual(intent)
      expect(await reads(other).subscriptionIntent.findUnique({ where: { id: intent.id } })).toBeNull()
      expect(await reads(other).subscriptionIntent.findMany({ where: { id: intent.id } })).toEqual([])
      await expect(
        reads(other).subscriptionIntent.findUniqueOrThrow({ where: { id: intent.id } }),
      ).rejects.toMatchObject({
        code: 'intent_not_found',
      })
    })

    test('are not created for an archived tier, also when the archive comes at the same time', async () => {
      const tier = await addTier()
      const archive = () =>
        tiers().change(mine, tier.id, ({ tier: one }) => editedEntry(one, { status: 'archived' }, LATER))
      const made = await Promise.all([
        ...Array.from({ length: 4 }, () => add(draft(tier.id))),
        archive().then(() => add(draft(tier.id))),
        ...Array.from({ length: 4 }, () => add(draft(tier.id))),
      ])
      expect(made[4]).toBe('tier_archived')
      expect(await add(draft(tier.id))).toBe('tier_archived')
      const stored = await createTenantReads(db.prisma)(mine).subscriptionIntent.findMany({
        where: { tierId: tier.id },
      })
      expect(stored).toHaveLength(made.filter((one) => one === 'created').length)
    })

    test('one of several changes of a version is written', async () => {
      const intent = draft((await addTier()).id)
      await add(intent)
      const canceled = { ...intent, status: 'canceled', canceledAt: LATER, updatedAt: LATER, version: 2 } as const
      const written = await Promise.all(Array.from({ length: 6 }, () => intents().replace(mine, canceled, 1)))
      expect(written.filter(Boolean)).toHaveLength(1)
      expect(await intents().find(mine, intent.id)).toEqual(canceled)
    })

    test('redirect to active domains of their business only', async () => {
      const domains = createRedirectDomainStore(db)
      const domain = (tenant: Tenant, host: string) => ({
        id: randomUUID(),
        accountId: tenant.accountId,
        host,
        active: true,
        createdAt: LATER,
        updatedAt: LATER,
      })
      const hosts = ['a.example', 'b.example', 'c.example', 'd.example']
      const by = { actor: SERVICE_ACTOR, at: LATER, logOf: mine.accountId }
      await domains.create(mine, domain(mine, 'a.example'), by)
      const { domain: gone } = await domains.create(mine, domain(mine, 'b.example'), by)
      await domains.archive(mine, gone.id, by)
      await domains.create(other, domain(other, 'c.example'), { ...by, logOf: other.accountId })
      expect(await domains.active(mine, hosts)).toEqual(new Set(['a.example']))
      expect(await domains.find(other, gone.id)).toBeNull()
      expect(await domains.archive(other, gone.id, { ...by, logOf: other.accountId })).toBeNull()
      const { redirectDomain } = createTenantReads(db.prisma)(other)
      expect((await redirectDomain.findMany({})).map(({ host }) => host)).toEqual(['c.example'])
      expect(await redirectDomain.findUnique({ where: { id: gone.id } })).toBeNull()
    })
  })
})
