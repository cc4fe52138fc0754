// The reads of an edge with Prisma: only the rows of one business, for any query.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createEndpointStore } from '#adapters/prisma/events/endpoint-store.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { addDomain, addSubscription, addTier } from '../../support/billing-rows.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import { AUTHOR } from '../../support/keys.ts'
import { NOW } from '../../support/payment.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'
import { addEndpoint } from '../../support/webhook-rows.ts'

describeOnBothEngines('the reads of a business', (open) => {
  let db: Database
  let mine: Tenant
  let seller: Tenant
  let other: Tenant
  let own: PaymentIntent
  let sellers: PaymentIntent
  let foreign: PaymentIntent
  beforeAll(async () => {
    db = await open()
    const stores = storesOf(db)
    mine = await addBusiness(db)
    seller = await addBusiness(db, 'live', mine.accountId)
    own = await addIntent(stores, mine)
    sellers = await addIntent(stores, mine, { accountId: seller.accountId })
    other = await addBusiness(db)
    foreign = await addIntent(stores, other)
  })
  const reads = (tenant = mine) => createTenantReads(db.prisma)(tenant).paymentIntent
  const ids = async (where?: Prisma.PaymentIntentWhereInput, tenant = mine) =>
    (await reads(tenant).findMany({ ...(where !== undefined && { where }) })).map(({ id }) => id).sort()

  test('list its own intents and the intents for its sellers, and no other', async () => {
    expect(await ids()).toEqual([own.id, sellers.id].sort())
    expect(await ids(undefined, tenantOf({ id: mine.accountId, network: 'test' }))).toEqual([])
  })

  test('list no other for any filter', async () => {
    const questions: Prisma.PaymentIntentWhereInput[] = [
      { id: foreign.id },
      { accountId: foreign.accountId },
      { OR: [{ id: foreign.id }, { id: own.id }] },
      { AND: [{ id: foreign.id }] },
      { NOT: { id: own.id } },
      { OR: [{ network: 'live' }], callerAccountId: foreign.callerAccountId },
    ]
    for (const where of questions) expect(await ids(where)).not.toContain(foreign.id)
  })

  test('decode a long page in steps, between which the process answers others', async () => {
    const page = 20
    const row = await db.prisma.paymentIntent.findUniqueOrThrow({ where: { id: own.id } })
    let turns = 0
    let isRead = false
    const countTurns = () => {
      turns += 1
      if (!isRead) setImmediate(countTurns)
    }
    const findMany = (async () => {
      setImmediate(countTurns)
      return Array.from({ length: page }, () => row)
    }) as unknown as typeof db.prisma.paymentIntent.findMany
    const { paymentIntent: payments, ...others } = db.prisma
    const counted = { ...others, paymentIntent: { ...payments, findMany } }
    const { paymentIntent } = createTenantReads(counted)(mine)
    const intents = await paymentIntent.findMany({})
    isRead = true
    expect(intents.map(({ id }) => id)).toEqual(Array.from({ length: page }, () => own.id))
    expect(turns).toBeGreaterThanOrEqual(3)
  })

  test('read the lists below a long page for twenty payments at a time, each with its own', async () => {
    const shop = await addBusiness(db)
    const stores = storesOf(db)
    const payments: PaymentIntent[] = []
    for (let at = 0; at < 45; at += 1) payments.push(await addIntent(stores, shop))
    const deposit = { network: 'live', asset: 'SOL', amount: 1, slot: 1n, senders: [], use: 'applied' } as const
    await db.prisma.deposit.createMany({
      data: payments.map(({ id, address }) => ({ ...deposit, intentId: id, account: address, signature: `of ${id}` })),
    })
    const pages: number[] = []
    const counting = db.prisma.$extends({
      query: {
        paymentIntent: {
          async findMany({ args, query }) {
            const rows = await query(args)
            if (rows.some((row) => 'deposits' in row)) pages.push(rows.length)
            return rows
          },
        },
      },
    }) as unknown as typeof db.prisma
    const { paymentIntent } = createTenantReads(counting)(shop)
    const read = async (take: number) => {
      const include = { deposits: { take: 4, select: { signature: true } }, account: true }
      return await paymentIntent.findMany({ include, take, orderBy: { derivationIndex: 'asc' } })
    }
    const whole = await read(46)
    expect(whole).toMatchObject(
      payments.map(({ id }) => ({ id, deposits: [{ signature: `of ${id}` }], account: { id: shop.accountId } })),
    )
    expect(whole).toHaveLength(45)
    expect(pages).toEqual([20, 20, 5])
    expect(await read(20)).toEqual(whole.slice(0, 20))
    expect(pages).toEqual([20, 20, 5, 20])
  })

  test('find an own intent by id, and no other', async () => {
    expect(await reads().findUnique({ where: { id: own.id } })).toMatchObject({ id: own.id })
    expect(await reads().findUnique({ where: { id: foreign.id } })).toBeNull()
    await expect(reads().findUniqueOrThrow({ where: { id: foreign.id } })).rejects.toMatchObject({
      code: 'intent_not_found',
    })
    const tricks: Prisma.PaymentIntentWhereUniqueInput[] = [
      { id: foreign.id, OR: [{ network: 'live' }] },
      { id: foreign.id, AND: { network: 'live' } },
      { id: foreign.id, AND: [{ network: 'live' }] },
    ]
    for (const where of tricks) expect(await reads().findUnique({ where })).toBeNull()
  })

  test('find and list the webhook endpoints of the business that are not deleted, and no other', async () => {
    const [ownId, foreignId, deletedId] = [
      await addEndpoint(db, mine.accountId),
      await addEndpoint(db, other.accountId),
      await addEndpoint(db, mine.accountId),
    ]
    await createEndpointStore(db).delete(mine, deletedId, AUTHOR)
    const { webhookEndpoint } = createTenantReads(db.prisma)(mine)
    for (const where of [{}, { OR: [{ accountId: other.accountId }, { accountId: mine.accountId }] }])
      expect((await webhookEndpoint.findMany({ where })).map(({ id }) => id)).toEqual([ownId])
    expect(await webhookEndpoint.findUnique({ where: { id: ownId } })).toMatchObject({ id: ownId })
    for (const id of [foreignId, deletedId])
      await expect(webhookEndpoint.findUniqueOrThrow({ where: { id } })).rejects.toMatchObject({
        code: 'webhook_endpoint_not_found',
      })
  })

  describe.each([
    ['billingSubscription', 'subscription_not_found'],
    ['charge', 'subscription_not_found'],
    ['redirectDomain', 'domain_not_found'],
  ] as const)('of recurring billing: %s', (model, code) => {
    const billing = (tenant: Tenant) => createTenantReads(db.prisma)(tenant)[model]
    let ownId: string
    let sellersId: string
    let foreignId: string
    const add = async (tenant: Tenant): Promise<string> => {
      if (model === 'redirectDomain') return await addDomain(db, tenant, 'shop.example.com')
      const { subscription, charge } = await addSubscription(db, await addTier(db, tenant), NOW.getTime())
      return model === 'charge' ? charge.id : subscription.id
    }
    beforeAll(async () => {
      ownId = await add(mine)
      sellersId = await add(seller)
      foreignId = await add(other)
    })

    test('a row of another business is not found, for any query', async () => {
      const questions = [{ id: foreignId }, { accountId: other.accountId }, { OR: [{ id: foreignId }] }, {}]
      for (const where of questions)
        expect((await billing(mine).findMany({ where })).map(({ id }) => id)).not.toContain(foreignId)
      expect(await billing(mine).findUnique({ where: { id: foreignId } })).toBeNull()
      await expect(billing(mine).findUniqueOrThrow({ where: { id: foreignId } })).rejects.toMatchObject({ code })
    })

    test('a list has the rows of the business alone, and its marketplace finds a row by its id', async () => {
      const idsOf = async (tenant: Tenant) =>
        (await billing(tenant).findMany({ where: { id: { in: [ownId, sellersId, foreignId] } } })).map(({ id }) => id)
      expect([await idsOf(mine), await idsOf(seller), await idsOf(other)]).toEqual([[ownId], [sellersId], [foreignId]])
      expect(await billing(mine).findUnique({ where: { id: ownId } })).toMatchObject({ id: ownId })
      expect(await billing(mine).findUnique({ where: { id: sellersId } })).toMatchObject({ id: sellersId })
      expect(await billing(seller).findUnique({ where: { id: ownId } })).toBeNull()
    })
  })
})
