// What the routes of checkouts refuse, by status and identifier.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BILLING_TERMS, type BillingEdge, EDGE_KEYS, startBillingEdge } from '../../../support/billing-edge.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo, OFF_CURVE } from '../../../support/payment.ts'
import { type Answer, withKey } from '../../../support/services.ts'

let edge: BillingEdge
let productId: string
let tierId: string
beforeAll(async () => {
  edge = await startBillingEdge()
  productId = (await edge.post('/subscription-products', { name: 'Coffee' }, own())).body.id
  tierId = await addTier()
  for (const host of ['shop.example.com', 'gone.example.com']) await edge.post('/subscription-domains', { host }, own())
  const [gone] = (await edge.get('/subscription-domains?limit=1', own())).body.domains
  await edge.ask('POST', `/subscription-domains/${gone.id}/archive`, own())
  await edge.post('/subscription-domains', { host: 'other.example.com' }, withKey(edge.keys.other))
})
afterAll(() => edge.close())

const own = () => withKey(edge.keys.own)
const addTier = async (product = productId): Promise<string> =>
  (
    await edge.post(
      `/subscription-products/${product}/tiers`,
      { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' },
      own(),
    )
  ).body.id
const create = (body: object = {}, headers = own()) =>
  edge.post('/subscription-intents', { tier_id: tierId, ...body }, headers)
const shown = ({ status, body }: Answer) => [status, body]
const codesOf = ({ body }: Answer) => body.errors[0].extensions

describe('400', () => {
  it.each([undefined, null, 7, '', 'x', 'f47ac10b'])('the tier id %j, whose field is named', async (tier_id) => {
    expect(shown(await create({ tier_id }))).toEqual([400, { error: 'invalid_tier_id', field: 'tier_id' }])
  })

  const delegate = EDGE_KEYS.addressOf({ network: 'live', branch: 'delegate' })
  it.each([7, '', 'x', MINT.slice(4), OFF_CURVE, delegate])('the subscriber wallet %j', async (subscriber_wallet) => {
    expect(shown(await create({ subscriber_wallet }))).toEqual([
      400,
      { error: 'invalid_subscriber_wallet', field: 'subscriber_wallet' },
    ])
  })

  it.each([
    7,
    '',
    'shop.example.com',
    'http://shop.example.com/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://shop.example.com:8443/',
    'https://user@shop.example.com/',
    'https://sub.shop.example.com/',
    'https://example.com/',
    'https://gone.example.com/',
    'https://other.example.com/',
  ])('a redirect to %j, of either field', async (url) => {
    for (const field of ['success_url', 'cancel_url'])
      expect(shown(await create({ [field]: url }))).toEqual([400, { error: 'invalid_redirect_url', field }])
  })

  it.each([0, 299, 604_801, -1, 300.5, 1e12, -3e9, '300', true, []])(
    'the time %j, with the range',
    async (expires_in) => {
      expect(shown(await create({ expires_in }))).toEqual([
        400,
        { error: 'invalid_expires_in', min_expires_in: 300, max_expires_in: 604_800 },
      ])
    },
  )

  it.each([300, 604_800])('but not the time %i', async (expires_in) => {
    expect((await create({ expires_in })).status).toBe(201)
  })

  it('metadata that is no object', async () => {
    expect(shown(await create({ metadata: [] }))).toEqual([400, { error: 'invalid_metadata' }])
  })

  it.each([
    ['limit=0', { error: 'invalid_limit' }],
    ['cursor=x', { error: 'invalid_cursor' }],
    ['status=gone', { error: 'invalid_status' }],
    ['tier_id=x', { error: 'invalid_tier_id', field: 'tier_id' }],
  ])('the list with ?%s', async (query, expected) => {
    expect(shown(await edge.get(`/subscription-intents?${query}`, own()))).toEqual([400, expected])
  })

  it('GraphQL names the field as it calls it', async () => {
    const ask = (input: string) =>
      edge.graphql(`mutation { createSubscriptionIntent(input: {${input}}) { checkoutUrl } }`, {}, own())
    expect(codesOf(await ask('tierId: "x"'))).toEqual({ code: 'invalid_tier_id', field: 'tierId' })
    expect(codesOf(await ask(`tierId: "${tierId}", successUrl: "x"`))).toEqual({
      code: 'invalid_redirect_url',
      field: 'successUrl',
    })
    expect(codesOf(await ask(`tierId: "${tierId}", expiresIn: 1`))).toEqual({
      code: 'invalid_expires_in',
      min_expires_in: 300,
      max_expires_in: 604_800,
    })
  })
})

describe('404', () => {
  it('a tier or a checkout of another business is answered like one that does not exist', async () => {
    const other = withKey(edge.keys.other)
    const { id } = (await create()).body
    for (const tier_id of [tierId, randomUUID()])
      expect(shown(await create({ tier_id }, other))).toEqual([404, { error: 'tier_not_found' }])
    for (const target of [id, randomUUID(), 'x']) {
      const path = `/subscription-intents/${target}`
      for (const answer of [await edge.get(path, other), await edge.ask('POST', `${path}/cancel`, other)])
        expect(shown(answer)).toEqual([404, { error: 'intent_not_found' }])
    }
    expect((await edge.get('/subscription-intents', other)).body.intents).toEqual([])
  })
})

describe('409', () => {
  it('an archived tier, and a tier of an archived product', async () => {
    const { id } = (await edge.post('/subscription-products', { name: 'Old' }, own())).body
    const tier_id = await addTier(id)
    await edge.ask('POST', `/subscription-tiers/${tier_id}/archive`, own())
    expect(shown(await create({ tier_id }))).toEqual([409, { error: 'tier_archived' }])
    await edge.ask('POST', `/subscription-products/${id}/archive`, own())
    expect(shown(await create({ tier_id }))).toEqual([409, { error: 'product_archived' }])
  })

  it('a tier in another token than that of the platform, with both', async () => {
    const mint = addressNo(55)
    edge.world.terms = { ...BILLING_TERMS, mint }
    expect(shown(await create())).toEqual([409, { error: 'tier_mint_mismatch', tier_mint: MINT, platform_mint: mint }])
    edge.world.terms = BILLING_TERMS
  })

  it('a cancel of an expired checkout, with its status', async () => {
    const { id } = (await create({ expires_in: 300 })).body
    await edge.database.query('UPDATE subscription_intents SET subscription_id = gen_random_uuid() WHERE id = $1', [id])
    edge.world.now += 400_000
    expect(shown(await edge.ask('POST', `/subscription-intents/${id}/cancel`, own()))).toEqual([
      409,
      { error: 'intent_not_open', status: 'expired', subscription_id: null },
    ])
  })

  it('a cancel of a completed checkout, with its subscription', async () => {
    const { id } = (await create()).body
    await edge.database.query(
      `UPDATE subscription_intents SET status = 'completed', subscription_id = id WHERE id = $1`,
      [id],
    )
    expect(shown(await edge.ask('POST', `/subscription-intents/${id}/cancel`, own()))).toEqual([
      409,
      { error: 'intent_not_open', status: 'completed', subscription_id: id },
    ])
  })
})

describe('503', () => {
  it('a mint that cannot be used', async () => {
    await edge.allowMint({ enabled: false })
    expect(shown(await create())).toEqual([503, { error: 'subscription_service_unavailable' }])
    await edge.allowMint()
    expect((await create()).status).toBe(201)
  })
})
