import { hash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BILLING_TERMS, type BillingEdge, EDGE_KEYS, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { MINT } from '../../support/example-intent.ts'
import { SELLER_WALLET } from '../../support/example-seller.ts'
import { addressNo, OFF_CURVE } from '../../support/payment.ts'
import { type Answer, withKey } from '../../support/services.ts'

let edge: BillingEdge

let tierId: string

const own = () => withKey(edge.keys.own)

const create = (body: object = {}, headers = own()) =>
  edge.post('/subscription-intents', { tier_id: tierId, ...body }, headers)

// What the routes of checkouts answer, and what they keep.
describe('what checkouts answer', () => {
  let otherTierId: string
  beforeAll(async () => {
    edge = await startBillingEdge()
    tierId = await addTier()
    otherTierId = await addTier()
    await edge.post('/subscription-domains', { host: 'shop.example.com' }, own())
  })
  afterAll(() => edge.close())

  async function addTier(headers = own()): Promise<string> {
    const { id } = (await edge.post('/subscription-products', { name: 'Coffee' }, headers)).body
    const body = { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' }
    return (await edge.post(`/subscription-products/${id}/tiers`, body, headers)).body.id
  }

  const cancel = (id: string) => edge.ask('POST', `/subscription-intents/${id}/cancel`, own())
  const find = async (id: string, headers = own()) => (await edge.get(`/subscription-intents/${id}`, headers)).body
  const pass = (seconds: number): void => {
    edge.world.now += seconds * 1_000
  }

  it('an id in capital letters is the same id', async () => {
    const { status, body } = await create({ tier_id: tierId.toUpperCase() })
    expect([status, body.tier_id ?? body.intent.tier_id]).toEqual([201, tierId])
  })

  it.each([
    ['https://shop.example.com\\@evil.example/', 'https://shop.example.com/@evil.example/'],
    ['https:///shop.example.com', 'https://shop.example.com/'],
  ])('a redirect to %s is stored and answered as %s', async (given, stored) => {
    const { id } = (await create({ success_url: given, cancel_url: given })).body
    expect(await find(id)).toMatchObject({ success_url: stored, cancel_url: stored })
  })

  it('a create answers 201 with every field, and a URL and a token that are shown only there', async () => {
    const given = {
      subscriber_wallet: SELLER_WALLET,
      success_url: 'https://shop.example.com/thanks?order=1',
      cancel_url: 'https://SHOP.example.com',
      metadata: { order: 17 },
    }
    const { status, body } = await create({ ...given, expires_in: 300 })
    const { checkout_token: token, checkout_url: url, ...intent } = body
    expect([status, intent]).toEqual([
      201,
      {
        ...given,
        cancel_url: 'https://shop.example.com/',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tier_id: tierId,
        status: 'open',
        wallet_pinned: true,
        subscription_id: null,
        coupon_id: null,
        expires_at: new Date(Date.parse(intent.created_at) + 300_000).toISOString(),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        updated_at: intent.created_at,
        completed_at: null,
        canceled_at: null,
      },
    ])
    expect(token).toMatch(/^co_[\w-]{43}$/)
    expect(url).toBe(`https://pay.example.com/s/${token}`)
    expect(await find(intent.id)).toEqual(intent)
    const list = await edge.get('/subscription-intents?limit=1', own())
    expect(list.body.intents).toEqual([intent])
    expect(list.text).not.toContain('checkout')
  })

  it('the token is stored as its hash only', async () => {
    const { id, checkout_token: token } = (await create()).body
    const rows = await edge.database.query('SELECT * FROM subscription_intents WHERE id = $1', [id])
    const stored = await edge.database.query<{ hex: string }>(
      `SELECT encode(token_hash, 'hex') AS hex FROM subscription_intents WHERE id = $1`,
      [id],
    )
    expect(stored).toEqual([{ hex: hash('sha256', token) }])
    expect(JSON.stringify(rows)).not.toContain(token.slice(3))
  })

  it('each create makes another checkout, with another token; a tier alone is enough', async () => {
    const [one, other] = [(await create()).body, (await create()).body]
    expect(one.id === other.id || one.checkout_token === other.checkout_token).toBe(false)
    const defaults = {
      subscriber_wallet: null,
      wallet_pinned: false,
      success_url: null,
      cancel_url: null,
      metadata: {},
    }
    expect(one).toMatchObject(defaults)
    expect(Date.parse(one.expires_at) - Date.parse(one.created_at)).toBe(86_400_000)
  })

  it('an open checkout expires by time alone', async () => {
    const { id } = (await create({ expires_in: 300 })).body
    pass(290)
    expect((await find(id)).status).toBe('open')
    pass(20)
    expect(await find(id)).toMatchObject({ status: 'expired', completed_at: null, canceled_at: null })
  })

  it('a cancel closes an open checkout, and a repeat changes nothing', async () => {
    const { checkout_token: _token, checkout_url: _url, ...open } = (await create()).body
    const canceled = await cancel(open.id)
    expect([canceled.status, canceled.body]).toEqual([
      200,
      { ...open, status: 'canceled', canceled_at: expect.any(String), updated_at: canceled.body.canceled_at },
    ])
    pass(100_000)
    expect((await cancel(open.id)).body).toEqual(canceled.body)
  })

  it('cancels at the same time cancel once', async () => {
    const { id } = (await create()).body
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(id)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const [row] = await edge.database.query('SELECT version FROM subscription_intents WHERE id = $1', [id])
    expect(row).toEqual({ version: 2 })
  })

  it('a marketplace creates and cancels checkouts for its seller', async () => {
    const seller = onBehalfOf(edge.keys.market, edge.sellers.market)
    await edge.payTo(edge.sellers.market, addressNo(80))
    const { status, body } = await create({ tier_id: await addTier(seller) }, seller)
    expect(status).toBe(201)
    expect((await find(body.id, seller)).status).toBe('open')
    expect(await find(body.id, withKey(edge.keys.market))).toEqual({ error: 'intent_not_found' })
    expect((await edge.ask('POST', `/subscription-intents/${body.id}/cancel`, seller)).body.status).toBe('canceled')
  })

  describe('the list of checkouts', () => {
    const ids: Record<string, string> = {}
    const list = async (query = '') => {
      const { status, body } = await edge.get(`/subscription-intents${query}`, own())
      return { status, body, ids: body.intents?.map(({ id }: { id: string }) => id) }
    }
    beforeAll(async () => {
      await edge.database.query('DELETE FROM subscription_intents')
      ids.expired = (await create({ expires_in: 300 })).body.id
      pass(400)
      ids.canceled = (await create({ tier_id: otherTierId })).body.id
      await cancel(ids.canceled ?? '')
      ids.completed = (await create({ tier_id: otherTierId })).body.id
      await edge.database.query(
        `UPDATE subscription_intents SET status = 'completed', completed_at = now(), subscription_id = id WHERE id = $1`,
        [ids.completed ?? ''],
      )
      ids.long = (await create({ expires_in: 604_800 })).body.id
      pass(604_000)
      ids.open = (await create()).body.id
    })

    it('is the newest first', async () => {
      expect((await list()).ids).toEqual([ids.open, ids.long, ids.completed, ids.canceled, ids.expired])
    })

    it.each([
      ['status=open', ['open', 'long']],
      ['status=expired', ['expired']],
      ['status=canceled', ['canceled']],
      ['status=completed', ['completed']],
    ])('is filtered by the status of this moment: %s', async (query, expected) => {
      expect((await list(`?${query}`)).ids).toEqual(expected.map((name) => ids[name]))
    })

    it('is filtered by the tier, and by tier and status', async () => {
      expect((await list(`?tier_id=${otherTierId}`)).ids).toEqual([ids.completed, ids.canceled])
      expect((await list(`?tier_id=${otherTierId}&status=canceled`)).ids).toEqual([ids.canceled])
      expect((await list('?tier_id=f47ac10b-58cc-4372-a567-0e02b2c3d479')).ids).toEqual([])
    })

    it('is walked by its cursor while time passes', async () => {
      const first = await list('?limit=1&status=open')
      pass(10)
      const second = await list(`?limit=1&status=open&cursor=${first.body.next_cursor}`)
      expect([second.status, second.ids]).toEqual([200, [ids.long]])
      expect((await list(`?limit=1&status=expired&cursor=${first.body.next_cursor}`)).status).toBe(400)
    })

    it('shows the subscription of a completed checkout', async () => {
      expect((await find(ids.completed ?? '')).subscription_id).toBe(ids.completed)
    })

    it('is a connection of GraphQL with the tier and its product, and the status of this moment', async () => {
      const query = `{
      subscriptionIntents(filter: { status: open }) { edges { node { uuid status tier { uuid product { name } } } } }
      node(id: "${Buffer.from(`SubscriptionIntent:${ids.expired}`).toString('base64')}") {
        ... on SubscriptionIntent { status tier { name product { name } } }
      }
    }`
      const tier = { uuid: tierId, product: { name: 'Coffee' } }
      expect((await edge.graphql(query, {}, own())).body).toEqual({
        data: {
          subscriptionIntents: {
            edges: [ids.open, ids.long].map((uuid) => ({ node: { uuid, status: 'open', tier } })),
          },
          node: { status: 'expired', tier: { name: 'Monthly', product: { name: 'Coffee' } } },
        },
      })
    })

    it('a mutation of GraphQL creates and cancels a checkout', async () => {
      const made = await edge.graphql(
        `mutation { made: createSubscriptionIntent(input: { tierId: "${tierId}", expiresIn: 600 }) {
        checkoutUrl checkoutToken intent { uuid status tier { uuid } } } }`,
        {},
        own(),
      )
      const { intent, checkoutUrl, checkoutToken } = made.body.data.made
      expect(intent).toMatchObject({ status: 'open', tier: { uuid: tierId } })
      expect(checkoutUrl).toBe(`https://pay.example.com/s/${checkoutToken}`)
      const canceled = await edge.graphql(
        `mutation { cancelSubscriptionIntent(id: "${intent.uuid}") { status } }`,
        {},
        own(),
      )
      expect(canceled.body.data.cancelSubscriptionIntent).toEqual({ status: 'canceled' })
    })
  })
})

// What the routes of checkouts refuse, by status and identifier.
describe('what checkouts refuse', () => {
  let productId: string

  beforeAll(async () => {
    edge = await startBillingEdge()
    productId = (await edge.post('/subscription-products', { name: 'Coffee' }, own())).body.id
    tierId = await addTier()
    for (const host of ['shop.example.com', 'gone.example.com'])
      await edge.post('/subscription-domains', { host }, own())
    const [gone] = (await edge.get('/subscription-domains?limit=1', own())).body.domains
    await edge.ask('POST', `/subscription-domains/${gone.id}/archive`, own())
    await edge.post('/subscription-domains', { host: 'other.example.com' }, withKey(edge.keys.other))
  })
  afterAll(() => edge.close())

  const addTier = async (product = productId): Promise<string> =>
    (
      await edge.post(
        `/subscription-products/${product}/tiers`,
        { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' },
        own(),
      )
    ).body.id

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
      expect(shown(await create())).toEqual([
        409,
        { error: 'tier_mint_mismatch', tier_mint: MINT, platform_mint: mint },
      ])
      edge.world.terms = BILLING_TERMS
    })

    it('a cancel of an expired checkout, with its status', async () => {
      const { id } = (await create({ expires_in: 300 })).body
      await edge.database.query('UPDATE subscription_intents SET subscription_id = gen_random_uuid() WHERE id = $1', [
        id,
      ])
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
})
