// Live status: the current state of the intent, then every later state, each once and in order.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, DatabaseUnavailableError } from '#adapters/prisma/engine/database.ts'
import { createLiveEvents, type LiveEventsAdapter } from '#adapters/prisma/events/live-events.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { type IntentChange, moveTo, startChange, step } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { describeOnBothEngines, openTestDatabase } from '../../../support/database.ts'
import { NOW, units } from '../../../support/payment.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

describeOnBothEngines('live events', (open) => {
  let db: Database
  let stores: Stores
  let tenant: Tenant
  let intent: PaymentIntent
  let live: LiveEventsAdapter
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
    tenant = await addBusiness(db)
  })
  beforeEach(async () => {
    intent = await addIntent(stores, tenant)
    live = await createLiveEvents(db)
  })
  afterEach(async () => {
    await live.close()
  })

  /** Follows an intent and collects the states that it receives. */
  function follow(events: LiveEventsAdapter = live, id = intent.id) {
    const controller = new AbortController()
    const states: PaymentIntent[] = []
    const ended = (async () => {
      for await (const state of events.follow(id, controller.signal)) states.push(state)
    })()
    return { states, ended, stop: () => controller.abort(), versions: () => states.map(({ version }) => version) }
  }
  const apply = async (change: IntentChange): Promise<PaymentIntent> => {
    expect(await stores.work.apply(change)).toBe(true)
    return change.after
  }
  const underpaid = (received: bigint) =>
    step(startChange(intent), { status: 'underpaid', received: units(received) }, NOW, 'intent.underpaid')
  const received = (follower: ReturnType<typeof follow>, count: number) => until(() => follower.states.length >= count)

  test('begin with the current state of the intent', async () => {
    const follower = follow()
    await received(follower, 1)
    expect(follower.states).toEqual([intent])
    follower.stop()
    await follower.ended
  })

  test('show every step of one change, each with its own state', async () => {
    const follower = follow()
    await received(follower, 1)
    const paid = moveTo(startChange(intent), 'paid', { received: units(9n) }, NOW)
    await apply(moveTo(paid, 'settling', {}, NOW))
    await received(follower, 3)
    expect(follower.states.map(({ status, version }) => [status, version])).toEqual([
      ['pending', 1],
      ['paid', 2],
      ['settling', 3],
    ])
    follower.stop()
    await follower.ended
  })

  test('skip none of many changes, and repeat none, for each of several followers', async () => {
    const followers = [follow(), follow(), follow()]
    await Promise.all(followers.map((follower) => received(follower, 1)))
    for (let amount = 1n; amount <= 60n; amount += 1n) intent = await apply(underpaid(amount))
    await Promise.all(followers.map((follower) => received(follower, 61)))
    for (const follower of followers) {
      expect(follower.versions()).toEqual(Array.from({ length: 61 }, (_, at) => at + 1))
      follower.stop()
      await follower.ended
    }
  })

  test('read a change once for all followers, however many they are', async () => {
    let reads = 0
    const counted = Object.create(db.prisma.paymentIntent, {
      findUnique: {
        value: (...args: Parameters<typeof db.prisma.paymentIntent.findUnique>) => {
          reads += 1
          return db.prisma.paymentIntent.findUnique(...args)
        },
      },
    })
    const prisma = new Proxy(db.prisma, {
      get: (of, name) => (name === 'paymentIntent' ? counted : Reflect.get(of, name)),
    })
    const one = await createLiveEvents({ ...db, prisma })
    const followers = Array.from({ length: 100 }, () => follow(one))
    await Promise.all(followers.map((follower) => received(follower, 1)))
    const atStart = reads
    for (let amount = 1n; amount <= 5n; amount += 1n) intent = await apply(underpaid(amount))
    await Promise.all(followers.map((follower) => received(follower, 6)))
    for (const follower of followers) {
      expect(follower.versions()).toEqual([1, 2, 3, 4, 5, 6])
      follower.stop()
    }
    await Promise.all(followers.map(({ ended }) => ended))
    await one.close()
    expect(atStart).toBe(followers.length)
    // One read for each notice, and a few where followers had different states; before it was one for each follower and
    // notice.
    expect(reads - atStart).toBeLessThanOrEqual(20)
  })

  test('show a slow reader all states from while it was busy, more than one read returns, without a further notice', async () => {
    const controller = new AbortController()
    const states = live.follow(intent.id, controller.signal)[Symbol.asyncIterator]()
    await states.next()
    for (let amount = 1n; amount <= 120n; amount += 1n) intent = await apply(underpaid(amount))
    const versions: number[] = []
    for (let count = 0; count < 120; count += 1) versions.push((await states.next()).value?.version ?? 0)
    expect(versions).toEqual(Array.from({ length: 120 }, (_, at) => at + 2))
    controller.abort()
    expect((await states.next()).done).toBe(true)
  })

  test('show nothing for a change without a new state, and continue after it', async () => {
    const follower = follow()
    await received(follower, 1)
    intent = await patchIntent(stores.work, intent, {})
    await apply(underpaid(5n))
    await received(follower, 2)
    expect(follower.versions()).toEqual([1, 3])
    follower.stop()
    await follower.ended
  })

  test('show a change without an event by its current state, and continue after it', async () => {
    const follower = follow()
    await received(follower, 1)
    intent = await patchIntent(stores.work, intent, { received: units(3n) })
    await received(follower, 2)
    await apply(underpaid(5n))
    await received(follower, 3)
    expect(follower.states.map(({ version, received }) => [version, received])).toEqual([
      [1, 0n],
      [2, 3n],
      [3, 5n],
    ])
    follower.stop()
    await follower.ended
  })

  test('show the states from an outage of the database after it, without a further notice', async () => {
    let failures = 0
    const failing = Object.create(db.prisma.paymentIntent, {
      findUnique: {
        async value(...args: Parameters<typeof db.prisma.paymentIntent.findUnique>) {
          if (failures === 0) return await db.prisma.paymentIntent.findUnique(...args)
          failures -= 1
          throw new DatabaseUnavailableError('no connection')
        },
      },
    })
    const prisma = new Proxy(db.prisma, {
      get: (of, name) => (name === 'paymentIntent' ? failing : Reflect.get(of, name)),
    })
    const one = await createLiveEvents({ ...db, prisma })
    const follower = follow(one)
    await received(follower, 1)
    failures = 1
    await apply(underpaid(5n))
    await received(follower, 2)
    expect([failures, follower.versions()]).toEqual([0, [1, 2]])
    follower.stop()
    await follower.ended
    await one.close()
  })

  test('show nothing of another intent', async () => {
    const follower = follow()
    await received(follower, 1)
    const mine = intent
    intent = await addIntent(stores, tenant)
    const other = follow()
    await received(other, 1)
    await apply(underpaid(5n))
    await received(other, 2)
    expect(follower.states).toEqual([mine])
    follower.stop()
    other.stop()
    await Promise.all([follower.ended, other.ended])
  })

  test('lose nothing that happens between the first read and the first wait', async () => {
    for (let round = 0; round < 10; round += 1) {
      intent = await addIntent(stores, tenant)
      const follower = follow()
      await apply(underpaid(5n))
      await until(() => follower.states.at(-1)?.version === 2)
      follower.stop()
      await follower.ended
    }
  })

  test('end at once when the reader leaves, also while nothing happens', async () => {
    const follower = follow()
    await received(follower, 1)
    follower.stop()
    await follower.ended
    const gone = new AbortController()
    gone.abort()
    const states: unknown[] = []
    for await (const state of live.follow(intent.id, gone.signal)) states.push(state)
    expect(states).toHaveLength(1)
  })

  test('of an unknown intent end at once', async () => {
    const follower = follow(live, randomUUID())
    await follower.ended
    expect(follower.states).toEqual([])
  })
})

describeOnBothEngines('live events over a connection that is lost', (open) => {
  test('read again when it is restored, without missing a state', async () => {
    const db = await open()
    const stores = storesOf(db)
    let intent = await addIntent(stores, await addBusiness(db))
    // The notices of a lost connection never come; what comes is that it is back.
    let isBack = () => {}
    const deaf: Database = {
      ...db,
      async listen(_channel, _onNotice, onReconnect = () => {}) {
        isBack = onReconnect
        return async () => {}
      },
    }
    const live = await createLiveEvents(deaf)
    const controller = new AbortController()
    const states: number[] = []
    const ended = (async () => {
      for await (const { version } of live.follow(intent.id, controller.signal)) states.push(version)
    })()
    await until(() => states.length === 1)
    for (let amount = 1n; amount <= 3n; amount += 1n) {
      const change = step(startChange(intent), { received: units(amount) }, NOW, 'intent.underpaid')
      await stores.work.apply(change)
      intent = change.after
    }
    expect(states).toEqual([1])
    isBack()
    await until(() => states.length === 4)
    expect(states).toEqual([1, 2, 3, 4])
    controller.abort()
    await ended
  })
})

describe('a LISTEN connection that the server cuts', () => {
  test('is opened again, and followers receive the states from in between', async () => {
    const db = await openTestDatabase('postgresql')
    try {
      const stores = storesOf(db)
      const intent = await addIntent(stores, await addBusiness(db))
      const live = await createLiveEvents(db)
      const controller = new AbortController()
      const states: number[] = []
      const ended = (async () => {
        for await (const { version } of live.follow(intent.id, controller.signal)) states.push(version)
      })()
      await until(() => states.length === 1)
      await db.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`,
      )
      await stores.work.apply(step(startChange(intent), { received: units(1n) }, NOW, 'intent.underpaid'))
      await until(() => states.length === 2)
      expect(states).toEqual([1, 2])
      controller.abort()
      await ended
      await live.close()
    } finally {
      await db.close()
    }
  })
})
