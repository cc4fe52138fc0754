import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createSubscriptionProductStore } from '#adapters/prisma/billing/product-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { editedEntry } from '#core/billing/catalogue.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { exampleProduct } from '../../../support/example-catalogue.ts'
import { addBusiness } from '../../../support/stores.ts'

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
