import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { type Account, NO_DEFAULTS, tenantOf } from '#core/accounts/account.ts'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { ServiceError } from '#core/errors.ts'
import { type Delivery, RETENTION_MS } from '#core/events/delivery.ts'
import { signingVersions, type WebhookEndpoint } from '#core/events/endpoint.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { DeliveryLogStore, WebhookEndpointStore } from '#ports/events.ts'
import type { WebhookEndpointInput } from '#services/events/endpoint-services.ts'
import { createWebhookEndpointServices, type WebhookEndpointDeps } from '#services/events/endpoints.ts'
import { createPruner } from '#services/events/prune.ts'
import { formatWebhookSecret, signWebhook } from '#services/events/signature.ts'
import { createWebhookServices, type WebhookDeps } from '#services/events/webhooks.ts'
import { scheduledJob } from '#workers/jobs.ts'
import { AUTHOR } from '../../support/keys.ts'
import { only } from '../../support/only.ts'
import { until } from '../../support/until.ts'

describe('webhooks', () => {
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
    disabledAt: null,
    disabledReason: null,
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
})

// The endpoints of a business without a database: what is refused, and the rotation of a secret.
describe('endpoints', () => {
  const NOW = new Date('2026-11-20T12:00:00.000Z')
  const tenant = tenantOf({ id: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001', network: 'live' })
  const caller = { tenant, actor: AUTHOR.actor }
  const ID = '7b3f2a1c-0d9e-4f8b-a6c5-4d3e2f1a0b9c'
  const secretOf = (id: string, version: number) => `whsec_${Buffer.from(`${id}:${version}`).toString('base64')}`

  /** Services over one endpoint, in a store where others may rotate as well. */
  function one(allowPrivateWebhooks = false) {
    const kept: { endpoint: WebhookEndpoint } = {
      endpoint: {
        id: ID,
        accountId: tenant.accountId,
        url: 'https://shop.example/hook',
        description: null,
        eventTypes: [],
        apiVersion: API_VERSION,
        secretState: { version: 1, rotations: [] },
        disabledAt: null,
        disabledReason: null,
        deletedAt: null,
        createdAt: NOW,
        updatedAt: NOW,
      },
    }
    const webhookEndpoints = only<WebhookEndpointStore>('webhookEndpoints', {
      create: async (_tenant, endpoint) => ({ ...kept.endpoint, ...endpoint }),
      find: async (_tenant, id) => (id === ID ? kept.endpoint : null),
      update: async (_tenant, id, { isEnabled: _, ...patch }) => (id === ID ? { ...kept.endpoint, ...patch } : null),
      async setSecret(_tenant, _id, from, secretState) {
        if (from.version !== kept.endpoint.secretState.version) return false
        kept.endpoint = { ...kept.endpoint, secretState }
        return true
      },
    })
    const services = createWebhookEndpointServices({
      webhookEndpoints,
      deliveryLog: only<WebhookEndpointDeps['deliveryLog']>('deliveryLog', {}),
      webhookSecrets: { secret: (id, version) => Buffer.from(`${id}:${version}`) },
      random,
      clock: { now: () => NOW },
      allowPrivateWebhooks,
    })
    return { kept, ...services, rotate: (revokeOld = false) => services.rotateSecret(caller, ID, { revokeOld }) }
  }

  const INPUT: WebhookEndpointInput = {
    url: 'https://shop.example',
    eventTypes: ['*'],
    description: null,
    isEnabled: true,
  }

  describe('an endpoint', () => {
    test('is stored as it is read: its URL in full, each type once, a description that is not empty', async () => {
      const { endpoint, secret } = await one().create(caller, {
        url: ' https://Shop.example ',
        eventTypes: ['intent.swept', 'charge.failed', 'intent.swept'],
        description: '  ',
        isEnabled: false,
      })
      expect(endpoint).toMatchObject({
        url: 'https://shop.example/',
        eventTypes: ['intent.swept', 'charge.failed'],
        description: null,
        disabledAt: NOW,
      })
      expect(secret).toBe(secretOf(endpoint.id, 1))
    })

    test.each([
      ['url', { url: 'http://shop.example' }, 'must be an https address'],
      ['url', { url: 'https://127.0.0.1/hook' }, 'must not lead to a private address'],
      ['url', { url: 'https://169.254.169.254/' }, 'must not lead to a private address'],
      ['url', { url: 'https://[::1]/' }, 'must not lead to a private address'],
      ['url', { url: 'https://localhost/' }, 'must not lead to a private address'],
      ['url', { url: 'https://user:secret@shop.example' }, 'must not hold a user name or password'],
      ['url', { url: 'shop' }, 'must be a URL, for example https://shop.example.com/webhooks'],
      ['url', { url: `https://shop.example/${'a'.repeat(2048)}` }, 'is too long'],
      ['event_types', { eventTypes: [] }, 'must name a type of event, or be *'],
      ['event_types', { eventTypes: ['intent.updated'] }, 'has an unknown type: intent.updated'],
      ['event_types', { eventTypes: ['*', 'intent.swept'] }, 'has an unknown type: *'],
      ['description', { description: 'a'.repeat(501) }, 'must have at most 500 characters'],
    ])('is refused for its %s in %j, when it is made and when it is changed', async (field, wrong, rule) => {
      const { create, update } = one()
      const refusal = { code: 'invalid_request', context: { field, rule } }
      await expect(create(caller, { ...INPUT, ...wrong })).rejects.toMatchObject(refusal)
      await expect(update(caller, ID, wrong)).rejects.toMatchObject(refusal)
    })

    test('may be on this machine where a deployment allows it', async () => {
      const { endpoint } = await one(true).create(caller, { ...INPUT, url: 'http://127.0.0.1:9000/hook' })
      expect(endpoint.url).toBe('http://127.0.0.1:9000/hook')
    })
  })

  describe('a new secret', () => {
    test('is that of the new version, in the form that receivers use, and older ones sign on for 24 hours', async () => {
      const { rotate } = one()
      expect(await rotate()).toEqual({
        webhookSecret: secretOf(ID, 2),
        oldSecretsUntil: [new Date(NOW.getTime() + 86_400_000)],
      })
    })

    test('of a second rotation within 24 hours ends no secret that signs', async () => {
      const { kept, rotate } = one()
      await rotate()
      await rotate()
      expect(signingVersions(kept.endpoint.secretState, NOW)).toEqual([3, 2, 1])
    })

    test('is another one for each of two rotations at once', async () => {
      const { rotate } = one()
      const secrets = await Promise.all([rotate(), rotate()])
      expect(secrets.map(({ webhookSecret }) => webhookSecret).sort()).toEqual(
        [secretOf(ID, 2), secretOf(ID, 3)].sort(),
      )
    })

    test('is refused while three older ones sign, unless they are revoked', async () => {
      const { kept, rotate } = one()
      for (const _time of [1, 2, 3]) await rotate()
      await expect(rotate()).rejects.toMatchObject({ code: 'too_many_rotations' })
      expect(await rotate(true)).toMatchObject({ oldSecretsUntil: [] })
      expect(signingVersions(kept.endpoint.secretState, NOW)).toEqual([5])
    })

    test('of an endpoint that the business does not have is refused', async () => {
      const { rotateSecret } = one()
      for (const id of [tenant.accountId, 'no id'])
        await expect(rotateSecret(caller, id, { revokeOld: false })).rejects.toMatchObject({
          code: 'webhook_endpoint_not_found',
        })
    })
  })
})

describe('a signature', () => {
  const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 })
  const bodies = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }))

  describe('the standardwebhooks package, which we did not write,', () => {
    test('signs as we do, whatever the secret, the id, the body and the second', () => {
      const dates = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      fc.assert(
        fc.property(secrets, fc.uuid(), bodies, dates, (secret, id, body, at) => {
          const oracle = new Webhook(formatWebhookSecret(secret))
          expect(signWebhook({ id, body }, [secret], at)['webhook-signature']).toBe(oracle.sign(id, at, body))
        }),
      )
    })

    test('verifies what we send, with either secret of a rotation and with no other', () => {
      const [current, previous, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
      const body = '{"hello":"wörld"}'
      const headers = signWebhook({ id: 'a', body }, [current, previous], new Date())
      for (const secret of [current, previous]) {
        expect(new Webhook(formatWebhookSecret(secret)).verify(body, headers)).toEqual({ hello: 'wörld' })
      }
      expect(() => new Webhook(formatWebhookSecret(foreign)).verify(body, headers)).toThrow('No matching signature')
    })

    test.each([
      ['the body', (message: Message) => ({ ...message, body: `${message.body} ` })],
      ['the id', (message: Message) => ({ ...message, headers: { ...message.headers, 'webhook-id': 'b' } })],
      [
        'the timestamp',
        (message: Message) => ({ ...message, headers: { ...message.headers, 'webhook-timestamp': soon() } }),
      ],
    ])('refuses a message when %s was changed on the way', (_, tamper) => {
      const secret = randomBytes(32)
      const body = '{}'
      const { headers, body: arrived } = tamper({
        body,
        headers: { ...signWebhook({ id: 'a', body }, [secret], new Date()) },
      })
      expect(() => new Webhook(formatWebhookSecret(secret)).verify(arrived, headers)).toThrow('No matching signature')
    })
  })

  type Message = { readonly body: string; readonly headers: Record<string, string> }
  const soon = () => String(Math.floor(Date.now() / 1_000) + 60)

  test('a secret is written with its prefix in plain base64', () => {
    expect(formatWebhookSecret(Uint8Array.from([0xfb, 0xff, 0xfe, 0]))).toBe('whsec_+//+AA==')
  })
})
