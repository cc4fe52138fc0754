import { createHash, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { createWorkerStore } from '#adapters/prisma/platform/operator-store.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import type { Delivery } from '#core/events/delivery.ts'
import { intentEventData } from '#core/payments/payload.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryStore } from '#ports/events.ts'
import { createDeliverer, DELIVERY_LIMITS, type DelivererNeeds, type DeliveryLimits } from '#services/events/deliver.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { createHeartbeat, DEAD_AFTER_MS } from '#services/platform/health.ts'
import { overlappingJob } from '#workers/jobs.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { type Answer, answerWith, type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { addAccount, addEndpoint, addIntent, stage, stageMany } from '../../support/webhook-rows.ts'

const storeOf = (db: Parameters<typeof createDeliveryStore>[0]) => ({
  ...createDeliveryStore(db),
  ...createDeliveryLog(db),
})

const START = new Date('2026-11-20T12:00:00.000Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const toClose: (() => unknown)[] = []
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close()
})

async function receiverThat(answer: Answer) {
  const receiver = await startReceiver(answer)
  toClose.push(() => receiver.close())
  return receiver
}

const secrets = {
  secret: (endpointId: string, version: number) => createHash('sha256').update(`${endpointId}:${version}`).digest(),
}
const verifierOf = (endpointId: string, version: number) =>
  new Webhook(formatWebhookSecret(secrets.secret(endpointId, version)))

const headersOf = ({ headers }: Received) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
})

function only<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined || items.length !== 1) throw new Error(`expected one, not ${items.length}`)
  return item
}

describeOnBothEngines('delivering', (open) => {
  let db: Database
  let store: ReturnType<typeof storeOf>
  let now = START

  beforeAll(async () => {
    db = await open()
    store = storeOf(db)
  })

  beforeEach(async () => {
    now = START
    await db.query('DELETE FROM webhook_deliveries')
  })

  /** A worker as the service has one; another call makes another worker on the same database. */
  function worker(
    options: {
      timeoutMs?: number
      limits?: Partial<DeliveryLimits>
      store?: DeliveryStore
      needs?: Partial<DelivererNeeds>
    } = {},
  ) {
    const sender = createWebhookSender({ allowPrivate: true, timeoutMs: options.timeoutMs ?? 5_000 })
    toClose.push(() => sender.close())
    const needs = {
      worker: randomUUID(),
      store: options.store ?? store,
      sender,
      secrets,
      chainName: () => 'solana:localnet',
      clock: { now: () => now },
      wallClock: { now: () => new Date() },
      random: { fraction: () => 0 },
      ...options.needs,
    }
    return createDeliverer(needs, { ...DELIVERY_LIMITS, ...options.limits })
  }

  /** Writes outcomes only after `released`. */
  const stalledUntil = (released: Promise<void>): DeliveryStore => ({
    ...store,
    record: (...given) => released.then(() => store.record(...given)),
  })

  async function shop(url: string) {
    const accountId = await addAccount(db)
    return { accountId, endpointId: await addEndpoint(db, accountId, url), dueAt: START }
  }
  const deliveryOf = async (accountId: string): Promise<Delivery> =>
    only(await store.list({ accountId, status: null, limit: 2 }))

  describe('one delivery', () => {
    test('is posted at once, signed so that its receiver can verify it, and then done', async () => {
      const receiver = await receiverThat(answerWith(204))
      const { accountId, ...one } = await shop(receiver.url)
      const { eventId } = await stage(db, { accountId, ...one })
      expect(await worker().runOnce()).toEqual({ sent: 1, again: false })

      const got = only(receiver.received)
      expect(got.headers).toMatchObject({
        'webhook-id': eventId,
        'content-type': 'application/json',
        'user-agent': 'solana-payments-webhooks/1',
      })
      expect(verifierOf(one.endpointId, 1).verify(got.body, headersOf(got))).toEqual({
        id: eventId,
        type: 'intent.created',
        timestamp: START.toISOString(),
        api_version: '2026-11-01',
        livemode: true,
        account: { id: accountId, name: 'Corner Shop', is_seller: false, external_id: null },
        data: intentEventData(pendingIntent),
      })
      expect(await deliveryOf(accountId)).toMatchObject({ status: 'succeeded', attempts: 1, lastStatusCode: 204 })
      expect(await worker().runOnce()).toEqual({ sent: 0, again: false })
    })

    test.each([
      ['500', answerWith(500), 'answered 500', 5 * SECOND],
      ['a redirect', answerWith(301, { location: 'http://127.0.0.1:1/' }), 'redirects are not followed', 5 * SECOND],
      ['429 with Retry-After', answerWith(429, { 'retry-after': '90' }), 'answered 429', 90 * SECOND],
      ['a closed connection', ((response) => response.destroy()) satisfies Answer, 'ECONNRESET', 5 * SECOND],
      ['silence', (() => {}) satisfies Answer, 'no answer within 0.2 s', 5 * SECOND],
    ])('that meets %s is tried again when it should be', async (what, answer, error, wait) => {
      const patience = { timeoutMs: what === 'silence' ? 200 : 10_000 }
      const receiver = await receiverThat(answer)
      const one = await shop(receiver.url)
      await stage(db, one)
      const due = new Date(START.getTime() + wait)
      expect((await worker(patience).runOnce()).sent).toBe(1)
      expect(await deliveryOf(one.accountId)).toMatchObject({
        status: 'pending',
        attempts: 1,
        nextAttemptAt: due,
        lastError: expect.stringContaining(error),
      })
      now = new Date(due.getTime() - 1)
      expect((await worker().runOnce()).sent).toBe(0)
      now = due
      expect((await worker(patience).runOnce()).sent).toBe(1)
      const [first, second] = receiver.received
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
      expect(second?.body).toBe(first?.body)
    })

    test('that never succeeds is tried ten times over three days, and then given up', async () => {
      const receiver = await receiverThat(answerWith(503))
      const one = await shop(receiver.url)
      await stage(db, one)
      const deliverer = worker()
      for (;;) {
        await deliverer.runOnce()
        const { status, nextAttemptAt } = await deliveryOf(one.accountId)
        if (status !== 'pending') break
        now = nextAttemptAt
      }
      expect(receiver.received).toHaveLength(10)
      expect(await deliveryOf(one.accountId)).toMatchObject({ status: 'failed', attempts: 10, lastStatusCode: 503 })
      expect(now.getTime() - START.getTime()).toBe(75 * HOUR + 35 * MINUTE + 5 * SECOND)
    })

    test('that gets 410 ends, and nothing more is sent to that endpoint', async () => {
      const receiver = await receiverThat(answerWith(410))
      const one = await shop(receiver.url)
      await stage(db, one)
      await worker().runOnce()
      const late = await stage(db, one)
      expect((await worker().runOnce()).sent).toBe(0)
      expect(receiver.received).toHaveLength(1)
      const all = await store.list({ accountId: one.accountId, status: 'failed', limit: 10 })
      expect(all).toHaveLength(2)
      expect(all.find(({ id }) => id === late.deliveryId)).toMatchObject({
        attempts: 0,
        lastError: 'the endpoint is disabled',
      })
    })

    test('to an endpoint that is disabled ends at once, however many there are', async () => {
      const of = await shop('https://gone.example/hook')
      await db.query('UPDATE webhook_endpoints SET disabled_at = now() WHERE id = $1', [of.endpointId])
      await stageMany(db, 30, of)
      await worker().runOnce()
      expect(await store.list({ accountId: of.accountId, status: 'failed', limit: 50 })).toHaveLength(30)
    })

    test('of an event that this version cannot render is tried again, in case a newer one can', async () => {
      const receiver = await receiverThat(answerWith(200))
      const one = await shop(receiver.url)
      await stage(db, { ...one, type: 'moon.landed' })
      await worker().runOnce()
      expect(receiver.received).toHaveLength(0)
      expect(await deliveryOf(one.accountId)).toMatchObject({
        status: 'pending',
        attempts: 1,
        lastError: 'this version of the service cannot render the event',
      })
    })

    test("for a seller is signed with the secret of the marketplace's endpoint and says that it is a seller's", async () => {
      const receiver = await receiverThat(answerWith(200))
      const marketplaceId = await addAccount(db)
      const sellerId = await addAccount(db, { name: 'Potter', marketplaceId, externalId: 'seller-7' })
      const endpointId = await addEndpoint(db, marketplaceId, receiver.url)
      await stage(db, { accountId: sellerId, endpointId, dueAt: START })
      await worker().runOnce()
      const got = only(receiver.received)
      expect(verifierOf(endpointId, 1).verify(got.body, headersOf(got))).toMatchObject({
        account: { id: sellerId, name: 'Potter', is_seller: true, external_id: 'seller-7' },
      })
    })

    test('carries two signatures for a day after a rotation, and then one', async () => {
      const receiver = await receiverThat(answerWith(200))
      const one = await shop(receiver.url)
      await db.query('UPDATE webhook_endpoints SET secret_version = 2, secret_rotations = $2 WHERE id = $1', [
        one.endpointId,
        [START],
      ])
      await stage(db, one)
      await worker().runOnce()
      now = new Date(START.getTime() + 24 * HOUR)
      await stage(db, one)
      await worker().runOnce()
      const [during, afterwards] = receiver.received
      if (during === undefined || afterwards === undefined) throw new Error('two deliveries were expected')
      for (const version of [1, 2]) verifierOf(one.endpointId, version).verify(during.body, headersOf(during))
      verifierOf(one.endpointId, 2).verify(afterwards.body, headersOf(afterwards))
      expect(() => verifierOf(one.endpointId, 1).verify(afterwards.body, headersOf(afterwards))).toThrow()
      expect(headersOf(afterwards)['webhook-signature'].split(' ')).toHaveLength(1)
    })
  })

  describe('a slow endpoint', () => {
    test('does not delay another: all of the other is delivered while it still hangs', async () => {
      const slow = await receiverThat(() => {})
      const quick = await receiverThat(answerWith(200))
      await stageMany(db, 20, await shop(slow.url))
      await stageMany(db, 30, await shop(quick.url))
      const started = performance.now()
      let isOver = false
      const run = worker({ timeoutMs: 3_000 })
        .runOnce()
        .finally(() => {
          isOver = true
        })
      await until(() => quick.received.length === 30, 2_500)
      expect(performance.now() - started).toBeLessThan(2_500)
      expect(isOver).toBe(false)
      expect(slow.received.length).toBe(DELIVERY_LIMITS.perEndpoint)
      await slow.close()
      await run
    })

    test('does not delay what comes later: a second call sends it while the first still waits', async () => {
      const slow = await receiverThat(() => {})
      const quick = await receiverThat(answerWith(200))
      await stageMany(db, 10, await shop(slow.url))
      const deliverer = worker({ limits: { perRun: 4 } })
      const first = deliverer.runOnce()
      await until(() => slow.received.length === 4)
      await stage(db, await shop(quick.url))
      expect((await deliverer.runOnce()).sent).toBe(1)
      expect(quick.received).toHaveLength(1)
      await slow.close()
      expect((await first).sent).toBe(4)
    })

    test('cannot take more than its share, however many calls and workers there are', async () => {
      const slow = await receiverThat(() => {})
      await stageMany(db, 20, await shop(slow.url))
      const limits = { perEndpoint: 3, perRun: 3 }
      const workers = [worker({ limits }), worker({ limits })]
      const runs: Promise<unknown>[] = []
      for (const each of workers) {
        runs.push(each.runOnce())
        await until(() => slow.received.length === 3)
      }
      // More is due, but not for us: look again when woken next, not at once.
      expect(await workers[0]?.runOnce()).toEqual({ sent: 0, again: false })
      expect(slow.received).toHaveLength(3)
      await slow.close()
      await Promise.all(runs)
    })
  })

  describe('an endpoint that fails', () => {
    test('has one request at a time after five failures in a row, and rests after each, until one succeeds', async () => {
      let underWay = 0
      let isUp = false
      const most: number[] = []
      const receiver = await receiverThat((response) => {
        underWay += 1
        most.push(underWay)
        response.statusCode = isUp ? 200 : 500
        setTimeout(() => {
          underWay -= 1
          response.end()
        }, 5)
      })
      const of = await shop(receiver.url)
      await stageMany(db, 20, of)
      let wall = START.getTime()
      const deliverer = worker({ needs: { wallClock: { now: () => new Date(wall) } } })
      await deliverer.runOnce()
      expect(Math.max(...most)).toBe(DELIVERY_LIMITS.perEndpoint)
      // The requests that were under way at the fifth failure, and then one at a time.
      const together = most.length
      expect(together).toBeLessThan(10)
      for (let rest = 1; most.length < 20; rest += 1) {
        wall += DELIVERY_LIMITS.restMs - 1
        await deliverer.runOnce()
        expect(most).toHaveLength(together + rest - 1)
        wall += 1
        await deliverer.runOnce()
        expect(most).toHaveLength(together + rest)
      }
      expect(most.slice(together)).toEqual(Array.from({ length: 20 - together }, () => 1))
      isUp = true
      most.splice(0)
      // The clock was put back: no endpoint waits for it.
      wall -= HOUR
      now = new Date(START.getTime() + HOUR)
      await deliverer.runOnce()
      expect([most[0], Math.max(...most), receiver.received.length]).toEqual([1, DELIVERY_LIMITS.perEndpoint, 40])
    })
  })

  describe('bounds', () => {
    test('no more than so many requests are under way at once, all calls together', async () => {
      let underWay = 0
      let most = 0
      const receiver = await receiverThat((response) => {
        underWay += 1
        most = Math.max(most, underWay)
        setTimeout(() => {
          underWay -= 1
          response.end()
        }, 20)
      })
      for (let at = 0; at < 6; at += 1) await stageMany(db, 4, await shop(receiver.url))
      const deliverer = worker({ limits: { inFlight: 5 } })
      await Promise.all([deliverer.runOnce(), deliverer.runOnce(), deliverer.runOnce()])
      expect(receiver.received).toHaveLength(24)
      expect(most).toBe(5)
    })

    test('however often it is woken while the database is slow, one claim is under way and one waits', async () => {
      const receiver = await receiverThat(answerWith(200))
      const gate = Promise.withResolvers<void>()
      let claims = 0
      const slow: DeliveryStore = {
        ...store,
        async claim(options) {
          claims += 1
          await gate.promise
          return store.claim(options)
        },
      }
      const job = overlappingJob('deliver', worker({ store: slow }).runOnce, (error) => expect.unreachable(`${error}`))
      for (let index = 0; index < 50; index += 1) {
        job.wake()
        await new Promise(setImmediate)
      }
      await stage(db, await shop(receiver.url))
      gate.resolve()
      await until(() => receiver.received.length === 1)
      await job.stop()
      // Those two, and each once more after what it sent.
      expect(claims).toBeLessThanOrEqual(4)
    })

    test('a call takes no more than its bound and says that there is more', async () => {
      const receiver = await receiverThat(answerWith(200))
      await stageMany(db, 7, await shop(receiver.url))
      const deliverer = worker({ limits: { perRun: 5 } })
      expect(await deliverer.runOnce()).toEqual({ sent: 5, again: true })
      expect(await deliverer.runOnce()).toEqual({ sent: 2, again: false })
    })
  })

  test('an event that waits for one which ends during a claim is sent by the same call', async () => {
    const held = Promise.withResolvers<void>()
    const receiver = await receiverThat((response, request) => {
      const isFirst = request.headers['webhook-id'] === first.eventId
      void (isFirst ? held.promise : Promise.resolve()).then(() => response.end())
    })
    const account = await shop(receiver.url)
    const intentId = await addIntent(db, account.accountId)
    const first = await stage(db, { ...account, intentId })
    await stage(db, { ...account, intentId })
    await stage(db, { ...account, intentId: await addIntent(db, account.accountId) })
    let claims = 0
    let recorded = 0
    const slowClaims: DeliveryStore = {
      ...store,
      async claim(options) {
        const claimed = await store.claim(options)
        claims += 1
        if (claims === 2) {
          held.resolve()
          await until(() => recorded === 2)
        }
        return claimed
      },
      async record(lease, outcome) {
        const isRecorded = await store.record(lease, outcome)
        recorded += 1
        return isRecorded
      },
    }
    expect((await worker({ store: slowClaims }).runOnce()).sent).toBe(3)
  })

  test('events of one intent arrive in order when nothing fails, in parallel with those of others', async () => {
    const order: string[] = []
    const receiver = await receiverThat((response, request) => {
      // The earlier an event comes, the longer its answer takes: an event that does not wait would overtake.
      setTimeout(() => response.end(), Math.max(0, 40 - 10 * order.length))
      order.push(String(request.headers['webhook-id']))
    })
    const one = await shop(receiver.url)
    const intents = [await addIntent(db, one.accountId), await addIntent(db, one.accountId)]
    const staged: { intentId: string; eventId: string }[] = []
    for (let at = 0; at < 8; at += 1) {
      const intentId = intents[at % 2] ?? ''
      staged.push({ intentId, ...(await stage(db, { ...one, intentId })) })
    }
    expect((await worker().runOnce()).sent).toBe(8)
    for (const intentId of intents) {
      const expected = staged.filter((each) => each.intentId === intentId).map(({ eventId }) => eventId)
      expect(order.filter((id) => expected.includes(id))).toEqual(expected)
    }
  })

  describe('crashes and rivals', () => {
    test('a worker that dies between sending and recording is followed by another, with the same webhook-id', async () => {
      const receiver = await receiverThat(answerWith(200))
      const one = await shop(receiver.url)
      await stage(db, one)
      // The process is gone as far as the database can tell: its result never arrives.
      const dying = worker({ store: { ...store, record: () => new Promise(() => {}) } })
      void dying.runOnce()
      await until(() => receiver.received.length === 1)

      now = new Date(START.getTime() + DELIVERY_LIMITS.leaseMs - 1)
      expect((await worker().runOnce()).sent).toBe(0)
      expect(receiver.received).toHaveLength(1)
      now = new Date(START.getTime() + DELIVERY_LIMITS.leaseMs)
      expect((await worker().runOnce()).sent).toBe(1)
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
        Array(2).fill(receiver.received[0]?.headers['webhook-id']),
      )
      expect(await deliveryOf(one.accountId)).toMatchObject({ status: 'succeeded', attempts: 1 })
    })

    test('a worker whose heartbeat stopped is followed long before its lease ends, and later events follow', async () => {
      const receiver = await receiverThat(answerWith(200))
      const one = await shop(receiver.url)
      const events = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      const dyingId = randomUUID()
      await createHeartbeat({
        store: createWorkerStore(db),
        clock: { now: () => now },
        id: dyingId,
        role: 'all',
      }).beat()
      const results = Promise.withResolvers<void>()
      const stalled = stalledUntil(results.promise)
      const stalledRun = worker({ store: stalled, needs: { worker: dyingId } }).runOnce()
      await until(() => receiver.received.length === 1)

      const living = worker()
      expect((await living.runOnce()).sent).toBe(0)
      await db.query("UPDATE workers SET last_seen_at = now() - $2 * interval '1 millisecond' WHERE id = $1", [
        dyingId,
        DEAD_AFTER_MS + 1,
      ])
      expect((await living.runOnce()).sent).toBe(2)
      const [first, second] = events.map(({ eventId }) => eventId)
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([first, first, second])

      // It only stalled: what it writes now finds no row.
      results.resolve()
      await stalledRun
      const all = await store.list({ accountId: one.accountId, status: 'succeeded', limit: 10 })
      expect(all.map(({ attempts }) => attempts)).toEqual([1, 1])
    })

    test.each([20_000, 3_600_000])(
      'a worker whose clock is %d ms ahead takes no delivery of a living worker',
      async (ms) => {
        const receiver = await receiverThat(answerWith(200))
        await stage(db, await shop(receiver.url))
        const workers = createWorkerStore(db)
        const beat = (id: string, clock: Clock) => createHeartbeat({ store: workers, clock, id, role: 'all' }).beat()
        const right = { now: () => new Date() }
        const ahead = { now: () => new Date(Date.now() + ms) }
        const [sendingId, otherId] = [randomUUID(), randomUUID()]
        await beat(sendingId, right)
        const results = Promise.withResolvers<void>()
        const sending = worker({ store: stalledUntil(results.promise), needs: { worker: sendingId } }).runOnce()
        await until(() => receiver.received.length === 1)

        await beat(otherId, ahead)
        const { sent } = await worker({ needs: { worker: otherId, wallClock: ahead } }).runOnce()
        const known = await workers.list()
        results.resolve()
        await sending
        expect(sent).toBe(0)
        expect(known.map(({ id }) => id)).toEqual(expect.arrayContaining([sendingId, otherId]))
      },
    )

    test('two workers never send one attempt twice', async () => {
      const receiver = await receiverThat((response) => setTimeout(() => response.end(), 5))
      for (let at = 0; at < 4; at += 1) await stageMany(db, 15, await shop(receiver.url))
      const runs = await Promise.all([worker(), worker(), worker()].map((each) => each.runOnce()))
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(60)
      expect(ids).toHaveLength(60)
      expect(runs.reduce((sum, { sent }) => sum + sent, 0)).toBe(60)
    })

    test('when a result cannot be written, the others are, and the call says what failed', async () => {
      const receiver = await receiverThat(answerWith(200))
      await stageMany(db, 3, await shop(receiver.url))
      let recordings = 0
      const failing: DeliveryStore = {
        ...store,
        record(...args) {
          recordings += 1
          return recordings === 1 ? Promise.reject(new Error('the database is away')) : store.record(...args)
        },
      }
      await expect(worker({ store: failing }).runOnce()).rejects.toThrow('the database is away')
      expect(await store.list({ accountId: null, status: 'succeeded', limit: 10 })).toHaveLength(2)
      expect(await store.list({ accountId: null, status: 'pending', limit: 10 })).toHaveLength(1)
    })

    test('when a result cannot be written, nothing more is taken', async () => {
      const receiver = await receiverThat(answerWith(200))
      await stageMany(db, 3, await shop(receiver.url))
      const failing = { ...store, record: () => Promise.reject(new Error('the database is away')) }
      await expect(worker({ store: failing, limits: { inFlight: 1 } }).runOnce()).rejects.toThrow('is away')
      expect(receiver.received).toHaveLength(1)
    })

    test('a call that cannot claim rejects, and the next one works', async () => {
      const receiver = await receiverThat(answerWith(200))
      await stage(db, await shop(receiver.url))
      let isAway = true
      const deliverer = worker({
        store: {
          ...store,
          claim: (options) => (isAway ? Promise.reject(new Error('the database is away')) : store.claim(options)),
        },
      })
      await expect(deliverer.runOnce()).rejects.toThrow('the database is away')
      isAway = false
      expect((await deliverer.runOnce()).sent).toBe(1)
    })
  })
})
