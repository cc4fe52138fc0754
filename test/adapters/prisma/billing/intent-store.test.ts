import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createRedirectDomainStore } from '#adapters/prisma/billing/domain-store.ts'
import { createSubscriptionIntentStore } from '#adapters/prisma/billing/intent-store.ts'
import { createSubscriptionProductStore } from '#adapters/prisma/billing/product-store.ts'
import { createSubscriptionTierStore } from '#adapters/prisma/billing/tier-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { editedEntry } from '#core/billing/catalogue.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { exampleIntent, exampleProduct, exampleTier } from '../../../support/example-catalogue.ts'
import { addBusiness } from '../../../support/stores.ts'

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
    await expect(reads(other).subscriptionIntent.findUniqueOrThrow({ where: { id: intent.id } })).rejects.toMatchObject(
      {
        code: 'intent_not_found',
      },
    )
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
    const stored = await createTenantReads(db.prisma)(mine).subscriptionIntent.findMany({ where: { tierId: tier.id } })
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
    await domains.create(mine, domain(mine, 'a.example'))
    const { domain: gone } = await domains.create(mine, domain(mine, 'b.example'))
    await domains.archive(mine, gone.id, LATER)
    await domains.create(other, domain(other, 'c.example'))
    expect(await domains.active(mine, hosts)).toEqual(new Set(['a.example']))
    expect(await domains.find(other, gone.id)).toBeNull()
    expect(await domains.archive(other, gone.id, LATER)).toBeNull()
    const { redirectDomain } = createTenantReads(db.prisma)(other)
    expect((await redirectDomain.findMany({})).map(({ host }) => host)).toEqual(['c.example'])
    expect(await redirectDomain.findUnique({ where: { id: gone.id } })).toBeNull()
  })
})
