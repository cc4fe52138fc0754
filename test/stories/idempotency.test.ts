// The header Idempotency-Key on every route that creates, over the whole service.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Answer, type Json, STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
/** A key of a marketplace that may do everything, and one of another. */
let key: string
let foreign: string
let productId: string
let tierId: string

beforeAll(async () => {
  story = await startStory()
  key = await openMarketplace('Bazaar')
  foreign = await openMarketplace('Mall')
  const product = await post('/subscription-products', { name: 'Magazine' })
  productId = product.body.id
  const tier = await post(`/subscription-products/${productId}/tiers`, TIER)
  tierId = tier.body.id
})
afterAll(() => story?.stop())

async function operator(query: string, variables: object): Promise<Json> {
  const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  expect(errors).toBeUndefined()
  return data
}

async function openMarketplace(name: string): Promise<string> {
  const { opened } = await operator(
    `mutation ($input: CreateAccountInput!) { opened: createAccount(input: $input) { account { id } } }`,
    { input: { name, mode: 'live', sweepDestination: story.wallet.address } },
  )
  const { id } = opened.account
  const { created } = await operator(
    `mutation ($id: UUID!, $scopes: [KeyScope!]) {
      approveMarketplace(accountId: $id) { status }
      created: createAccountKey(accountId: $id, scopes: $scopes) { apiKey }
    }`,
    {
      id,
      scopes: [
        'payments',
        'marketplace_manage',
        'subscriptions_view',
        'subscriptions_manage',
        'webhooks_manage',
        'keys_manage',
      ],
    },
  )
  return created.apiKey
}

async function post(path: string, body: object, idempotencyKey: string = randomUUID(), by = key): Promise<Answer> {
  const response = await fetch(story.facts.base_url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${by}`,
      'Idempotency-Key': idempotencyKey,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

const PAYMENT = { amount_usd_cents: 500, accepted_tokens: [{ kind: 'sol' }] }
const TIER = { name: 'Monthly', price_usd_cents: 500, interval: 'month' }
const isRepeat = ({ headers }: Answer) => headers.get('idempotent-replayed')
const created = (path: string) => (path === '/intents' ? 200 : 201)

/** Each route that creates, with a body. */
const ROUTES: readonly [route: string, request: () => readonly [path: string, body: object]][] = [
  ['/intents', () => ['/intents', PAYMENT]],
  ['/marketplace/sellers', () => ['/marketplace/sellers', { name: 'Blue Shop' }]],
  ['/webhook-endpoints', () => ['/webhook-endpoints', { url: 'https://example.com/hooks' }]],
  ['/api-keys', () => ['/api-keys', { name: 'Shop' }]],
  ['/subscription-products', () => ['/subscription-products', { name: 'Magazine' }]],
  ['/subscription-products/:id/tiers', () => [`/subscription-products/${productId}/tiers`, TIER]],
  ['/subscription-intents', () => ['/subscription-intents', { tier_id: tierId }]],
  ['/subscription-domains', () => ['/subscription-domains', { host: `${randomUUID()}.example.com` }]],
]

describe.each(ROUTES)('POST %s', (_route, request) => {
  it('gives a repeat the same answer, also what is shown once, and says that it is a repeat', async () => {
    const [path, body] = request()
    const idempotencyKey = randomUUID()
    const first = await post(path, body, idempotencyKey)
    expect([first.status, isRepeat(first)]).toEqual([created(path), null])
    const second = await post(path, body, idempotencyKey)
    expect([second.status, isRepeat(second)]).toEqual([created(path), 'true'])
    expect(second.body).toEqual(first.body)
  })

  it('creates one thing for ten requests at once', async () => {
    const [path, body] = request()
    const idempotencyKey = randomUUID()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(path, body, idempotencyKey)))
    const [first, ...others] = answers.map((answer) => answer.body)
    expect(others).toEqual(others.map(() => first))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([created(path)]))
  })

  it('refuses the key for another body, and says nothing of the first', async () => {
    const [path, body] = request()
    const idempotencyKey = randomUUID()
    await post(path, body, idempotencyKey)
    const { status, body: refusal, headers } = await post(path, { ...body, ...OTHER }, idempotencyKey)
    expect([status, headers.get('error-code')]).toEqual([409, 'idempotency_key_reused'])
    expect(Object.keys(refusal)).toEqual(['error'])
  })

  it('knows the key of one business only', async () => {
    const [path, body] = request()
    const idempotencyKey = randomUUID()
    const own = await post(path, body, idempotencyKey)
    const other = await post(path, body, idempotencyKey, foreign)
    // A product or a tier of the first business is none of the second.
    if (path.includes(productId) || path === '/subscription-intents') expect(other.status).toBe(404)
    else {
      expect([other.status, isRepeat(other)]).toEqual([created(path), null])
      expect(other.body).not.toEqual(own.body)
    }
  })
})

/** Another request for every route. */
const OTHER = { name: 'Other', reference: 'other', description: 'other', expires_in: 600, host: 'other.example.com' }

describe('Idempotency-Key', () => {
  it('gives a repeat of a roll the key of the first', async () => {
    const { body: old } = await post('/api-keys', { name: 'Old', scopes: ['payments'] })
    const idempotencyKey = randomUUID()
    const first = await post(`/api-keys/${old.id}/roll`, { overlap_seconds: 60 }, idempotencyKey)
    expect(first.status).toBe(201)
    const second = await post(`/api-keys/${old.id}/roll`, { overlap_seconds: 60 }, idempotencyKey)
    expect([second.status, isRepeat(second), second.body]).toEqual([201, 'true', first.body])
  })

  it('shows a key to no other manager who may not give what it has', async () => {
    const { body: lesser } = await post('/api-keys', { name: 'Lesser', scopes: ['keys-manage'] })
    const idempotencyKey = randomUUID()
    for (const request of [{ name: 'Shop' }, { name: 'Till', scopes: ['payments'] }]) {
      const first = await post('/api-keys', request, idempotencyKey + request.name)
      expect(first.status).toBe(201)
      const { status, body } = await post('/api-keys', request, idempotencyKey + request.name, lesser.api_key)
      expect([status, body.api_key]).toEqual([403, undefined])
    }
  })

  it('is free again after a refusal, because nothing was created', async () => {
    const idempotencyKey = randomUUID()
    const refused = await post(
      '/intents',
      { ...PAYMENT, accepted_tokens: [{ kind: 'spl', mint: key.slice(-32) }] },
      idempotencyKey,
    )
    expect(refused.status).toBe(400)
    const { status } = await post('/intents', PAYMENT, idempotencyKey)
    expect(status).toBe(200)
  })

  it('shows a payment that was paid or cancelled since as it is now', async () => {
    const idempotencyKey = randomUUID()
    const { body: first } = await post('/intents', PAYMENT, idempotencyKey)
    await post('/cancel', { index: first.derivation_index })
    const { body: second } = await post('/intents', PAYMENT, idempotencyKey)
    const { derivation_index, client_secret } = first
    expect(second).toMatchObject({ derivation_index, client_secret, status: 'cancelled' })
  })

  it('shows a webhook endpoint that was deleted since, and does not create it again', async () => {
    const [request, idempotencyKey] = [{ url: 'https://example.com/hooks' }, randomUUID()]
    const { body: first } = await post('/webhook-endpoints', request, idempotencyKey)
    const path = `${story.facts.base_url}/webhook-endpoints/${first.id}`
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(200)
    const second = await post('/webhook-endpoints', request, idempotencyKey)
    expect([second.status, isRepeat(second)]).toEqual([201, 'true'])
    expect(second.body).toMatchObject({ id: first.id, secret: first.secret, enabled: false })
    expect((await fetch(path, { headers })).status).toBe(404)
  })

  it.each(['', 'x'.repeat(256), 'two words'])('is refused when it is malformed: %j', async (idempotencyKey) => {
    const { status, body } = await post('/intents', PAYMENT, idempotencyKey)
    expect([status, body]).toEqual([400, { error: 'idempotency_key must have 1 to 255 visible ASCII characters' }])
  })

  it('gives one key for two routes to the first', async () => {
    const idempotencyKey = randomUUID()
    await post('/api-keys', { name: 'Magazine' }, idempotencyKey)
    expect((await post('/subscription-products', { name: 'Magazine' }, idempotencyKey)).status).toBe(409)
  })
})
