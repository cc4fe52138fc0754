import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { type SellerEdge, startSellerEdge } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

const LIMIT = 4
let edge: SellerEdge
beforeAll(async () => {
  // The limit of the key is below the rate of new sellers, which do not count against it.
  const rateLimits = { ...DEFAULT_RATE_LIMITS, sellersPerTenSeconds: LIMIT, liveKeyPerSecond: 2 }
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
