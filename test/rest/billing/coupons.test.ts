import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { addressNo } from '../../support/payment.ts'
import { withKey } from '../../support/services.ts'

let edge: BillingEdge

const own = () => withKey(edge.keys.own)

// What the routes of coupons answer, and what they keep.
describe('what coupons answer', () => {
  let productId: string
  let tierId: string
  beforeAll(async () => {
    edge = await startBillingEdge()
    productId = (await edge.post('/subscription-products', { name: 'Coffee' }, own())).body.id
    const terms = { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' }
    tierId = (await edge.post(`/subscription-products/${productId}/tiers`, terms, own())).body.id
  })
  afterAll(() => edge.close())

  let codes = 0
  const newCode = (): string => {
    codes += 1
    return `CODE-${codes}`
  }
  const create = (body: object = {}, headers = own()) =>
    edge.post('/subscription-coupons', { code: newCode(), percent_off: 20, ...body }, headers)
  const archive = (id: string, headers = own()) => edge.ask('POST', `/subscription-coupons/${id}/archive`, headers)
  const checkout = (coupon: unknown, more: object = {}, headers = own()) =>
    edge.post('/subscription-intents', { tier_id: tierId, coupon, ...more }, headers)

  it('a create answers 201 with every field, the code in capital letters and the lowest price of this moment', async () => {
    const given = {
      code: ' summer_26 ',
      percent_off: 25,
      periods: 3,
      max_uses: 100,
      max_uses_per_wallet: 1,
      ends_at: '2030-01-01T01:00:00+01:00',
      product_id: productId,
    }
    const { status, body } = await create(given)
    expect([status, body]).toEqual([
      201,
      {
        ...given,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        code: 'SUMMER_26',
        amount_off_usd_cents: null,
        min_price_usd_cents: 10,
        uses: 0,
        ends_at: '2030-01-01T00:00:00.000Z',
        status: 'active',
        archived_at: null,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
    expect((await edge.get(`/subscription-coupons/${body.id}`, own())).body).toEqual(body)
    const found = await edge.get('/subscription-coupons?code=Summer_26', own())
    expect(found.body).toEqual({ coupons: [body], next_cursor: null })
    expect((await edge.get('/subscription-coupons?code=no%20code', own())).body.coupons).toEqual([])
  })

  it.each([
    ['code', { code: 'no spaces' }],
    ['code', { code: 7 }],
    ['code', { code: null }],
    ['percent_off', { percent_off: 100 }],
    ['percent_off', { percent_off: null }],
    ['percent_off', { percent_off: '20' }],
    ['amount_off_usd_cents', { amount_off_usd_cents: 500 }],
    ['amount_off_usd_cents', { percent_off: null, amount_off_usd_cents: -1 }],
    ['periods', { periods: 0 }],
    ['max_uses', { max_uses: 0.5 }],
    ['max_uses_per_wallet', { max_uses_per_wallet: 100_001 }],
    ['ends_at', { ends_at: '2026-11-20T11:00:00Z' }],
    ['ends_at', { ends_at: 'tomorrow' }],
  ])('a create that breaks the rule of %s answers 400 with its name: %o', async (field, body) => {
    const answer = await create(body)
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_coupon', field }])
  })

  it('a second active coupon with one code, in any case, is 409, until the first is archived', async () => {
    const { id, code } = (await create()).body
    expect((await create({ code: code.toLowerCase() })).body).toEqual({ error: 'coupon_exists' })
    const archived = await archive(id)
    expect(archived.body).toMatchObject({ id, status: 'archived', archived_at: expect.any(String) })
    expect((await archive(id)).body).toEqual(archived.body)
    expect((await create({ code })).status).toBe(201)
  })

  it('a product that is unknown is 404, and one that is archived is 409', async () => {
    expect((await create({ product_id: randomUUID() })).body).toEqual({ error: 'product_not_found' })
    const { id } = (await edge.post('/subscription-products', { name: 'Tea' }, own())).body
    await edge.ask('POST', `/subscription-products/${id}/archive`, own())
    expect((await create({ product_id: id })).body).toEqual({ error: 'product_archived' })
  })

  it('a coupon of another business is not found, and its code can be used by every business', async () => {
    const { id, code } = (await create()).body
    const other = withKey(edge.keys.other)
    for (const answer of [await edge.get(`/subscription-coupons/${id}`, other), await archive(id, other)])
      expect([answer.status, answer.body]).toEqual([404, { error: 'coupon_not_found' }])
    expect((await create({ code }, other)).status).toBe(201)
    expect((await edge.get('/subscription-coupons?status=active&limit=100', other)).body.coupons).toHaveLength(1)
  })

  it('a marketplace creates, lists and archives the coupons of its seller', async () => {
    const headers = onBehalfOf(edge.keys.market, edge.sellers.market)
    const { body } = await create({}, headers)
    expect((await edge.get('/subscription-coupons', headers)).body.coupons).toEqual([body])
    expect((await archive(body.id, headers)).body.status).toBe('archived')
    expect((await edge.get(`/subscription-coupons/${body.id}`, own())).status).toBe(404)
  })

  it('a checkout takes a coupon by its code in any case, or by its id', async () => {
    const { id, code } = (await create({ product_id: productId })).body
    for (const coupon of [code.toLowerCase(), id]) {
      const { status, body } = await checkout(coupon)
      expect([status, body.coupon_id]).toEqual([201, id])
      expect((await edge.get(`/subscription-intents/${body.id}`, own())).body.coupon_id).toBe(id)
    }
    expect((await checkout(null)).body.coupon_id).toBeNull()
  })

  it('a checkout with a coupon that cannot be used is refused', async () => {
    const tea = (await edge.post('/subscription-products', { name: 'Tea' }, own())).body.id
    const of = async (body: object) => (await create(body)).body
    const archived = await of({})
    await archive(archived.id)
    const ending = await of({ ends_at: new Date(edge.world.now + 3_000).toISOString() })
    edge.world.now += 10_000
    const used = await of({ max_uses: 1 })
    const ofWallet = await of({ max_uses_per_wallet: 1 })
    const foreign = (await create({}, withKey(edge.keys.other))).body
    const tier = await addTier(edge.database, edge.tenant)
    const wallet = addressNo(66_001)
    for (const { id } of [used, ofWallet]) {
      const terms = { code: 'X', percentOff: 20, amountOffUsdCents: null, minPriceUsdCents: tier.priceUsdCents }
      const patch = { couponId: id, discount: terms, subscriberWallet: wallet }
      await addSubscription(edge.database, tier, edge.world.now, patch)
    }
    const refusals = [
      ['NO-SUCH', 404, 'coupon_not_found'],
      ['no such', 404, 'coupon_not_found'],
      [randomUUID(), 404, 'coupon_not_found'],
      [7, 400, 'invalid_request'],
      [archived.code, 404, 'coupon_not_found'],
      [archived.id, 404, 'coupon_not_found'],
      [foreign.code, 404, 'coupon_not_found'],
      [foreign.id, 404, 'coupon_not_found'],
      [ending.code, 409, 'coupon_ended'],
      [(await of({ product_id: tea })).code, 409, 'coupon_not_for_product'],
      [used.code, 409, 'coupon_used_up'],
    ] as const
    for (const [coupon, status, error] of refusals) {
      const answer = await checkout(coupon)
      expect([coupon, answer.status, answer.body.error]).toEqual([coupon, status, error])
    }
    // The limit of a wallet counts when it is known who subscribes.
    expect((await checkout(ofWallet.code)).status).toBe(201)
    expect((await checkout(ofWallet.code, { subscriber_wallet: wallet })).body.error).toBe('coupon_used_up')
    expect((await edge.get(`/subscription-coupons/${used.id}`, own())).body.uses).toBe(1)
  })
})
