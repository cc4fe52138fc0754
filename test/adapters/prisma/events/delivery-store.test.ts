import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { QUEUE_DELIVERIES } from '#adapters/prisma/events/outbox.ts'
import { createWorkerStore } from '#adapters/prisma/platform/operator-store.ts'
import type { AttemptRecord, LeasedDelivery } from '#core/events/delivery.ts'
import type { DeliveryVerdict } from '#core/events/retry-schedule.ts'
import type { DeliveryClaim } from '#ports/events.ts'
import { describeOnBothEngines, openTestDatabase } from '../../../support/database.ts'
import { countBlocked } from '../../../support/statements.ts'
import { until } from '../../../support/until.ts'
import { addAccount, addEndpoint, addIntent, stage, stageMany } from '../../../support/webhook-rows.ts'

const storeOf = (db: Parameters<typeof createDeliveryStore>[0]) => ({
  ...createDeliveryStore(db),
  ...createDeliveryLog(db),
})

const now = new Date('2026-11-20T12:00:00.000Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)
const LEASE_MS = 45_000

const succeeded: DeliveryVerdict = { status: 'succeeded', statusCode: 200, error: null }
const gone: DeliveryVerdict = { status: 'failed', disablesEndpoint: true, statusCode: 410, error: 'answered 410' }
const again = (nextAttemptAt: Date): DeliveryVerdict => ({
  status: 'pending',
  nextAttemptAt,
  statusCode: 500,
  error: 'answered 500',
})
const ATTEMPT: AttemptRecord = {
  startedAt: now,
  durationMs: 12,
  requestHeaders: { 'webhook-id': 'evt_1' },
  response: { headers: { server: 'shop' }, body: 'thanks' },
}
const outcome = (verdict: DeliveryVerdict, at = now) => ({ verdict, attempt: ATTEMPT, at })
const ids = (claimed: readonly LeasedDelivery[]) => claimed.map(({ lease }) => lease.deliveryId)

function only<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined || items.length !== 1) throw new Error(`expected one, not ${items.length}`)
  return item
}

describeOnBothEngines('delivery store', (open) => {
  let db: Database
  let store: ReturnType<typeof storeOf>
  type ClaimOptions = { at?: Date; limit?: number; perEndpoint?: number; worker?: string } & Partial<
    Pick<DeliveryClaim, 'failing' | 'resting'>
  >
  const claim = (options: ClaimOptions = {}) =>
    store.claim({
      now: options.at ?? now,
      leaseMs: LEASE_MS,
      limit: options.limit ?? 10,
      perEndpoint: options.perEndpoint ?? 10,
      failing: options.failing ?? [],
      resting: options.resting ?? [],
      worker: options.worker ?? randomUUID(),
      deadAfterMs: 15_000,
    })
  const shop = async () => {
    const accountId = await addAccount(db)
    return { accountId, endpointId: await addEndpoint(db, accountId), dueAt: now }
  }

  beforeAll(async () => {
    db = await open()
    store = storeOf(db)
  })

  beforeEach(async () => {
    await db.query('DELETE FROM webhook_deliveries')
  })

  test('a test goes to every endpoint of the account that is not disabled, whatever types it has chosen', async () => {
    const accountId = await addAccount(db, { network: 'test' })
    await addEndpoint(db, await addAccount(db), 'https://other.example/hook')
    for (const [host, change] of [
      ['all', {}],
      ['some', { eventTypes: ['intent.swept'] }],
      ['none', { disabledAt: now }],
    ] as const) {
      const id = await addEndpoint(db, accountId, `https://${host}.example/hook`)
      await db.prisma.webhookEndpoint.update({ where: { id }, data: { ...change } })
    }
    const staged = await store.stageTest({ accountId, endpointId: null, network: 'test', at: now })
    expect(staged).toMatchObject(
      ['all', 'some'].map((host) => ({
        accountId,
        url: `https://${host}.example/hook`,
        type: 'webhook.test',
        status: 'pending',
        attempts: 0,
        nextAttemptAt: now,
      })),
    )
    expect(await store.list({ accountId, status: 'pending', limit: 10 })).toEqual(expect.arrayContaining([...staged]))
    const claimed = await claim()
    expect(new Set(ids(claimed))).toEqual(new Set(staged.map(({ id }) => id)))
    expect(claimed[0]?.event).toMatchObject({
      type: 'webhook.test',
      subjectKind: 'account',
      account: { id: accountId },
    })
  })

  describe('claiming', () => {
    test('an endpoint that rests gets nothing, one that fails has one delivery in flight, and the others have their own', async () => {
      const [good, failing, resting] = [await shop(), await shop(), await shop()]
      for (const one of [good, failing, resting]) for (let at = 0; at < 3; at += 1) await stage(db, one)
      const claimed = await claim({ failing: [failing.endpointId], resting: [resting.endpointId] })
      const endpoints = claimed.map(({ endpoint }) => endpoint.id).sort()
      expect(endpoints).toEqual([good.endpointId, good.endpointId, good.endpointId, failing.endpointId].sort())
      expect(await claim({ failing: [failing.endpointId] })).toHaveLength(3)
    })

    test('a due delivery is claimed with all data for sending it', async () => {
      const accountId = await addAccount(db, { name: 'Corner Shop', network: 'test' })
      const endpointId = await addEndpoint(db, accountId, 'https://corner.example/hook')
      const { eventId, deliveryId } = await stage(db, {
        accountId,
        endpointId,
        dueAt: now,
        type: 'webhook.test',
        data: { amount: '18446744073709551615' },
      })
      expect(await claim()).toEqual([
        {
          lease: { deliveryId, fence: 1n, url: 'https://corner.example/hook' },
          attempts: 0,
          event: {
            id: eventId,
            type: 'webhook.test',
            subjectKind: 'payment',
            network: 'test',
            createdAt: now,
            data: { amount: '18446744073709551615' },
            account: { id: accountId, name: 'Corner Shop', isSeller: false, externalId: null },
          },
          endpoint: {
            url: 'https://corner.example/hook',
            isDisabled: false,
            id: endpointId,
            secretState: { version: 1, rotations: [] },
          },
        },
      ])
    })

    test("a seller's event names the seller, and the endpoint of the marketplace, whose secret it uses", async () => {
      const marketplaceId = await addAccount(db, { name: 'Bazaar' })
      const sellerId = await addAccount(db, { name: 'Potter', marketplaceId, externalId: 'seller-7' })
      const endpointId = await addEndpoint(db, marketplaceId)
      await stage(db, { accountId: sellerId, endpointId, dueAt: now })
      const { event, endpoint } = only(await claim())
      expect(event.account).toEqual({ id: sellerId, name: 'Potter', isSeller: true, externalId: 'seller-7' })
      expect(endpoint.id).toBe(endpointId)
    })

    test('a delivery that is not due stays', async () => {
      await stage(db, { ...(await shop()), dueAt: inMs(1) })
      expect(await claim()).toEqual([])
      expect(await claim({ at: inMs(1) })).toHaveLength(1)
    })

    test('no other worker gets a claimed delivery until its lease has ended, and then it has a higher fence', async () => {
      await stage(db, await shop())
      const first = only(await claim())
      expect(await claim({ at: inMs(LEASE_MS - 1) })).toEqual([])
      const second = only(await claim({ at: inMs(LEASE_MS) }))
      expect(second.lease).toEqual({ ...first.lease, fence: first.lease.fence + 1n })
    })

    test('claims made at the same time never share a delivery', async () => {
      const shops = [await shop(), await shop(), await shop()]
      for (let round = 0; round < 4; round += 1) {
        await db.query('DELETE FROM webhook_deliveries')
        for (const each of shops) await stageMany(db, 10, each)
        const claims = await Promise.all(Array.from({ length: 12 }, () => claim({ limit: 2, perEndpoint: 30 })))
        const taken = claims.flatMap(ids)
        expect(new Set(taken).size).toBe(taken.length)
        expect(taken.length).toBeGreaterThan(0)
      }
    })
  })

  describe('the claim of a dead worker', () => {
    /** Claims a delivery for a worker whose last heartbeat was this long ago. */
    async function silentFor(ms: number): Promise<string> {
      const id = randomUUID()
      await createWorkerStore(db).beat({ id, role: 'all', startedAt: now }, 600_000)
      await db.query("UPDATE workers SET last_seen_at = now() - $2 * interval '1 millisecond' WHERE id = $1", [id, ms])
      return id
    }

    test('is free at once, under a higher fence, and the dead worker’s result is refused', async () => {
      await stage(db, await shop())
      const first = only(await claim({ worker: await silentFor(15_001) }))
      const second = only(await claim())
      expect(second.lease).toEqual({ ...first.lease, fence: first.lease.fence + 1n })
      expect(await store.record(first.lease, outcome(succeeded))).toBe(false)
      expect(await store.record(second.lease, outcome(succeeded))).toBe(true)
    })

    test('no longer blocks later events of its intent, and does not count as in flight', async () => {
      const one = await shop()
      const staged = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      await claim({ worker: await silentFor(20_000) })
      const taken = only(await claim({ perEndpoint: 1 }))
      expect(taken.lease.deliveryId).toBe(staged[0]?.deliveryId)
      await store.record(taken.lease, outcome(succeeded))
      expect(ids(await claim({ perEndpoint: 1 }))).toEqual([staged[1]?.deliveryId])
    })

    test('stays with a worker that has a recent heartbeat, or no heartbeat yet', async () => {
      for (const worker of [await silentFor(10_000), await silentFor(0), randomUUID()]) {
        await db.query('DELETE FROM webhook_deliveries')
        await stage(db, await shop())
        await claim({ worker })
        expect(await claim()).toEqual([])
      }
    })

    test('is not claimed again by its own worker when the heartbeat of that worker is late', async () => {
      await stage(db, await shop())
      const worker = await silentFor(60_000)
      await claim({ worker })
      expect(await claim({ worker })).toEqual([])
    })
  })

  describe('fairness', () => {
    test('no endpoint exceeds its limit in flight, including the claims of other workers', async () => {
      await stageMany(db, 5, await shop())
      expect(await claim({ perEndpoint: 3 })).toHaveLength(3)
      expect(await claim({ perEndpoint: 3 })).toHaveLength(0)
      expect(await claim({ perEndpoint: 4 })).toHaveLength(1)
      // Expired leases are no longer in flight.
      expect(await claim({ perEndpoint: 3, at: inMs(LEASE_MS) })).toHaveLength(3)
    })

    test('a single delivery comes before the second delivery of a long queue, even when the second is much older', async () => {
      const queue = await stageMany(db, 10, { ...(await shop()), dueAt: inMs(-60_000) })
      const single = await stage(db, await shop())
      expect(ids(await claim({ limit: 2 })).toSorted()).toEqual([queue[0]?.deliveryId, single.deliveryId].toSorted())
    })

    test('an endpoint with nothing in flight comes before an endpoint with deliveries in flight', async () => {
      await stageMany(db, 5, { ...(await shop()), dueAt: inMs(-60_000) })
      await claim({ limit: 2 })
      const other = await stage(db, await shop())
      expect(ids(await claim({ limit: 1 }))).toEqual([other.deliveryId])
    })

    test('intents of one endpoint take turns: a new intent waits for at most one delivery of each busy intent', async () => {
      const one = await shop()
      const busy = await Promise.all(Array.from({ length: 8 }, () => addIntent(db, one.accountId)))
      for (const intentId of busy) await stageMany(db, 20, { ...one, intentId, dueAt: inMs(-60_000) })
      const other = await stage(db, { ...one, intentId: await addIntent(db, one.accountId) })
      const order: string[] = []
      for (let at = 1; !order.includes(other.deliveryId); at += 1) {
        for (const { lease } of await claim({ at: inMs(at), limit: 1 })) {
          order.push(lease.deliveryId)
          await store.record(lease, outcome(succeeded, inMs(at)))
        }
      }
      expect(order.indexOf(other.deliveryId)).toBeLessThanOrEqual(busy.length)
    })

    test('first and later attempts of an endpoint take turns, however many of either wait', async () => {
      const one = await shop()
      await stageMany(db, 10, { ...one, dueAt: inMs(-60_000) })
      for (const { lease } of await claim({ at: now })) await store.record(lease, outcome(again(inMs(-50_000))))
      await stageMany(db, 10, one)
      const attempts = (claimed: readonly LeasedDelivery[]) => claimed.map((delivery) => delivery.attempts).toSorted()
      expect(attempts(await claim({ perEndpoint: 4 }))).toEqual([0, 0, 1, 1])
      expect(attempts(await claim({ perEndpoint: 6 }))).toEqual([0, 1])
    })
  })

  test.each([
    ['of many intents', 1_000, 4],
    ['of a few busy intents', 4, 1_000],
  ])(
    'a long backlog %s does not slow down a claim, even while the statistics still show none',
    async (...[, intents, each]) => {
      const { accountId, endpointId } = await shop()
      await db.query('ANALYZE')
      await db.query(
        `WITH intents AS (
         INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash,
           price_usd_cents, accepted_assets, payee_label, expires_at)
         SELECT gen_random_uuid(), 'live', $1, $1, gen_random_uuid(), uuid_send(gen_random_uuid()), 1, '{SOL}', '', $3
         FROM generate_series(1, $4::int) RETURNING id
       ), burst AS (
         INSERT INTO events (network, account_id, receiver_account_id, subject_kind, subject_id, intent_id, type, data,
           created_at)
         SELECT 'live', $1, $1, 'payment', intents.id, intents.id, 'webhook.test', '{}', $3
         FROM intents, generate_series(1, $5::int)
         RETURNING id, type, subject_id, sequence
       ), wanted AS (
         SELECT id AS event_id, $2::uuid AS endpoint_id, $1::uuid AS account_id, type, subject_id, sequence,
           $3::timestamptz - interval '1 hour' + row_number() OVER () * interval '1 ms' AS staged_at
         FROM burst
       ), ${QUEUE_DELIVERIES}
       SELECT count(*) FROM queued`,
        [accountId, endpointId, now, intents, each],
      )
      const started = performance.now()
      expect(await claim({ perEndpoint: 4 })).toHaveLength(4)
      // A few milliseconds; a second or more when the planner reads the backlog once for each of its rows.
      expect(performance.now() - started).toBeLessThan(500)
    },
  )

  describe('order', () => {
    test('deliveries of one endpoint are taken in the order of their events', async () => {
      const staged = await stageMany(db, 6, await shop())
      const first = await claim({ limit: 4 })
      const second = await claim({ limit: 4 })
      expect(ids([...first, ...second])).toEqual(staged.map(({ deliveryId }) => deliveryId))
    })

    test('the longest due go first, and deliveries of one claim have the order of their events', async () => {
      const one = await shop()
      const early = await stage(db, one)
      const late = await stage(db, { ...one, dueAt: inMs(-60_000) })
      const last = await stage(db, { ...one, dueAt: inMs(-30_000) })
      expect(ids(await claim({ limit: 2 }))).toEqual([late.deliveryId, last.deliveryId])
      expect(ids(await claim({ limit: 2 }))).toEqual([early.deliveryId])
      expect(ids(await claim({ at: inMs(LEASE_MS) }))).toEqual([early, late, last].map(({ deliveryId }) => deliveryId))
    })

    test('an unsent event waits for an earlier unsent event of its intent, and for no other', async () => {
      const one = await shop()
      const [first, second] = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      const other = await stage(db, { ...one, intentId: await addIntent(db, one.accountId) })
      const taken = await claim()
      expect(ids(taken)).toEqual([first?.deliveryId, other.deliveryId])
      expect(await claim()).toEqual([])
      const lease = taken[0]?.lease
      if (lease === undefined) throw new Error('nothing was taken')
      await store.record(lease, outcome(succeeded))
      expect(ids(await claim())).toEqual([second?.deliveryId])
    })

    test('an event whose first attempt failed blocks no event of its intent', async () => {
      const one = await shop()
      const [, second] = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      await store.record(only(await claim()).lease, outcome(again(inMs(5_000))))
      expect(ids(await claim())).toEqual([second?.deliveryId])
    })

    test('an event that failed unsent blocks no event of its intent', async () => {
      const one = await shop()
      const [, second] = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      const verdict = { ...gone, disablesEndpoint: false }
      await store.record(only(await claim()).lease, { verdict, attempt: null, at: now })
      expect(ids(await claim())).toEqual([second?.deliveryId])
    })

    test('an event waits for its intent alone, and is queued behind events that were released earlier', async () => {
      const one = await shop()
      const [first, second] = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      const [lease] = (await claim({ limit: 1 })).map((taken) => taken.lease)
      const other = await stage(db, { ...one, dueAt: inMs(5) })
      if (lease === undefined) throw new Error('nothing was taken')
      expect(lease.deliveryId).toBe(first?.deliveryId)
      await store.record(lease, outcome(succeeded, inMs(10)))
      expect(ids(await claim({ at: inMs(10), limit: 1 }))).toEqual([other.deliveryId])
      expect(ids(await claim({ at: inMs(10), limit: 1 }))).toEqual([second?.deliveryId])
    })

    test('an event whose predecessor is deleted no longer waits', async () => {
      const one = await shop()
      const [first, second] = await stageMany(db, 2, { ...one, intentId: await addIntent(db, one.accountId) })
      await db.query('DELETE FROM webhook_deliveries WHERE id = $1', [first?.deliveryId ?? ''])
      expect(ids(await claim())).toEqual([second?.deliveryId])
    })

    test('an event that is staged while its predecessor is recorded is released in either order', async () => {
      if (db.kind === 'embedded') return // One connection: nothing happens at the same time.
      const one = await shop()
      const lane = { ...one, intentId: await addIntent(db, one.accountId) }
      await stage(db, lane)
      const [first] = await claim()
      if (first === undefined) throw new Error('nothing was taken')
      const second = await db.session(async (session) => {
        await session.script('BEGIN')
        const staged = await stage(session, lane)
        const recording = store.record(first.lease, outcome(succeeded))
        await until(async () => (await countBlocked(db)) > 0)
        await session.script('COMMIT')
        expect(await recording).toBe(true)
        return staged
      })
      const [taken] = await claim()
      expect(taken?.lease.deliveryId).toBe(second.deliveryId)
      if (taken === undefined) throw new Error('nothing was taken')

      const staging = await db.session(async (session) => {
        await session.script('BEGIN')
        await createDeliveryStore(session).record(taken.lease, outcome(succeeded))
        const waiting = stage(db, lane)
        await until(async () => (await countBlocked(db)) > 0)
        await session.script('COMMIT')
        return await waiting
      })
      expect(ids(await claim())).toEqual([staging.deliveryId])
    })

    test('an unsent event of the intent at another endpoint blocks nothing', async () => {
      const one = await shop()
      const intentId = await addIntent(db, one.accountId)
      await stage(db, { ...one, intentId, dueAt: inMs(60_000) })
      const elsewhere = await stage(db, { ...one, intentId, endpointId: await addEndpoint(db, one.accountId) })
      expect(ids(await claim())).toEqual([elsewhere.deliveryId])
    })
  })

  describe('recording', () => {
    const listed = async () => only(await store.list({ accountId: null, status: null, limit: 10 }))

    test('success ends a delivery', async () => {
      await stage(db, await shop())
      expect(await store.record(only(await claim()).lease, outcome(succeeded))).toBe(true)
      expect(await listed()).toMatchObject({ status: 'succeeded', attempts: 1, lastStatusCode: 200, lastError: null })
      expect(await claim({ at: inMs(1e9) })).toEqual([])
    })

    test('a failure stores when the delivery is due again, and why', async () => {
      await stage(db, await shop())
      await store.record(only(await claim()).lease, outcome(again(inMs(5_000))))
      expect(await listed()).toMatchObject({
        status: 'pending',
        attempts: 1,
        lastStatusCode: 500,
        lastError: 'answered 500',
        nextAttemptAt: inMs(5_000),
      })
      expect(await claim({ at: inMs(4_999) })).toEqual([])
      expect(only(await claim({ at: inMs(5_000) })).attempts).toBe(1)
    })

    test('a worker that lost the lease changes nothing', async () => {
      const one = await shop()
      await stage(db, one)
      const late = only(await claim())
      const current = only(await claim({ at: inMs(LEASE_MS) }))
      expect(await store.record(late.lease, outcome(gone))).toBe(false)
      expect(await listed()).toMatchObject({ status: 'pending', attempts: 0 })
      expect(await store.record(current.lease, outcome(succeeded))).toBe(true)
      // A repeat of the same result is late too.
      expect(await store.record(current.lease, outcome(again(now)))).toBe(false)
      expect(await listed()).toMatchObject({ status: 'succeeded', attempts: 1 })
      await stage(db, one)
      expect(only(await claim()).endpoint.isDisabled).toBe(false)
    })

    test('410 disables the endpoint with a reason, and no other endpoint', async () => {
      const one = await shop()
      const other = await shop()
      await stage(db, one)
      await store.record(only(await claim()).lease, outcome(gone, inMs(7)))
      const rows = await db.query(`SELECT disabled_at, disabled_reason FROM webhook_endpoints WHERE id = $1`, [
        one.endpointId,
      ])
      expect(rows).toEqual([{ disabled_at: inMs(7), disabled_reason: 'answered 410' }])
      await stage(db, one)
      await stage(db, other)
      expect((await claim()).map(({ endpoint }) => endpoint.isDisabled)).toEqual([true, false])
    })

    test('410 of an address that was replaced meanwhile disables nothing, and the delivery goes to the new one', async () => {
      const one = await shop()
      await stage(db, one)
      const { lease } = only(await claim())
      await db.query(`UPDATE webhook_endpoints SET url = 'https://new.example/hook' WHERE id = $1`, [one.endpointId])
      expect(await store.record(lease, outcome(gone, inMs(7)))).toBe(true)
      expect(await listed()).toMatchObject({ status: 'pending', attempts: 1, nextAttemptAt: inMs(7) })
      expect(only(await claim({ at: inMs(7) })).endpoint).toMatchObject({
        url: 'https://new.example/hook',
        isDisabled: false,
      })
    })

    test('keeps each attempt with what came back, the newest twenty, for as long as the delivery', async () => {
      await stage(db, await shop())
      const kept = () => db.query<{ number: number }>('SELECT * FROM webhook_attempts ORDER BY number')
      const retry = { status: 'pending', nextAttemptAt: now, statusCode: null, error: 'no answer' } as const
      for (let number = 1; number <= 22; number += 1) {
        const { lease } = only(await claim())
        const attempt = number % 2 === 0 ? { ...ATTEMPT, response: null } : ATTEMPT
        await store.record(lease, {
          verdict: number % 2 === 0 ? retry : { ...retry, statusCode: 500 },
          attempt,
          at: now,
        })
      }
      const rows = await kept()
      expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 3))
      expect(rows.slice(0, 2)).toEqual([
        {
          delivery_id: expect.any(String),
          number: 3,
          started_at: now,
          duration_ms: 12,
          request_headers: ATTEMPT.requestHeaders,
          response_status: 500,
          response_headers: { server: 'shop' },
          response_body: 'thanks',
          error: 'no answer',
        },
        expect.objectContaining({ number: 4, response_status: null, response_headers: null, response_body: null }),
      ])
      await db.query('DELETE FROM webhook_deliveries')
      expect(await kept()).toEqual([])
    })

    test('a delivery that was not sent counts no attempt', async () => {
      await stage(db, await shop())
      const { lease } = only(await claim())
      await store.record(lease, { verdict: { ...gone, disablesEndpoint: false }, attempt: null, at: now })
      expect(await listed()).toMatchObject({ status: 'failed', attempts: 0 })
    })
  })

  describe('requests of people', () => {
    test('deliveries are listed newest first, by account and by status, up to the limit', async () => {
      const one = await shop()
      const older = await stage(db, { ...one, dueAt: inMs(-1_000) })
      const newer = await stage(db, one)
      const other = await stage(db, { ...(await shop()), dueAt: inMs(1_000) })
      const list = async (accountId: string | null, status: 'pending' | 'failed' | null, limit: number) =>
        (await store.list({ accountId, status, limit })).map(({ id }) => id)
      expect(await list(null, null, 10)).toEqual([other, newer, older].map(({ deliveryId }) => deliveryId))
      expect(await list(null, null, 1)).toEqual([other.deliveryId])
      expect(await list(one.accountId, null, 10)).toEqual([newer, older].map(({ deliveryId }) => deliveryId))
      expect(await list(one.accountId, 'failed', 10)).toEqual([])
      expect(await list(one.accountId, 'pending', 10)).toHaveLength(2)
      expect(only(await store.list({ accountId: one.accountId, status: null, limit: 1 }))).toEqual({
        id: newer.deliveryId,
        endpointId: one.endpointId,
        eventId: newer.eventId,
        type: 'intent.created',
        accountId: one.accountId,
        url: 'https://shop.example/hook',
        status: 'pending',
        attempts: 0,
        nextAttemptAt: now,
        lastStatusCode: null,
        lastError: null,
        createdAt: now,
      })
    })

    test("a marketplace's list and a seller's both show the seller's delivery", async () => {
      const marketplaceId = await addAccount(db)
      const sellerId = await addAccount(db, { marketplaceId })
      await stage(db, { accountId: sellerId, endpointId: await addEndpoint(db, marketplaceId), dueAt: now })
      for (const accountId of [marketplaceId, sellerId])
        for (const status of [null, 'pending'] as const)
          expect(only(await store.list({ accountId, status, limit: 10 })).accountId).toBe(marketplaceId)
    })

    test('a delivery can be sent again after it succeeded, and after it failed', async () => {
      for (const verdict of [succeeded, { ...gone, disablesEndpoint: false }]) {
        const { deliveryId } = await stage(db, await shop())
        await store.record(only(await claim()).lease, outcome(verdict))
        expect(await store.rearm(deliveryId, inMs(10))).toMatchObject({
          id: deliveryId,
          status: 'pending',
          attempts: 1,
          nextAttemptAt: inMs(10),
        })
        expect(ids(await claim({ at: inMs(10) }))).toEqual([deliveryId])
        await db.query('DELETE FROM webhook_deliveries')
      }
    })

    test('a delivery that waits for its next attempt can be sent now', async () => {
      const { deliveryId } = await stage(db, await shop())
      await store.record(only(await claim()).lease, outcome(again(inMs(3_600_000))))
      await store.rearm(deliveryId, inMs(10))
      expect(ids(await claim({ at: inMs(10) }))).toEqual([deliveryId])
    })

    test('a delivery in flight stays with its worker', async () => {
      const { deliveryId } = await stage(db, await shop())
      const { lease } = only(await claim())
      await store.rearm(deliveryId, now)
      expect(await claim()).toEqual([])
      expect(await store.record(lease, outcome(succeeded))).toBe(true)
    })

    test('a delivery that does not exist cannot be sent again', async () => {
      expect(await store.rearm(randomUUID(), now)).toBeNull()
    })
  })

  describe('forgetting', () => {
    test('deliveries that ended before the time are deleted, oldest first and up to a limit; events stay', async () => {
      const one = await shop()
      const staged = await stageMany(db, 4, { ...one, dueAt: inMs(-1_000) })
      for (const { lease } of await claim()) await store.record(lease, outcome(succeeded, inMs(-1)))
      const pending = await stage(db, { ...one, dueAt: inMs(-2_000) })
      const before = now
      expect(await store.prune({ before: inMs(-1_000), limit: 10 })).toBe(0)
      expect(await store.prune({ before, limit: 3 })).toBe(3)
      expect(await store.prune({ before, limit: 3 })).toBe(1)
      expect(await store.prune({ before, limit: 3 })).toBe(0)
      expect((await store.list({ accountId: null, status: null, limit: 10 })).map(({ id }) => id)).toEqual([
        pending.deliveryId,
      ])
      const eventIds = staged.map(({ eventId }) => eventId)
      expect(await db.query('SELECT id FROM events WHERE id = ANY ($1::uuid[])', [eventIds])).toHaveLength(4)
    })

    test('a delivery that was sent again is kept from its last end', async () => {
      const one = await shop()
      await stage(db, { ...one, dueAt: inMs(-1_000) })
      for (const { lease } of await claim()) await store.record(lease, outcome(succeeded, inMs(1)))
      expect(await store.prune({ before: now, limit: 10 })).toBe(0)
      expect(await store.prune({ before: inMs(2), limit: 10 })).toBe(1)
    })

    test('events from before the time are deleted when they have no delivery left, and never while one is pending', async () => {
      await db.query('DELETE FROM events')
      const one = await shop()
      const old = { ...one, dueAt: inMs(-1_000) }
      const [first, pending, third] = await stageMany(db, 3, old)
      const newer = await stage(db, one)
      await db.query('DELETE FROM webhook_deliveries WHERE id = ANY ($1::uuid[])', [
        [first, third, newer].map((staged) => staged?.deliveryId ?? ''),
      ])
      const left = async () =>
        (await db.query<{ id: string }>('SELECT id FROM events ORDER BY sequence')).map(({ id }) => id)
      // In batches, past the event that stays, up to the first newer event.
      const before = now
      const { deleted, next } = await store.pruneEvents({ before, after: 0n, limit: 2 })
      expect({ deleted, isMore: next !== null }).toEqual({ deleted: 1, isMore: true })
      expect(await store.pruneEvents({ before, after: next ?? 0n, limit: 2 })).toEqual({ deleted: 1, next: null })
      expect(await left()).toEqual([pending?.eventId, newer.eventId])
      expect(await store.pruneEvents({ before, after: 0n, limit: 2 })).toEqual({ deleted: 0, next: null })
      await db.query('DELETE FROM webhook_deliveries')
      expect(await store.pruneEvents({ before, after: 0n, limit: 10 })).toEqual({ deleted: 1, next: null })
      expect(await left()).toEqual([newer.eventId])
    })
  })
})

// On the embedded engine only a commit that waits for the log flushes it, so the end of the log shows which commit
// waited.
test('a claim and its outcome do not wait for the disk, and the next commit flushes them', async () => {
  const db = await openTestDatabase('embedded')
  const store = storeOf(db)
  const isFlushed = async () => {
    const [row] = await db.query<{ flushed: boolean }>(
      'SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() AS flushed',
    )
    return row?.flushed
  }
  const accountId = await addAccount(db)
  const due = { accountId, endpointId: await addEndpoint(db, accountId), dueAt: now }
  await stage(db, due)
  expect(await isFlushed()).toBe(true)
  const claim = {
    now,
    leaseMs: LEASE_MS,
    limit: 1,
    perEndpoint: 1,
    failing: [],
    resting: [],
    worker: randomUUID(),
    deadAfterMs: 15_000,
  }
  const { lease } = only(await store.claim(claim))
  expect(await isFlushed()).toBe(false)
  await stage(db, { ...due, dueAt: inMs(1) })
  expect(await isFlushed()).toBe(true)
  expect(await store.record(lease, outcome(succeeded))).toBe(true)
  expect(await isFlushed()).toBe(false)
  await db.close()
})
