// The event log of a business over GraphQL and a real database: its order, its pages, whose events it shows, and its SQL.
import { Kind, parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createEventLog } from '#adapters/prisma/events/event-log.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { intentEventData } from '#core/payments/payload.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { costOf } from '#graphql/documents/cost.ts'
import { schema } from '#graphql/schema.ts'
import { createEventLogServices } from '#services/events/event-log.ts'
import { addDelegation, addSubscriptionIntent, addTier, changeOf, newSubscription } from '../../support/billing-rows.ts'
import { openRecordedDatabase, openTestDatabase, type Statement } from '../../support/database.ts'
import { NOW, units } from '../../support/payment.ts'
import { credential, startTestService, withKey } from '../../support/services.ts'
import { indexesOf, planOf, shapeOf } from '../../support/statements.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../support/stores.ts'
import { addAccount, addEndpoint } from '../../support/webhook-rows.ts'

const PAGE = `query Log($first: Int, $after: String, $last: Int, $before: String) {
  events(first: $first, after: $after, last: $last, before: $before) {
    edges {
      cursor
      node { id type timestamp apiVersion livemode account { id name isSeller externalId } version data }
    }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`
type Node = {
  id: string
  type: string
  livemode: boolean
  account: { id: string; isSeller: boolean }
  version: number
  data: { id: string }
}

/** A database with the edges over it, and a key for each business that a test adds. */
async function startLog(database: Database) {
  const callers = new Map<string, { tenant: Tenant; scopes: readonly KeyPermission[] }>()
  const service = await startTestService({
    services: {
      accounts: {
        authenticate: async (key) => {
          const caller = callers.get(key)
          if (caller === undefined) throw new ServiceError('unauthenticated')
          const { account, ...rest } = credential(caller.tenant.network)
          return { ...rest, account, tenant: caller.tenant, key: { ...rest.key, scopes: caller.scopes } }
        },
      },
      eventLog: createEventLogServices({ eventLog: createEventLog(database), chainName: () => 'solana:mainnet' }),
    },
  })
  const keyOf = (tenant: Tenant, scopes: readonly KeyPermission[] = USUAL_KEY_SCOPES): string => {
    const key = `sk_${tenant.network}_${crypto.randomUUID().replaceAll('-', '')}`
    callers.set(key, { tenant, scopes })
    return key
  }
  async function read(key: string, variables: object = {}) {
    const { body } = await service.graphql(PAGE, variables, withKey(key))
    const connection = body.data?.events
    const edges: readonly { cursor: string; node: Node }[] = connection?.edges ?? []
    return {
      nodes: edges.map(({ node }) => node),
      shown: edges.map(({ node }) => [node.type, node.data.id, node.version]),
      types: edges.map(({ node }) => node.type),
      pageInfo: connection?.pageInfo,
      error: body.errors?.[0],
    }
  }
  return { service, keyOf, read, stores: storesOf(database) }
}
type Log = Awaited<ReturnType<typeof startLog>>

async function receive({ work }: Pick<Stores, 'work'>, intent: PaymentIntent, amount: bigint): Promise<PaymentIntent> {
  const patch = { status: 'underpaid', received: units(amount) } as const
  const change = step(startChange(intent), patch, NOW, 'intent.underpaid')
  expect(await work.apply(change)).toBe(true)
  return change.after
}
const forSeller = ({ accountId }: Tenant) => ({ accountId, marketplaceFeeBps: makeBasisPoints(250) })

describe('events', () => {
  let database: Database
  let statements: Statement[]
  let log: Log
  let stores: Stores
  let tenant: Tenant
  let key: string
  beforeAll(async () => {
    ;({ database, statements } = await openRecordedDatabase())
    log = await startLog(database)
    stores = log.stores
  })
  beforeEach(async () => {
    tenant = await addBusiness(database)
    key = log.keyOf(tenant)
  })
  afterAll(async () => {
    await log.service.close()
    await database.close()
  })

  /** Stages the events of a payment: one of its creation, and one for each amount after it. */
  async function pay(received: number, by = tenant, fields: Parameters<typeof addIntent>[2] = {}) {
    let intent = await addIntent(stores, by, fields)
    for (let amount = 1; amount <= received; amount += 1) intent = await receive(stores, intent, BigInt(amount))
    return intent
  }

  it('shows every event of the business in its order, the oldest first', async () => {
    const first = await pay(0)
    const second = await pay(1)
    await receive(stores, first, 5n)
    expect((await log.read(key)).shown).toEqual([
      ['intent.created', first.id, 1],
      ['intent.created', second.id, 1],
      ['intent.underpaid', second.id, 2],
      ['intent.underpaid', first.id, 2],
    ])
  })

  it('shows what the body of the webhook has', async () => {
    const intent = await pay(0)
    const [event] = await database.prisma.event.findMany({ where: { intentId: intent.id } })
    expect((await log.read(key)).nodes).toEqual([
      {
        id: event?.id,
        type: 'intent.created',
        timestamp: event?.createdAt.toISOString(),
        apiVersion: '2026-11-01',
        livemode: true,
        account: { id: tenant.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
        version: 1,
        data: JSON.parse(JSON.stringify(intentEventData(intent))),
      },
    ])
  })

  it('pages forward without a gap or a repeat, and the last cursor finds newer events later', async () => {
    let intent = await pay(6)
    const versions: number[] = []
    let after: string | null = null
    for (;;) {
      const { nodes, pageInfo }: Awaited<ReturnType<Log['read']>> = await log.read(key, { first: 3, after })
      versions.push(...nodes.map(({ version }) => version))
      after = pageInfo.endCursor
      if (!pageInfo.hasNextPage) break
    }
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await log.read(key, { after })).toMatchObject({
      nodes: [],
      pageInfo: { hasNextPage: false, startCursor: null, endCursor: null },
    })
    intent = await receive(stores, intent, 8n)
    expect((await log.read(key, { after })).shown).toEqual([['intent.underpaid', intent.id, 8]])
  })

  it('pages backward, so that the newest event gives a cursor to begin with', async () => {
    await pay(4)
    const newest = await log.read(key, { last: 2 })
    expect(newest.nodes.map(({ version }) => version)).toEqual([4, 5])
    expect(newest.pageInfo.hasPreviousPage).toBe(true)
    const before = await log.read(key, { last: 2, before: newest.pageInfo.startCursor })
    expect(before.nodes.map(({ version }) => version)).toEqual([2, 3])
  })

  it('shows the events of subscriptions, of charges and of tests, whatever types the endpoint chose', async () => {
    await addEndpoint(database, tenant.accountId)
    await database.query(`UPDATE webhook_endpoints SET event_types = '{intent.swept}' WHERE account_id = $1`, [
      tenant.accountId,
    ])
    const tier = await addTier(database, tenant)
    const delegation = await addDelegation(database, tier)
    const checkout = await addSubscriptionIntent(database, tier)
    const { subscription, charge, transfer } = newSubscription(tier, checkout, delegation)
    const change = {
      ...changeOf(null, subscription),
      events: [
        { type: 'subscription.created', subscription },
        { type: 'charge.created', charge },
      ],
      charges: [charge],
      transfers: [transfer],
    } as const
    expect(await createBillingStore(database).apply(change, delegation)).toBe(true)
    await createDeliveryLog(database).stageTest({
      accountId: tenant.accountId,
      endpointId: null,
      network: 'live',
      at: NOW,
    })
    const { nodes } = await log.read(key)
    expect(nodes).toMatchObject([
      { type: 'subscription.created', version: 1, data: { id: subscription.id, status: 'incomplete', version: 1 } },
      { type: 'charge.created', version: 1, data: { id: charge.id, amount: '1000000', version: 1 } },
      { type: 'webhook.test', version: 1, data: { message: expect.any(String) } },
    ])
  })

  it('shows a marketplace the events of its sellers, and leaves out intent.updated', async () => {
    const sellerId = await addAccount(database, {
      name: 'Blue Shop',
      marketplaceId: tenant.accountId,
      externalId: 'shop-17',
    })
    const seller = { ...tenant, accountId: sellerId }
    const intent = await pay(1, tenant, forSeller(seller))
    await patchIntent(stores.work, intent, { received: units(9n) })
    const kept = await database.prisma.event.findMany({ where: { intentId: intent.id, type: 'intent.updated' } })
    expect(kept).toHaveLength(1)
    const { nodes } = await log.read(key)
    expect(nodes).toMatchObject([
      { type: 'intent.created', account: { id: sellerId, name: 'Blue Shop', isSeller: true, externalId: 'shop-17' } },
      { type: 'intent.underpaid', account: { id: sellerId, isSeller: true } },
    ])
    expect((await log.read(log.keyOf(seller))).nodes).toEqual([])
  })

  it('shows nothing of another business, or of the other network', async () => {
    const other = await addBusiness(database)
    const test = await addBusiness(database, 'test')
    const otherSeller = await addBusiness(database, 'live', other.accountId)
    const own = await pay(0)
    await pay(0, other)
    await pay(0, other, forSeller(otherSeller))
    const tried = await pay(0, test)
    expect((await log.read(key)).shown).toEqual([['intent.created', own.id, 1]])
    expect((await log.read(log.keyOf(other))).nodes).toHaveLength(2)
    expect((await log.read(log.keyOf(test))).nodes).toMatchObject([{ livemode: false, data: { id: tried.id } }])
    expect((await log.read(log.keyOf({ ...tenant, network: 'test' }))).nodes).toEqual([])
  })

  it('refuses a cursor that is malformed, changed, or of another business or network', async () => {
    await pay(1)
    const other = await addBusiness(database)
    await pay(0, other)
    const { endCursor } = (await log.read(key)).pageInfo
    const foreign = (await log.read(log.keyOf(other))).pageInfo.endCursor
    for (const after of ['x', '', '7 7', endCursor.slice(0, -2), `${endCursor}AA`, foreign])
      expect((await log.read(key, { after })).error).toMatchObject({
        message: 'after is not valid',
        path: ['events'],
        extensions: { code: 'invalid_request' },
      })
    const { error } = await log.read(log.keyOf({ ...tenant, network: 'test' }), { after: endCursor })
    expect(error).toMatchObject({ message: 'after is not valid' })
  })

  it.each([
    ['first', { first: 101 }],
    ['first', { first: 0 }],
    ['last', { last: 101 }],
  ] as const)('refuses a page size of %s outside 1 to 100', async (name, size) => {
    const { error } = await log.read(key, size)
    expect(error).toMatchObject({ message: `${name} must be 1 to 100`, extensions: { code: 'invalid_request' } })
  })

  it('has 20 entries in a page unless a size is given', async () => {
    await pay(20)
    const { nodes, pageInfo } = await log.read(key)
    expect([nodes.length, pageInfo.hasNextPage]).toEqual([20, true])
  })

  it.each([[['payments']], [['subscriptions-view']], [[]]] as const)(
    'refuses a key with the scopes %j, which may not read every kind of event',
    async (scopes) => {
      expect((await log.read(log.keyOf(tenant, scopes))).error).toMatchObject({ extensions: { code: 'forbidden' } })
    },
  )

  it('needs no more than the scopes for payments and for reading subscriptions', async () => {
    await pay(0)
    expect((await log.read(log.keyOf(tenant, ['payments', 'subscriptions-view']))).nodes).toHaveLength(1)
  })

  it('refuses a caller without a key', async () => {
    const { body } = await log.service.graphql(PAGE)
    expect(body.errors).toMatchObject([{ extensions: { code: 'unauthenticated' } }])
  })

  it('continues with the oldest event that is kept after a cursor whose next events are deleted', async () => {
    await pay(5)
    const { endCursor } = (await log.read(key, { first: 2 })).pageInfo
    const old = new Date(NOW.getTime() - RETENTION_MS)
    await database.query('UPDATE events SET created_at = $2 WHERE receiver_account_id = $1 AND version <= 4', [
      tenant.accountId,
      old,
    ])
    await createDeliveryLog(database).pruneEvents({ before: new Date(old.getTime() + 1), after: 0n, limit: 10_000 })
    for (const after of [endCursor, null])
      expect((await log.read(key, { after })).nodes.map(({ version }) => version)).toEqual([5, 6])
  })

  it('costs more points with the data of its events than without', () => {
    const pointsOf = (fields: string) => {
      const [operation] = parse(`{ events(first: 100) { edges { node { ${fields} } } } }`).definitions
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
      return costOf(schema, operation, new Map())({})
    }
    expect([pointsOf('id type'), pointsOf('id type data')]).toEqual([2, 17])
  })

  describe('in a large table', () => {
    const COUNT = 10_000
    let reader: string
    beforeAll(async () => {
      const [busy, other] = [await addBusiness(database), await addBusiness(database)]
      reader = log.keyOf(busy)
      const intent = await pay(0, busy)
      // Two businesses whose events take turns, in a transaction for each hundred. Every tenth is for the feed alone.
      await database.query(
        `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data,
           database_transaction)
         SELECT 'live', receiver, receiver, CASE WHEN number % 10 = 0 THEN 'intent.updated' ELSE event.type END, subject_kind,
           subject_id, intent_id, data, 1 + number / 100
         FROM generate_series(1, ${COUNT}) number CROSS JOIN unnest(ARRAY[$1, $2]::uuid[]) receiver
         JOIN events event ON event.intent_id = $3`,
        [busy.accountId, other.accountId, intent.id],
      )
      await database.session(({ script }) => script('VACUUM ANALYZE events, accounts'))
    })

    it('a page of any size and place is one statement, which reads it by the index of the log', async () => {
      const pages = [{ first: 1 }, { first: 100 }, { last: 1 }, { last: 100 }]
      const { endCursor } = (await log.read(reader, { last: 50 })).pageInfo
      const shapes = new Set<string>()
      for (const page of [...pages, { first: 100, after: endCursor }, { last: 100, before: endCursor }]) {
        statements.splice(0)
        expect((await log.read(reader, page)).error).toBeUndefined()
        expect(statements).toHaveLength(1)
        shapes.add(statements.map(shapeOf).join())
        const indexes = await indexesOf(database, statements[0])
        expect(indexes.filter((index) => index.startsWith('events'))).toEqual(['events_of_log'])
      }
      // One for each direction.
      expect(shapes.size).toBe(2)
    })

    it('a page reads as many entries of the index as it shows', async () => {
      const read = async (page: object) => {
        statements.splice(0)
        await log.read(reader, page)
        const plan = await planOf(database, statements[0], 'ANALYZE, TIMING OFF, COSTS OFF')
        expect(plan.filter((line) => line.includes('Removed by Filter'))).toEqual([])
        return plan.find((line) => line.includes('events_of_log'))
      }
      expect(await read({ first: 50 })).toMatch(/actual rows=51(\.00)? loops=1/)
      expect(await read({ last: 50 })).toMatch(/actual rows=51(\.00)? loops=1/)
    })
  })
})

// The embedded engine has one connection, so its transactions end in the order in which they begin.
it('an event that commits after a later one is not missed: the later one waits for it', async () => {
  const database = await openTestDatabase('postgresql')
  const log = await startLog(database)
  const tenant = await addBusiness(database)
  const key = log.keyOf(tenant)
  const [first, second] = [await addIntent(log.stores, tenant), await addIntent(log.stores, tenant)]
  const settled = async (after: string | null, count: number) => {
    for (;;) {
      const page = await log.read(key, { after })
      if (page.nodes.length >= count) return page
    }
  }
  const { endCursor } = (await settled(null, 2)).pageInfo
  await database.session(async ({ query }) => {
    await query('BEGIN')
    // It has a number before its first event has one.
    await query('SELECT pg_current_xact_id()')
    await receive(log.stores, second, 5n)
    expect((await log.read(key, { after: endCursor })).nodes).toEqual([])
    expect((await log.read(key, { last: 1 })).shown).toEqual([['intent.created', second.id, 1]])
    await query(
      `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data)
       SELECT network, account_id, receiver_account_id, 'intent.paid', subject_kind, subject_id, intent_id, data
       FROM events WHERE intent_id = $1`,
      [first.id],
    )
    await query('COMMIT')
  })
  expect((await settled(endCursor, 2)).shown).toEqual([
    ['intent.paid', first.id, 1],
    ['intent.underpaid', second.id, 2],
  ])
  await log.service.close()
  await database.close()
})
