import { describe, expect, test } from 'vitest'
import type { Account } from '#core/accounts/account.ts'
import { NO_DEFAULTS } from '#core/accounts/account.ts'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { ServiceError } from '#core/errors.ts'
import type { Delivery } from '#core/events/delivery.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { DeliveryLogStore } from '#ports/events.ts'
import { createPruner } from '#services/events/prune.ts'
import { createWebhookServices, type WebhookDeps } from '#services/events/webhooks.ts'
import { scheduledJob } from '#workers/jobs.ts'
import { AUTHOR } from '../../support/keys.ts'
import { until } from '../../support/until.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const clock = { now: () => now }
const unexpected = () => Promise.reject(new Error('not expected here'))

const delivery: Delivery = {
  id: 'delivery',
  eventId: 'event',
  type: 'intent.swept',
  accountId: 'account',
  endpointId: 'endpoint',
  url: 'https://shop.example/hook',
  status: 'pending',
  attempts: 2,
  nextAttemptAt: new Date('2026-11-20T12:05:00.000Z'),
  lastStatusCode: 500,
  lastError: 'answered 500',
  createdAt: now,
}

const account: Account = {
  id: 'account',
  network: 'live',
  name: 'Corner Shop',
  label: null,
  sweepDestination: null,
  derivationIndex: 1,
  brand: NO_BRAND,
  defaults: NO_DEFAULTS,
  marketplaceAccountId: null,
  externalId: null,
  marketplaceFeeBps: null,
  archivedAt: null,
  createdAt: now,
  updatedAt: now,
}

function services(stores: {
  list?: () => Promise<readonly Delivery[]>
  rearm?: (id: string, at: Date) => Promise<Delivery | null>
  stageTest?: DeliveryLogStore['stageTest']
  find?: AccountStore['find']
  rotateSecret?: WebhookDeps['rotateSecret']
}) {
  return createWebhookServices({
    deliveryLog: {
      list: stores.list ?? unexpected,
      rearm: stores.rearm ?? unexpected,
      stageTest: stores.stageTest ?? unexpected,
    },
    accounts: { find: stores.find ?? unexpected },
    rotateSecret: stores.rotateSecret ?? unexpected,
    clock,
  })
}

describe('deliveries', () => {
  const listed = (one: Delivery) =>
    services({ list: async () => [one] }).deliveries({ accountId: null, status: null, limit: 1 })

  test("are shown with the event's id as webhook-id", async () => {
    const { eventId, endpointId: _, ...shown } = delivery
    expect(await listed(delivery)).toEqual([{ ...shown, webhookId: eventId }])
  })

  test.each(['succeeded', 'failed'] as const)('that have %s have no next attempt', async (status) => {
    expect(await listed({ ...delivery, status })).toMatchObject([{ status, nextAttemptAt: null }])
  })
})

describe('sending again', () => {
  test('is due now', async () => {
    const rearm = async (id: string, at: Date) => ({ ...delivery, id, nextAttemptAt: at })
    expect(await services({ rearm }).redeliver('other')).toMatchObject({ id: 'other', nextAttemptAt: now })
  })

  test('what does not exist is refused', async () => {
    const refused = services({ rearm: async () => null }).redeliver('nothing')
    await expect(refused).rejects.toEqual(new ServiceError('delivery_not_found', { id: 'nothing' }))
  })
})

describe('a test', () => {
  test('is staged for the network of the account, now', async () => {
    const asked: unknown[] = []
    const stageTest = async (staged: unknown) => {
      asked.push(staged)
      return [{ ...delivery, type: 'webhook.test', attempts: 0 }]
    }
    const sent = await services({ stageTest, find: async () => account }).test('account')
    expect(asked).toEqual([{ accountId: 'account', endpointId: null, network: 'live', at: now }])
    expect(sent).toMatchObject([{ type: 'webhook.test', attempts: 0 }])
  })

  test('of an account that does not exist is refused', async () => {
    const refused = services({ find: async () => null }).test('nothing')
    await expect(refused).rejects.toEqual(new ServiceError('account_not_found', { accountId: 'nothing' }))
  })
})

test('a new secret is that of the endpoint that the operator has set, which has the id of its account', async () => {
  const { rotateSecret } = services({
    find: async (id) => (id === account.id ? account : null),
    rotateSecret: async ({ tenant, actor }, id) => ({
      webhookSecret: `${tenant.accountId} ${id} ${actor.kind}`,
      oldSecretsUntil: [],
    }),
  })
  expect(await rotateSecret('account', { revokeOld: true }, AUTHOR.actor)).toMatchObject({
    webhookSecret: `account account ${AUTHOR.actor.kind}`,
  })
  await expect(rotateSecret('missing', { revokeOld: false }, AUTHOR.actor)).rejects.toMatchObject({
    code: 'account_not_found',
  })
})

describe('forgetting', () => {
  function pruner(stored: number, events = 0n) {
    const calls: { before: Date; limit: number }[] = []
    let left = stored
    const prune = async (options: { before: Date; limit: number }) => {
      calls.push(options)
      const deleted = Math.min(left, options.limit)
      left -= deleted
      return deleted
    }
    const eventCalls: { before: Date; after: bigint; limit: number }[] = []
    // Every second event has a delivery that is kept.
    const pruneEvents = async (options: { before: Date; after: bigint; limit: number }) => {
      eventCalls.push(options)
      const place = options.after + BigInt(options.limit)
      return { deleted: options.limit / 2, next: place < events ? place : null }
    }
    const { runOnce } = createPruner({ store: { prune, pruneEvents }, clock })
    return { calls, eventCalls, run: runOnce }
  }

  test('begins sixty days back', async () => {
    const { calls, eventCalls, run } = pruner(0)
    expect(await run()).toEqual({ pruned: 500, again: false })
    expect(RETENTION_MS).toBe(60 * 86_400_000)
    const before = new Date('2026-09-21T12:00:00.000Z')
    expect(calls).toEqual([{ before, limit: 1_000 }])
    expect(eventCalls).toEqual([{ before, after: 0n, limit: 1_000 }])
  })

  test('goes on until nothing old is left', async () => {
    const { calls, run } = pruner(2_500)
    expect(await run()).toEqual({ pruned: 3_000, again: false })
    expect(calls).toHaveLength(3)
  })

  test('is bounded, and says when there is more', async () => {
    const { calls, run } = pruner(1_000_000)
    expect(await run()).toEqual({ pruned: 20_000, again: true })
    expect(calls).toHaveLength(20)
  })

  test('walks past events that have to stay, a bounded number at a time, and begins at the oldest again', async () => {
    const { eventCalls, run } = pruner(0, 25_000n)
    expect(await run()).toEqual({ pruned: 10_000, again: true })
    expect(await run()).toEqual({ pruned: 2_500, again: false })
    expect(eventCalls.map(({ after }) => after)).toEqual(Array.from({ length: 25 }, (_, at) => BigInt(at) * 1_000n))
    await run()
    expect(eventCalls.at(25)?.after).toBe(0n)
  })

  test('is a job that, woken once, ends when nothing old is left, however much there is', async () => {
    const { calls, run } = pruner(45_500)
    const job = scheduledJob('prune', null, run, (error) => expect.unreachable(String(error)))
    job.wake()
    await until(() => calls.length === 46)
    await job.stop()
    expect(calls).toHaveLength(46)
  })
})
