import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { addMarketplace } from '../../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'
import { addIntent, storesOf } from '../../../support/stores.ts'

describe('400', () => {
  let edge: SellerEdge
  let path: string
  beforeAll(async () => {
    edge = await startSellerEdge()
    const { body } = await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))
    path = `/marketplace/sellers/${body.id}`
  })
  afterAll(() => edge.close())

  const BAD_FIELDS: readonly (readonly [field: string, value: unknown])[] = [
    ['name', 7],
    ['name', ' '],
    ['name', 'a'.repeat(201)],
    ['label', 'two\nlines'],
    ['label', 'a'.repeat(201)],
    ['description', 7],
    ['description', 'a'.repeat(501)],
    ['metadata', []],
    ['metadata', 'x'],
    ['metadata', { deep: { a: { b: { c: { d: { e: { f: { g: {} } } } } } } } }],
    ['metadata', { nul: 'a\u0000b' }],
    ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, 1]))],
    ['metadata', { long: 'a'.repeat(17_000) }],
    ['sweep_destination', 'not-an-address'],
    ['sweep_destination', UNPAYABLE],
    ['sweep_destination', 7],
    ['marketplace_fee_bps', 5_001],
    ['marketplace_fee_bps', -1],
    ['marketplace_fee_bps', 1.5],
    ['marketplace_fee_bps', '100'],
  ]

  describe.each(BAD_FIELDS)('the %s %j', (field, value) => {
    it('is refused in a create, and the message names the field', async () => {
      const body = { name: 'Shop', [field]: value }
      const answer = await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.body)).toEqual(['error'])
      expect(answer.body.error).toContain(field)
    })

    it('is refused in an edit, and changes nothing', async () => {
      const before = await edge.get(path, withKey(edge.keys.own))
      const answer = await edge.send('PATCH', path, { label: 'New', [field]: value }, withKey(edge.keys.own))
      expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
      expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(before.body)
    })
  })

  it.each([{}, { name: null }, { external_id: 'x' }])('refuses a create without a name: %j', async (body) => {
    expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
  })

  it.each(['', ' ', 'a'.repeat(256), 'a\nb', 7])('refuses the external id %j', async (external_id) => {
    const { status, body } = await edge.post(
      '/marketplace/sellers',
      { name: 'Shop', external_id },
      withKey(edge.keys.own),
    )
    expect([status, body.error]).toEqual([400, expect.stringContaining('external_id')])
  })

  it.each([{}, { unknown: 1 }, { name: null }])('refuses an edit that has nothing to update: %j', async (body) => {
    expect((await edge.send('PATCH', path, body, withKey(edge.keys.own))).status).toBe(400)
  })

  it('a number that cannot be read exactly is refused in metadata', async () => {
    const body = '{"name": "Shop", "metadata": {"big": 12345678901234567890}}'
    expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
  })

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=5&limit=6'],
    ['cursor', 'cursor='],
    ['cursor', 'cursor=made-up'],
    ['include_archived', 'include_archived=yes'],
    ['search', `search=${'a'.repeat(501)}`],
  ])('the list refuses the %s of ?%s', async (field, query) => {
    const { status, body } = await edge.get(`/marketplace/sellers?${query}`, withKey(edge.keys.own))
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
  })

  it('a cursor serves its caller and its filters only', async () => {
    await edge.post('/marketplace/sellers', { name: 'Second' }, withKey(edge.keys.own))
    const { next_cursor } = (await edge.get('/marketplace/sellers?limit=1', withKey(edge.keys.own))).body
    const ask = (query: string, key: string) =>
      edge.get(`/marketplace/sellers?cursor=${next_cursor}${query}`, withKey(key))
    expect((await ask('', edge.keys.own)).status).toBe(200)
    expect((await ask('', edge.keys.other)).status).toBe(400)
    expect((await ask('&search=shop', edge.keys.own)).status).toBe(400)
    expect((await ask('&include_archived=true', edge.keys.own)).status).toBe(400)
    expect((await edge.get(`/marketplace/audit?cursor=${next_cursor}`, withKey(edge.keys.own))).status).toBe(400)
  })
})

describe('409', () => {
  let edge: SellerEdge
  beforeAll(async () => {
    edge = await startSellerEdge()
  })
  afterAll(() => edge.close())

  it('an archive while money is in flight names the payments, and archives nothing', async () => {
    const key = withKey(edge.keys.own)
    const { id } = (await edge.post('/marketplace/sellers', { name: 'Busy Shop' }, key)).body
    const payment = await addIntent(storesOf(edge.database), edge.tenant, { accountId: id })
    const { status, body } = await edge.ask('DELETE', `/marketplace/sellers/${id}`, key)
    expect([status, body]).toEqual([
      409,
      { error: expect.any(String), intent_ids: [payment.id], subscription_ids: [], subscription_intent_ids: [] },
    ])
    expect((await edge.get(`/marketplace/sellers/${id}`, key)).body.status).toBe('active')
  })

  it('a create beyond the limit of sellers', async () => {
    const { tenant } = await addMarketplace(edge.database, edge.marketplaces, { sellerLimit: 1 })
    const key = withKey(await edge.keyOf(tenant.accountId))
    expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(201)
    const { status, body } = await edge.post('/marketplace/sellers', { name: 'Two' }, key)
    expect([status, Object.keys(body)]).toEqual([409, ['error']])
    expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(200)
  })
})

describe('429', () => {
  const LIMIT = 4
  const WRONG_KEYS = 3
  const OF_LIVE_KEY = 2
  const OF_TEST_KEY = 2
  let edge: SellerEdge
  beforeAll(async () => {
    // The limit of the key is below the rate of new sellers, which do not count against it.
    const rateLimits = {
      ...DEFAULT_RATE_LIMITS,
      sellersPerTenSeconds: LIMIT,
      liveKeyPerSecond: OF_LIVE_KEY,
      testKeyPerSecond: OF_TEST_KEY,
      publicAddressPerMinute: WRONG_KEYS,
    }
    edge = await startSellerEdge({ rateLimits })
  })
  afterAll(() => edge.close())

  const create = (body: object, key = edge.keys.own) => edge.post('/marketplace/sellers', body, withKey(key))

  it('new sellers beyond the rate are refused with the time to wait; a known external id is still answered', async () => {
    for (let at = 0; at < LIMIT; at += 1)
      expect((await create({ name: 'Shop', external_id: `shop-${at}` })).status).toBe(201)
    const refused = await create({ name: 'Shop', external_id: 'one-too-many' })
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: expect.any(String), retry_after_secs: Number(refused.headers.get('retry-after')) },
    ])
    expect(refused.body.retry_after_secs).toBeGreaterThan(0)
    expect(refused.body.retry_after_secs).toBeLessThanOrEqual(10)
    expect(refused.headers.get('ratelimit-policy')).toContain(`"new-sellers";q=${LIMIT};w=10`)
    expect(refused.headers.get('ratelimit')).toContain(`"new-sellers";r=0;t=${refused.headers.get('retry-after')}`)

    // The rate is the marketplace's, whichever of its keys is used.
    expect((await create({ name: 'Shop' }, edge.keys.manager)).status).toBe(429)
    expect((await create({ name: 'Shop' }, edge.keys.other)).status).toBe(201)

    expect(await create({ name: 'Shop', external_id: 'shop-1' })).toMatchObject({
      status: 200,
      body: { created: false },
    })
  })

  it('new sellers beyond the rate count against the limit of the key', async () => {
    const answers = Array.from({ length: LIMIT }, () => create({ name: 'Shop' }, edge.keys.manager))
    expect((await Promise.all(answers)).map(({ status }) => status)).toContain(429)
    const key = await edge.keyOf(edge.tenant.accountId)
    const refused = await Promise.all(Array.from({ length: OF_LIVE_KEY }, () => create({ name: 'Shop' }, key)))
    expect(refused.map(({ status }) => status)).toEqual(Array(OF_LIVE_KEY).fill(429))
    expect((await edge.get('/marketplace', withKey(key))).status).toBe(429)
  })

  it('repeats of a known external id count against the limit of the key, and are refused with the time to wait', async () => {
    const key = edge.keys.other
    expect((await create({ name: 'Shop', external_id: 'known' }, key)).status).toBe(201)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => create({ name: 'Shop', external_id: 'known' }, key)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { body } of refused) expect(body).toEqual({ error: expect.any(String), retry_after_secs: 1 })
  })

  const REFUSED = { error: expect.any(String), retry_after_secs: expect.any(Number) }

  it('a request that cannot be read counts once, and is refused with the time to wait', async () => {
    const answers = await Promise.all(Array.from({ length: OF_TEST_KEY + 1 }, () => create({}, edge.keys.test)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(OF_TEST_KEY).fill(400), 429])
    expect(answers.find(({ status }) => status === 429)?.body).toEqual(REFUSED)
  })

  it('wrong keys beyond the limit are refused with the time to wait', async () => {
    for (let at = 0; at < WRONG_KEYS; at += 1) expect((await create({}, 'sk_live_wrong')).status).toBe(401)
    const { status, body } = await create({}, 'sk_live_wrong')
    expect([status, body]).toEqual([429, REFUSED])
  })
})
