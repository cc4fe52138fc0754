// The webhook endpoints of a business by REST, over a real database: what they answer, and to whom.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import { withKey } from '../../support/services.ts'
import { addIntent, storesOf } from '../../support/stores.ts'
import { secretOf, startWebhookEdge, type WebhookEdge } from '../../support/webhook-edge.ts'

let edge: WebhookEdge
beforeAll(async () => {
  edge = await startWebhookEdge()
})
afterAll(() => edge.close())
beforeEach(async () => {
  await edge.database.query('DELETE FROM webhook_deliveries')
  await edge.database.query('DELETE FROM webhook_endpoints')
})

const URL = 'https://shop.example/hook'
const MINUTE = 60_000
const ask = (method: string, path: string, body?: object, key = edge.keys.own) =>
  body === undefined ? edge.ask(method, path, withKey(key)) : edge.send(method, `${path}`, body, withKey(key))
async function create(body: object = {}, key = edge.keys.own) {
  const answer = await ask('POST', '/webhook-endpoints', { url: URL, ...body }, key)
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body
}
const list = async (query = '', key = edge.keys.own) =>
  (await ask('GET', `/webhook-endpoints${query}`, undefined, key)).body
const one = (id: string) => `/webhook-endpoints/${id}`

describe('POST /webhook-endpoints', () => {
  it('answers the endpoint with its secret, which nothing shows again', async () => {
    const { secret, ...endpoint } = await create()
    expect(endpoint).toEqual({
      id: expect.any(String),
      url: URL,
      event_types: ['*'],
      description: null,
      enabled: true,
      disabled_reason: null,
      api_version: '2026-11-01',
      created_at: edge.world.now.toISOString(),
      updated_at: edge.world.now.toISOString(),
    })
    expect(secret).toBe(formatWebhookSecret(secretOf(endpoint.id, 1)))
    expect((await ask('GET', one(endpoint.id))).body).toEqual(endpoint)
    expect(await list()).toEqual({ endpoints: [endpoint], next_cursor: null })
    expect((await create()).secret).not.toBe(secret)
  })

  it('takes every field', async () => {
    const given = { event_types: ['intent.swept', 'charge.failed'], description: 'the warehouse', enabled: false }
    expect(await create(given)).toMatchObject(given)
    expect(await create({ event_types: '*' })).toMatchObject({ event_types: ['*'] })
  })

  it.each([
    [{ url: undefined }, 'url must be a string'],
    [{ url: 'shop' }, 'url must be a URL, for example https://shop.example.com/webhooks'],
    [{ event_types: 'intent.swept' }, "event_types must be '*', or a list of types of events"],
    [{ event_types: [] }, 'event_types must name a type of event, or be *'],
    [{ event_types: ['moon.landed'] }, 'event_types has an unknown type: moon.landed'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ description: 5 }, 'description must be a string'],
  ])('answers 400 to %j', async (wrong, error) => {
    const { status, body } = await ask('POST', '/webhook-endpoints', { url: URL, ...wrong })
    expect([status, body]).toEqual([400, { error }])
  })

  it('answers 409 to the seventeenth, also of several at once, until one is deleted', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await ask('POST', '/webhook-endpoints', { url: URL })).status),
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(16)
    const { endpoints } = await list()
    const refused = await ask('POST', '/webhook-endpoints', { url: URL })
    expect([refused.status, refused.headers.get('error-code')]).toEqual([409, 'too_many_webhook_endpoints'])
    await create({}, edge.keys.other)
    await ask('DELETE', one(endpoints[0].id))
    await create()
  })
})

it('GET /webhook-endpoints lists the newest first, in pages', async () => {
  const made: string[] = []
  for (let at = 0; at < 5; at += 1) {
    edge.world.now = new Date(edge.world.now.getTime() + MINUTE)
    made.unshift((await create()).id)
  }
  const seen: string[] = []
  let cursor = ''
  do {
    const { endpoints, next_cursor } = await list(`?limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...endpoints.map(({ id }: { id: string }) => id))
    cursor = next_cursor
  } while (cursor)
  expect(seen).toEqual(made)
  expect(await list('?cursor=x')).toEqual({ error: 'cursor is not valid' })
})

describe('PATCH /webhook-endpoints/:id', () => {
  it('changes what is given, and leaves the rest', async () => {
    const { id, secret: _, ...made } = await create({ event_types: ['intent.swept'], description: 'one' })
    edge.world.now = new Date(edge.world.now.getTime() + MINUTE)
    const updated_at = edge.world.now.toISOString()
    const changed = await ask('PATCH', one(id), { url: 'https://new.example/', enabled: false, description: null })
    const after = { ...made, id, url: 'https://new.example/', enabled: false, description: null, updated_at }
    expect([changed.status, changed.body]).toEqual([200, after])
    expect((await ask('PATCH', one(id), { event_types: '*' })).body).toEqual({ ...after, event_types: ['*'] })
    expect((await ask('PATCH', one(id), { enabled: true })).body).toMatchObject({ enabled: true, event_types: ['*'] })
  })

  it('enables an endpoint that the service disabled, and clears the reason', async () => {
    const { id } = await create()
    await edge.database.query(`UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'answered 410'`)
    expect((await ask('GET', one(id))).body).toMatchObject({ enabled: false, disabled_reason: 'answered 410' })
    expect((await ask('PATCH', one(id), { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
    })
  })

  it('decides about the events after it', async () => {
    const stores = storesOf(edge.database)
    const { id } = await create()
    const count = async () => (await edge.database.query('SELECT 1 FROM webhook_deliveries')).length
    await addIntent(stores, edge.tenant)
    expect(await count()).toBe(1)
    for (const patch of [{ enabled: false }, { enabled: true, event_types: ['intent.swept'] }]) {
      await ask('PATCH', one(id), patch)
      await addIntent(stores, edge.tenant)
      expect(await count()).toBe(1)
    }
    await ask('PATCH', one(id), { event_types: ['intent.created'] })
    await addIntent(stores, edge.tenant)
    expect(await count()).toBe(2)
  })
})

it('DELETE /webhook-endpoints/:id ends an endpoint, which no request finds again, and keeps its deliveries', async () => {
  const [{ id }, kept] = [await create(), await create()]
  await addIntent(storesOf(edge.database), edge.tenant)
  expect((await ask('DELETE', one(id))).body).toMatchObject({ id, enabled: false })
  for (const [method, path, body] of [
    ['GET', one(id)],
    ['PATCH', one(id), { enabled: true }],
    ['DELETE', one(id)],
    ['POST', `${one(id)}/rotate-secret`, {}],
  ] as const)
    expect((await ask(method, path, body)).body).toEqual({ error: 'webhook endpoint not found' })
  expect((await list()).endpoints).toMatchObject([{ id: kept.id }])
  await addIntent(storesOf(edge.database), edge.tenant)
  const { accountId } = edge.tenant
  const deliveries = await createDeliveryLog(edge.database).list({ accountId, status: null, limit: 10 })
  expect(deliveries).toHaveLength(3)
})

it('POST /webhook-endpoints/:id/rotate-secret answers a new secret of this endpoint alone, and how long old ones sign', async () => {
  const [{ id }, other] = [await create(), await create()]
  const rotate = async (body?: object) => (await ask('POST', `${one(id)}/rotate-secret`, body)).body
  const until = new Date(edge.world.now.getTime() + 24 * 60 * MINUTE).toISOString()
  expect(await rotate({})).toEqual({ secret: formatWebhookSecret(secretOf(id, 2)), old_secrets_until: [until] })
  expect(await rotate({ revoke_old: true })).toEqual({
    secret: formatWebhookSecret(secretOf(id, 3)),
    old_secrets_until: [],
  })
  const rows = await edge.database.query('SELECT secret_version FROM webhook_endpoints WHERE id = $1', [other.id])
  expect(rows).toEqual([{ secret_version: 1 }])
})

describe('each route', () => {
  const ROUTES: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
    ['POST', '/webhook-endpoints', { url: URL }],
    ['GET', '/webhook-endpoints', undefined],
    ['GET', '/webhook-endpoints/:id', undefined],
    ['PATCH', '/webhook-endpoints/:id', { enabled: false }],
    ['DELETE', '/webhook-endpoints/:id', undefined],
    ['POST', '/webhook-endpoints/:id/rotate-secret', {}],
  ]

  it.each(ROUTES)(
    '%s %s gives nothing to another business, a key without the scope, and a revoked key',
    async (method, route, body) => {
      const { id } = await create()
      const before = await edge.database.query('SELECT * FROM webhook_endpoints')
      const path = route.replace(':id', id)
      const statusOf = async (key: string) => (await ask(method, path, body, key)).status
      expect(await statusOf(edge.keys.unscoped)).toBe(403)
      expect(await statusOf(edge.keys.revoked)).toBe(401)
      expect((await edge.ask(method, path)).status).toBe(401)
      for (const key of [edge.keys.other, edge.keys.test]) {
        if (route.includes(':id')) expect(await statusOf(key)).toBe(404)
        else if (method === 'GET') expect(await list('', key)).toEqual({ endpoints: [], next_cursor: null })
      }
      expect(await edge.database.query('SELECT * FROM webhook_endpoints')).toEqual(before)
    },
  )

  it.each(ROUTES.slice(2))('%s %s answers 404 to a text that is no id', async (method, route, body) => {
    expect((await ask(method, route, body)).status).toBe(404)
  })
})

it('a global id finds an endpoint for its business alone, with a key of the scope', async () => {
  const { id } = await create()
  const read = async (key: string) => {
    const { body } = await edge.graphql(
      'query($id: ID!) { node(id: $id) { ... on WebhookEndpoint { uuid url } } }',
      { id: Buffer.from(`WebhookEndpoint:${id}`).toString('base64') },
      withKey(key),
    )
    return body.data?.node ?? body.errors?.[0]?.extensions?.code ?? null
  }
  expect(await read(edge.keys.own)).toEqual({ uuid: id, url: URL })
  expect(await read(edge.keys.other)).toBeNull()
  expect(await read(edge.keys.unscoped)).toBe('forbidden')
})

it('each change of an endpoint is in the audit log, with the host of its URL alone', async () => {
  const { id } = await create({ url: 'https://shop.example/secret-1' })
  await ask('PATCH', one(id), { url: 'https://shop.example/secret-2' })
  await ask('PATCH', one(id), { url: 'https://shop.example/secret-2' })
  await ask('PATCH', one(id), { event_types: ['intent.swept'], enabled: false })
  await ask('POST', `${one(id)}/rotate-secret`, {})
  await ask('DELETE', one(id))
  const where = { accountId: edge.tenant.accountId, changes: { path: ['id', '1'], equals: id } }
  const entries = await edge.database.prisma.auditEntry.findMany({ where, orderBy: { position: 'asc' } })
  const endpoint = { id: [id, id], host: ['shop.example', 'shop.example'] }
  expect(entries.map(({ action, actorKind, changes }) => [action, actorKind, changes])).toEqual([
    ['webhook.created', 'api_key', expect.objectContaining({ host: [null, 'shop.example'], enabled: [null, true] })],
    ['webhook.updated', 'api_key', endpoint],
    ['webhook.updated', 'api_key', { ...endpoint, event_types: [[], ['intent.swept']], enabled: [true, false] }],
    ['webhook.secret_rotated', 'api_key', { ...endpoint, secret_version: [1, 2] }],
    ['webhook.deleted', 'api_key', endpoint],
  ])
  expect(JSON.stringify(entries.map(({ changes }) => changes))).not.toMatch(/secret-1|secret-2|whsec/)
})
