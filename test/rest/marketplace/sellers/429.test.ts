import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { type SellerEdge, startSellerEdge } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

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

  // The rate is the marketplace's, whichever of its keys is used.
  expect((await create({ name: 'Shop' }, edge.keys.manager)).status).toBe(429)
  expect((await create({ name: 'Shop' }, edge.keys.other)).status).toBe(201)

  expect(await create({ name: 'Shop', external_id: 'shop-1' })).toMatchObject({ status: 200, body: { created: false } })
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
