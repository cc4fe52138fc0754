// GET /events and GET /events/:id over a real database: order, pages, types, refusals, whose events they show, and their SQL.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createEventLog } from '#adapters/prisma/events/event-log.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import type { WebhookEnvelope } from '#core/events/envelope.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { createEventLogServices } from '#services/events/event-log.ts'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { openRecordedDatabase, type Statement } from '../../support/database.ts'
import { NOW, units } from '../../support/payment.ts'
import { credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { indexesOf, planOf } from '../../support/statements.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../support/stores.ts'
import { addAccount } from '../../support/webhook-rows.ts'
import { HUGE } from '../../support/wire.ts'

const callers = new Map<string, { readonly tenant: Tenant; readonly scopes?: readonly KeyPermission[] }>()
let database: Database
let statements: Statement[]
let stores: Stores
let service: TestService
let tenant: Tenant
let key: string

const log = () =>
  createEventLogServices({ eventLog: createEventLog(database), chainName: ({ length }) => `solana:${length}` })

beforeAll(async () => {
  ;({ database, statements } = await openRecordedDatabase())
  stores = storesOf(database)
  service = await startTestService({
    services: {
      accounts: {
        authenticate: async (key) => {
          const caller = callers.get(key)
          if (caller === undefined) throw new ServiceError('unauthenticated')
          const { tenant, scopes } = caller
          const { key: shown, ...rest } = credential(tenant.network)
          return { ...rest, tenant, key: { ...shown, ...(scopes !== undefined && { scopes }) } }
        },
      },
      eventLog: log(),
    },
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})
beforeEach(async () => {
  tenant = await addBusiness(database)
  key = keyOf(tenant)
})

function keyOf(tenant: Tenant, scopes?: readonly KeyPermission[]): string {
  const key = `sk_${tenant.network}_${crypto.randomUUID().replaceAll('-', '')}`
  callers.set(key, { tenant, ...(scopes !== undefined && { scopes }) })
  return key
}

/** Stages the events of a payment: one of its creation, and one for each amount after it. */
async function pay(received: number, by = tenant, fields: Parameters<typeof addIntent>[2] = {}) {
  let intent = await addIntent(stores, by, fields)
  for (let count = 0; count < received; count += 1) intent = await receive(intent)
  return intent
}
async function receive(intent: PaymentIntent): Promise<PaymentIntent> {
  const patch = { status: 'underpaid', received: units(HUGE + BigInt(intent.version)) } as const
  const change = step(startChange(intent), patch, NOW, 'intent.underpaid')
  expect(await stores.work.apply(change)).toBe(true)
  return change.after
}

const get = (path: string, by = key) => service.get(path, withKey(by))
async function page(query = '', by = key): Promise<{ events: readonly WebhookEnvelope[]; next_cursor: string | null }> {
  const { status, body } = await get(`/events${query}`, by)
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
const typesOf = async (query: string) => (await page(query)).events.map(({ type }) => type)
/** The bodies that webhooks have, as `deliver` writes them. */
async function bodiesOf(tenant: Tenant): Promise<readonly string[]> {
  const { page, bodyOf } = log()
  const events = await page(tenant, { ...EVERY_EVENT, after: null, before: null, order: 'asc', limit: 100 })
  return events.map((event) => JSON.stringify(bodyOf(event)))
}

const EVERY_EVENT = { type: null, from: null, to: null, sellerId: null, subscriptionId: null } as const

describe('GET /events', () => {
  it('shows every event, the oldest first, byte for byte as its webhook', async () => {
    const sellerId = await addAccount(database, { name: 'Blue', marketplaceId: tenant.accountId, externalId: 's-1' })
    await pay(2)
    await pay(1, tenant, { accountId: sellerId, marketplaceFeeBps: makeBasisPoints(250) })
    const bodies = await bodiesOf(tenant)
    expect(bodies).toHaveLength(5)
    const { text, body } = await get('/events')
    expect(text).toBe(`{"events":[${bodies}],"next_cursor":"${body.next_cursor}"}`)
    expect(text).toContain(`"received_lamports":"${HUGE + 1n}"`)
  })

  it('gives each event once, page by page, while events are added, and the last cursor finds newer ones later', async () => {
    let intent = await pay(3)
    const seen: string[] = []
    let after = ''
    for (;;) {
      const { events, next_cursor } = await page(`?limit=2${after}`)
      seen.push(...events.map(({ id }) => id))
      if (next_cursor === null) break
      after = `&after=${next_cursor}`
      if (seen.length < 6) intent = await receive(intent)
    }
    expect([seen.length, new Set(seen).size]).toEqual([6, 6])
    await receive(intent)
    expect((await page(`?${after.slice(1)}`)).events).toMatchObject([{ type: 'intent.underpaid' }])
  })

  it('shows the events of one type, in pages of its own', async () => {
    await pay(1)
    await pay(2)
    expect(await typesOf('?type=intent.created')).toEqual(['intent.created', 'intent.created'])
    const first = await page('?type=intent.underpaid&limit=2')
    expect(await typesOf(`?type=intent.underpaid&after=${first.next_cursor}`)).toEqual(['intent.underpaid'])
    expect(await page('?type=charge.failed')).toEqual({ events: [], next_cursor: null })
    expect((await get(`/events?after=${first.next_cursor}`)).body).toEqual({ error: 'after is not valid' })
  })

  it('shows a business only what is its own, and a test key only the test network', async () => {
    const other = await addBusiness(database)
    const test = await addBusiness(database, 'test')
    await pay(0)
    await pay(0, other)
    await pay(0, test)
    for (const [by, business] of [
      [key, tenant],
      [keyOf(other), other],
      [keyOf(test), test],
    ] as const)
      expect((await page('', by)).events).toMatchObject([
        { livemode: business.network === 'live', account: { id: business.accountId } },
      ])
    expect((await page('', keyOf(tenantOf({ id: tenant.accountId, network: 'test' })))).events).toEqual([])
    const { next_cursor } = await page('')
    expect((await get(`/events?after=${next_cursor}`, keyOf(other))).body).toEqual({ error: 'after is not valid' })
  })

  it.each([
    ['limit=0', 'limit must be an integer from 1 to 100'],
    ['limit=101', 'limit must be an integer from 1 to 100'],
    ['after=', 'after must not be empty'],
    ['after=x', 'after is not valid'],
    ['after=a&after=b', 'after must be given once'],
    ['type=', 'type must not be blank'],
    ['type=intent.updated', 'type is not a type of event'],
    ['type=intent.swept,intent.paid', 'type is not a type of event'],
    ['type=intent.swept&type=intent.paid', 'type must be a string'],
  ])('?%s answers 400', async (query, error) => {
    const { status, body } = await get(`/events?${query}`)
    expect([status, body]).toEqual([400, { error }])
  })
})

describe('GET /events/:id', () => {
  it('answers the body of the webhook, byte for byte', async () => {
    await pay(2)
    for (const body of await bodiesOf(tenant)) expect((await get(`/events/${JSON.parse(body).id}`)).text).toBe(body)
  })

  it('answers 404 to the id of another business, of the other network, of no event of the log, and to a text that is no id', async () => {
    const other = await addBusiness(database)
    const seller = await addAccount(database, { marketplaceId: tenant.accountId })
    const intent = await pay(0, tenant, { accountId: seller, marketplaceFeeBps: makeBasisPoints(250) })
    await pay(0, other)
    await patchIntent(stores.work, intent, { received: units(9n) })
    const [updated] = await database.prisma.event.findMany({ where: { intentId: intent.id, type: 'intent.updated' } })
    expect(updated).toBeDefined()
    const [foreign] = (await page('', keyOf(other))).events
    for (const id of [foreign?.id, updated?.id, crypto.randomUUID(), 'intent.swept']) {
      const { status, body } = await get(`/events/${id}`)
      expect([status, body]).toEqual([404, { error: 'event not found' }])
    }
    const [own] = (await page()).events
    const ofTest = keyOf(tenantOf({ id: tenant.accountId, network: 'test' }))
    expect((await get(`/events/${own?.id}`, ofTest)).status).toBe(404)
  })
})

describe('GET /exports/events.csv', () => {
  /** The ids of the records, and the bodies of the webhooks that they are about. */
  async function exported(query = '', by = key) {
    const { status, text } = await get(`/exports/events.csv${query}`, by)
    expect(status).toBe(200)
    const [header, ...records] = text.trimEnd().split('\r\n')
    expect(header).toBe('id,type,timestamp,livemode,account_id,account_name,is_seller,external_id,version,data')
    return records
  }
  const idsOf = (records: readonly string[]) => records.map((record) => record.slice(0, record.indexOf(',')))

  it('has every event of the log once, the oldest first, with the exact data of its webhook', async () => {
    const seller = await addAccount(database, { name: 'Blue', marketplaceId: tenant.accountId, externalId: 's-1' })
    await pay(60)
    await pay(60, tenant, { accountId: seller, marketplaceFeeBps: makeBasisPoints(250) })
    await pay(1, await addBusiness(database))
    const bodies = await bodiesOf(tenant)
    const rest = (await page(`?limit=100&after=${(await page('?limit=100')).next_cursor}`)).events
    const records = await exported()
    expect(records).toHaveLength(122)
    expect(idsOf(records).slice(100)).toEqual(rest.map(({ id }) => id))
    for (const [at, body] of bodies.entries()) {
      const { id, type, account } = JSON.parse(body)
      const data = body.slice(body.indexOf('"data":') + '"data":'.length, -1).replaceAll('"', '""')
      expect(records[at]).toContain(`${id},${type},`)
      expect(records[at]).toContain(`,${account.name},${account.is_seller},${account.external_id ?? ''},`)
      expect(records[at]?.endsWith(`,"${data}"`)).toBe(true)
    }
  })

  it('has the events of a range of time, and those about a seller', async () => {
    const seller = await addAccount(database, { marketplaceId: tenant.accountId })
    const [first, second] = [new Date(NOW.getTime() - 60_000), NOW]
    await pay(0, tenant, { createdAt: first })
    await pay(0, tenant, { createdAt: second, accountId: seller, marketplaceFeeBps: makeBasisPoints(250) })
    const [one, two] = idsOf(await exported())
    const [from, to] = [`from=${second.toISOString()}`, `to=${second.toISOString()}`]
    expect(idsOf(await exported(`?${from}`))).toEqual([two])
    expect(idsOf(await exported(`?${to}`))).toEqual([one])
    expect(idsOf(await exported(`?seller_id=${seller}`))).toEqual([two])
    expect(await exported(`?seller_id=${seller}&${to}`)).toEqual([])
    expect(await exported(`?seller_id=${await addAccount(database)}`)).toEqual([])
    expect((await get('/exports/events.csv?seller_id=blue')).status).toBe(404)
  })

  it.each([
    ['from=yesterday', 'from must be a time as in RFC 3339, such as 2026-11-20T12:00:00Z'],
    ['from=0000-12-31T23:59:59Z', 'from is before year 1'],
    ['to=0000-12-31T23:59:59Z', 'to is before year 1'],
    ['from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', 'to must not be before from'],
  ])('?%s answers 400', async (query, error) => {
    const { status, body } = await get(`/exports/events.csv?${query}`)
    expect([status, body]).toEqual([400, { error }])
  })
})

it('are 403 for a key without the scopes of payments and of reading subscriptions', async () => {
  for (const path of ['/events', `/events/${crypto.randomUUID()}`, '/exports/events.csv'])
    for (const scopes of [['payments'], ['subscriptions-view'], []] as const)
      expect((await get(path, keyOf(tenant, scopes))).status).toBe(403)
})

describe('in a large table', () => {
  const COUNT = 10_000
  const FIRST = new Date('2026-01-01T00:00:00Z')
  const inSeconds = (seconds: number) => new Date(FIRST.getTime() + seconds * 1_000).toISOString()
  let seller: string
  beforeAll(async () => {
    const [busy, other] = [await addBusiness(database), await addBusiness(database)]
    seller = await addAccount(database, { marketplaceId: busy.accountId })
    const intent = await pay(0, busy)
    // Two businesses whose events take turns, one each second; one of 2,500 is swept, and one of 1,000 is of a seller.
    await database.query(
      `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data,
         database_transaction, created_at)
       SELECT 'live', CASE WHEN number % 1000 = 0 AND receiver = $1 THEN $4::uuid ELSE receiver END, receiver,
         CASE WHEN number % 2500 = 0 THEN 'intent.swept' ELSE event.type END, subject_kind,
         subject_id, intent_id, data, 1 + number / 100, $5::timestamptz + number * interval '1 second'
       FROM generate_series(1, ${COUNT}) number CROSS JOIN unnest(ARRAY[$1, $2]::uuid[]) receiver
       JOIN events event ON event.intent_id = $3`,
      [busy.accountId, other.accountId, intent.id, seller, FIRST],
    )
    await database.session(({ script }) => script('VACUUM ANALYZE events, accounts'))
    callers.set('sk_live_busy', { tenant: busy })
  })

  it.each([
    ['', 20, 'events_of_log'],
    ['?limit=100', 100, 'events_of_log'],
    ['?type=intent.swept', 4, 'events_of_log_by_type'],
  ])('a page of %s is one statement, which reads it by an index', async (query, count, index) => {
    statements.splice(0)
    expect((await page(query, 'sk_live_busy')).events).toHaveLength(count)
    expect(statements).toHaveLength(1)
    const indexes = await indexesOf(database, statements[0])
    expect(indexes.filter((name) => name.startsWith('events'))).toEqual([index])
  })

  it.each([
    ['of a range', () => `from=${inSeconds(9_000)}&to=${inSeconds(9_010)}`, 10, 'events_of_log'],
    ['of a seller', () => `seller_id=${seller}`, 10, 'events_of_sellers'],
  ])('an export %s reads no event outside of it', async (_, query, count, index) => {
    statements.splice(0)
    const { text } = await get(`/exports/events.csv?${query()}`, 'sk_live_busy')
    expect([text.trimEnd().split('\r\n').length, statements.length]).toEqual([count + 1, 1])
    const plan = await planOf(database, statements[0], 'ANALYZE, TIMING OFF, COSTS OFF')
    expect(plan.filter((line) => line.includes('Removed by Filter'))).toEqual([])
    expect(plan.filter((line) => line.includes('Index Scan using events'))).toMatchObject([
      expect.stringContaining(`${index} on events`),
    ])
  })

  it('those of a subscription and its charges are found by an index, and by no other business', async () => {
    const busy = callers.get('sk_live_busy')?.tenant
    if (busy === undefined) throw new Error('no business')
    const tier = await addTier(database, busy)
    const [one, other] = [
      await addSubscription(database, tier, Date.now()),
      await addSubscription(database, tier, Date.now()),
    ]
    const add = async (type: string, kind: string, id: string) => {
      await database.query(
        `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, data)
         VALUES ('live', $1, $1, $2, $3, $4, '{}')`,
        [busy.accountId, type, kind, id],
      )
    }
    for (const { subscription, charge } of [one, other]) {
      await add('charge.created', 'charge', charge.id)
      await add('subscription.paused', 'subscription', subscription.id)
    }
    statements.splice(0)
    const read = async (by: Tenant) => {
      const place = { after: null, before: null, order: 'asc', limit: 50 } as const
      return await createEventLog(database).read(by, { ...EVERY_EVENT, ...place, subscriptionId: one.subscription.id })
    }
    expect((await read(busy)).map(({ type }) => type)).toEqual(['charge.created', 'subscription.paused'])
    expect(await indexesOf(database, statements[0])).toContain('events_of_subscriptions')
    expect(await read(tenant)).toEqual([])
  })

  it('an event is found by its id', async () => {
    const [event] = (await page('', 'sk_live_busy')).events
    statements.splice(0)
    expect((await get(`/events/${event?.id}`, 'sk_live_busy')).status).toBe(200)
    expect(statements).toHaveLength(1)
    expect(await indexesOf(database, statements[0])).toContain('events_pkey')
  })
})
