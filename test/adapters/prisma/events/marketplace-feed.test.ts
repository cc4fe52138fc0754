// The feed of a marketplace: every event of its sellers' payments once and in one order, from any position.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, DatabaseUnavailableError } from '#adapters/prisma/engine/database.ts'
import { continueEventOrder } from '#adapters/prisma/events/event-log.ts'
import {
  createMarketplaceFeed,
  type MarketplaceFeedAdapter,
  readFeedPage,
} from '#adapters/prisma/events/marketplace-feed.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { type IntentPatch, startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { FeedEvent, FeedPosition } from '#ports/live.ts'
import { describeOnBothEngines, openTestDatabase, type Statement } from '../../../support/database.ts'
import { NOW, units } from '../../../support/payment.ts'
import { indexesOf, planOf } from '../../../support/statements.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

const clock = { now: () => NOW }
/** No reading without a notice, unless a test wants one. */
const NEVER = { idle: 2 ** 30, pending: 5 }

describeOnBothEngines('the feed of a marketplace', (open) => {
  let db: Database
  let stores: Stores
  let marketplace: Tenant
  let seller: Tenant
  let feed: MarketplaceFeedAdapter
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  beforeEach(async () => {
    marketplace = await addBusiness(db)
    seller = await addBusiness(db, 'live', marketplace.accountId)
    feed = await createMarketplaceFeed(db, clock, NEVER)
  })
  afterEach(() => feed.close())

  const pay = (of = seller, by = marketplace) =>
    addIntent(stores, by, { accountId: of.accountId, marketplaceFeeBps: makeBasisPoints(250) })
  const receive = async (intent: PaymentIntent, amount: bigint): Promise<PaymentIntent> => {
    const patch = { status: 'underpaid', received: units(amount) } as const
    const change = step(startChange(intent), patch, NOW, 'intent.underpaid')
    expect(await stores.work.apply(change)).toBe(true)
    return change.after
  }

  function follow(after: FeedPosition, by = marketplace, from: MarketplaceFeedAdapter = feed) {
    const controller = new AbortController()
    const events: FeedEvent[] = []
    const ended = (async () => {
      for await (const event of from.follow(by, after, controller.signal)) events.push(event)
    })()
    const stop = async () => {
      controller.abort()
      await ended
    }
    return { events, stop, reached: (count: number) => until(() => events.length >= count) }
  }
  const versions = (events: readonly FeedEvent[]) => events.map(({ type, payment }) => [type, payment.version])

  test('shows the events from an outage of the database after it, without a notice', async () => {
    let failures = 0
    const failing: Database = {
      ...db,
      async query(...args) {
        if (failures === 0) return await db.query(...args)
        failures -= 1
        throw new DatabaseUnavailableError('no connection')
      },
      listen: async () => async () => {},
    }
    const one = await createMarketplaceFeed(failing, clock, { idle: 5, pending: 5 })
    const start = await one.present()
    failures = 2
    const follower = follow(start, marketplace, one)
    await pay()
    await follower.reached(1)
    expect([failures, versions(follower.events)]).toEqual([0, [['intent.created', 1]]])
    await follower.stop()
    await one.close()
  })

  test('shows new payments and each change of them, with the state after it', async () => {
    const follower = follow(await feed.present())
    const intent = await receive(await pay(), 7n)
    await follower.reached(2)
    expect(versions(follower.events)).toEqual([
      ['intent.created', 1],
      ['intent.underpaid', 2],
    ])
    expect(follower.events[1]?.payment).toEqual(intent)
    await follower.stop()
  })

  test('continues after any position with what happened since, and then live, without a gap or a repeat', async () => {
    const start = await feed.present()
    let intent = await pay()
    for (let amount = 1n; amount <= 45n; amount += 1n) intent = await receive(intent, amount)
    const whole = follow(start)
    await whole.reached(46)
    for (const at of [0, 19, 20, 44]) {
      const after = whole.events[at]?.position ?? start
      const rest = follow(after)
      await rest.reached(45 - at)
      expect(rest.events).toEqual(whole.events.slice(at + 1))
      await rest.stop()
    }
    const last = follow(whole.events.at(-1)?.position ?? start)
    intent = await receive(intent, 46n)
    await Promise.all([whole.reached(47), last.reached(1)])
    expect(last.events).toEqual(whole.events.slice(46))
    expect(versions(whole.events).map(([, version]) => version)).toEqual(Array.from({ length: 47 }, (_, at) => at + 1))
    await Promise.all([whole.stop(), last.stop()])
  })

  test('shows a change without an event, and keeps only the newest one of a payment', async () => {
    const start = await feed.present()
    const live = follow(start)
    const silent = async (intent: PaymentIntent, patch: IntentPatch) => await patchIntent(stores.work, intent, patch)
    const received = await receive(await pay(), 7n)
    const dust = await silent(received, { received: units(8n) })
    await live.reached(3)
    const dropped = await silent(dust, { status: 'pending', received: units(0n) })
    await live.reached(4)
    const named = await silent(dropped, { customerDetails: { email: 'ada@example.org' } })
    await live.reached(5)
    expect(versions(live.events)).toEqual([
      ['intent.created', 1],
      ['intent.underpaid', 2],
      ['intent.updated', 3],
      ['intent.updated', 4],
      ['intent.updated', 5],
    ])
    expect(live.events.slice(2).map(({ payment }) => payment)).toEqual([dust, dropped, named])
    await live.stop()
    const later = follow(live.events[1]?.position ?? start)
    await later.reached(1)
    expect(later.events.map(({ payment }) => payment)).toEqual([named])
    await later.stop()
  })

  test('shows no change that raises the version alone', async () => {
    const follower = follow(await feed.present())
    const same = await patchIntent(stores.work, await pay(), {})
    await receive(same, 7n)
    await follower.reached(2)
    expect(versions(follower.events)).toEqual([
      ['intent.created', 1],
      ['intent.underpaid', 3],
    ])
    await follower.stop()
  })

  test('shows what a change does after its last event', async () => {
    const follower = follow(await feed.present())
    const intent = await pay()
    const first = step(startChange(intent), { status: 'underpaid', received: units(7n) }, NOW, 'intent.underpaid')
    const second = step(first, { received: units(8n) }, NOW, null)
    expect(await stores.work.apply(second)).toBe(true)
    await follower.reached(3)
    expect(versions(follower.events).slice(1)).toEqual([
      ['intent.underpaid', 2],
      ['intent.updated', 3],
    ])
    await follower.stop()
  })

  test('shows nothing of another marketplace, of an ordinary business, or of the payments that the marketplace takes for itself', async () => {
    const other = await addBusiness(db)
    const otherSeller = await addBusiness(db, 'live', other.accountId)
    const follower = follow(await feed.present())
    const stranger = follow(await feed.present(), other)
    await pay(otherSeller, other)
    await addIntent(stores, other)
    await addIntent(stores, marketplace)
    const mine = await pay()
    await Promise.all([follower.reached(1), stranger.reached(1)])
    expect(follower.events.map(({ payment }) => payment.id)).toEqual([mine.id])
    expect(stranger.events.map(({ payment }) => payment.accountId)).toEqual([otherSeller.accountId])
    await Promise.all([follower.stop(), stranger.stop()])
  })

  test('many followers at one place share a reading', async () => {
    let pages = 0
    const counted: Database = {
      ...db,
      query: (text, params) => {
        if (text.includes('horizon')) pages += 1
        return db.query(text, params)
      },
    }
    const one = await createMarketplaceFeed(counted, clock, NEVER)
    const start = await one.present()
    const followers = Array.from({ length: 100 }, () => follow(start, marketplace, one))
    let intent = await pay()
    await Promise.all(followers.map((follower) => follower.reached(1)))
    pages = 0
    for (let amount = 1n; amount <= 5n; amount += 1n) intent = await receive(intent, amount)
    await Promise.all(followers.map((follower) => follower.reached(6)))
    for (const { events } of followers)
      expect(versions(events).map(([, version]) => version)).toEqual([1, 2, 3, 4, 5, 6])
    // A reading for each notice, and a few where followers are at different places.
    expect(pages).toBeLessThanOrEqual(25)
    await Promise.all(followers.map((follower) => follower.stop()))
    await one.close()
  })

  test('finds a change whose notice was lost', async () => {
    const deaf: Database = { ...db, listen: async () => async () => {} }
    const unaware = await createMarketplaceFeed(deaf, clock, { idle: 5, pending: 5 })
    const follower = follow(await unaware.present(), marketplace, unaware)
    await pay()
    await follower.reached(1)
    await follower.stop()
    await unaware.close()
  })

  test('a position reaches until its events may be deleted', async () => {
    const present = await feed.present()
    const ago = (ms: number) => ({ ...present, at: new Date(NOW.getTime() - ms) })
    expect([feed.reaches(present), feed.reaches(ago(RETENTION_MS - 90_000_000))]).toEqual([true, true])
    expect(feed.reaches(ago(RETENTION_MS - 86_400_000))).toBe(false)
  })

  describe('in a database that was restored from a dump', () => {
    test('new events follow the stored ones', async () => {
      const start = await feed.present()
      const before = follow(start)
      let intent = await pay()
      await before.reached(1)
      await before.stop()
      // The server of the dump had counted a million transactions more.
      await db.query('UPDATE events SET database_transaction = database_transaction + 1000000')
      await continueEventOrder(db)
      await continueEventOrder(db)
      intent = await receive(intent, 1n)
      const all = follow({ ...start, transaction: 0n })
      await all.reached(2)
      expect(versions(all.events)).toEqual([
        ['intent.created', 1],
        ['intent.underpaid', 2],
      ])
      await receive(intent, 2n)
      await all.reached(3)
      const rest = follow(all.events[0]?.position ?? start)
      await rest.reached(2)
      expect(rest.events).toEqual(all.events.slice(1))
      await Promise.all([all.stop(), rest.stop()])
    })
  })
})

// The embedded engine has one connection, so its transactions end in the order in which they begin.
test('an event that commits after a later one is not missed: the later one waits for it', async () => {
  const db = await openTestDatabase('postgresql')
  const stores = storesOf(db)
  const marketplace = await addBusiness(db)
  const seller = await addBusiness(db, 'live', marketplace.accountId)
  const feed = await createMarketplaceFeed(db, clock, NEVER)
  const start = await feed.present()
  const created = { accountId: seller.accountId, marketplaceFeeBps: makeBasisPoints(250) }
  const first = await addIntent(stores, marketplace, created)
  const second = await addIntent(stores, marketplace, created)
  const controller = new AbortController()
  const events: FeedEvent[] = []
  const ended = (async () => {
    for await (const event of feed.follow(marketplace, start, controller.signal)) events.push(event)
  })()
  await until(() => events.length === 2)
  let presentWhileOpen: FeedPosition | undefined
  await db.session(async ({ query }) => {
    await query('BEGIN')
    // It has a number before its first event has one.
    await query('SELECT pg_current_xact_id()')
    const change = step(startChange(second), { status: 'underpaid', received: units(5n) }, NOW, 'intent.underpaid')
    expect(await stores.work.apply(change)).toBe(true)
    presentWhileOpen = await feed.present()
    // A reader that passed the open transaction would have the later event now: other readings of this size did.
    for (let reading = 0; reading < 20; reading += 1) await feed.present()
    expect(events).toHaveLength(2)
    await query(
      `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data)
       SELECT network, account_id, receiver_account_id, 'intent.paid', subject_kind, subject_id, intent_id, data
       FROM events WHERE intent_id = $1`,
      [first.id],
    )
    await query('COMMIT')
  })
  await until(() => events.length === 4)
  expect(events.slice(2).map(({ type, payment }) => [type, payment.id])).toEqual([
    ['intent.paid', first.id],
    ['intent.underpaid', second.id],
  ])
  controller.abort()
  await ended
  // A cursor of the present, taken while the transaction was open, does not pass it.
  const again = new AbortController()
  const since: string[] = []
  for await (const { type } of feed.follow(marketplace, presentWhileOpen ?? start, again.signal)) {
    since.push(type)
    if (since.length === 2) again.abort()
  }
  expect(since).toEqual(['intent.paid', 'intent.underpaid'])
  await feed.close()
  await db.close()
})

test('a page reads no event of a subscription: they are not in its index', async () => {
  const db = await openTestDatabase()
  const marketplace = await addBusiness(db)
  const seller = await addBusiness(db, 'live', marketplace.accountId)
  const intent = await addIntent(storesOf(db), marketplace, {
    accountId: seller.accountId,
    marketplaceFeeBps: makeBasisPoints(250),
  })
  const other = await addBusiness(db)
  // All after the one event of the payment, and in turn with those of another business.
  await db.query(
    `INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, data, database_transaction)
     SELECT network, account_id, receiver, 'subscription.renewed', 'subscription', subject_id, '{}', database_transaction
     FROM generate_series(1, 10000) CROSS JOIN unnest(ARRAY[$1, $2]::uuid[]) receiver
     JOIN events ON intent_id = $3`,
    [marketplace.accountId, other.accountId, intent.id],
  )
  await db.session(({ script }) => script('VACUUM ANALYZE events'))
  const statements: Statement[] = []
  const recorded: Pick<Database, 'query'> = {
    query: (sql, values = []) => {
      statements.push({ sql, values })
      return db.query(sql, values)
    },
  }
  await readFeedPage(recorded, marketplace, { transaction: 0n, sequence: 0n })
  expect(await indexesOf(db, statements[0])).toContain('events_for_marketplaces')
  const plan = await planOf(db, statements[0], 'ANALYZE, TIMING OFF, COSTS OFF')
  expect(plan.filter((line) => line.includes('Removed by Filter'))).toEqual([])
  expect(plan.find((line) => line.includes('events_for_marketplaces'))).toMatch(/actual rows=1(\.00)? loops=1/)
  await db.close()
})
