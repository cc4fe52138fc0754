// The endpoints of a business without a database: what is refused, and the rotation of a secret.
import { describe, expect, test } from 'vitest'
import { random } from '#adapters/node/random.ts'
import { tenantOf } from '#core/accounts/account.ts'
import type { WebhookEndpoint } from '#core/events/endpoint.ts'
import { signingVersions } from '#core/events/rotation.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { WebhookEndpointStore } from '#ports/events.ts'
import type { WebhookEndpointInput } from '#services/events/endpoint-services.ts'
import { createWebhookEndpointServices, type WebhookEndpointDeps } from '#services/events/endpoints.ts'
import { AUTHOR } from '../../support/keys.ts'
import { only } from '../../support/only.ts'

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
    expect(secrets.map(({ webhookSecret }) => webhookSecret).sort()).toEqual([secretOf(ID, 2), secretOf(ID, 3)].sort())
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
