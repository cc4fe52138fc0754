import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_PAYMENTS, startTestMarketplace, type TestMarketplace } from '../../../support/marketplace.ts'
import { withKey } from '../../../support/services.ts'

let bazaar: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  const [first, second] = bazaar.sellers
  await bazaar.pay(first, '2026-11-19T12:00:00.000Z', 24n)
  await bazaar.pay(first, '2026-11-19T12:00:00.001Z')
  await bazaar.pay(second, '2026-11-01T00:00:00.000Z', 33n)
  await bazaar.pay(second, '2026-10-01T00:00:00.000Z', 500n)
  await bazaar.pay(bazaar.marketplace, '2026-11-19T12:00:00.000Z', 500n)
})
afterAll(() => bazaar.close())

const ask = async (query: string) => {
  const { status, body } = await bazaar.service.get(`/marketplace/stats/summary${query}`, withKey())
  expect([status, body.error]).toEqual([200, undefined])
  return body
}

it('GET /marketplace/stats/summary counts the payments for sellers of the last 30 days', async () => {
  expect(await ask('')).toEqual({
    from: '2026-10-21T12:00:00.000Z',
    to: '2026-11-20T12:00:00.000Z',
    volume_usd_cents: 200,
    // 2.4 and 3.3 cents, rounded down once.
    fee_revenue_usd_cents: 5,
    payments_count: 3,
    counts_by_status: { ...NO_PAYMENTS, pending: 1, swept: 2 },
    by_asset: [{ ticker: 'SOL', mint: null, decimals: 9, volume: 2_000, fee_revenue: 57, payments_count: 2 }],
  })
})

it('GET /marketplace/stats/summary includes `from` and excludes `to`, to the millisecond', async () => {
  const count = async (from: string, to: string) => (await ask(`?from=${from}&to=${to}`)).payments_count
  const [at, after] = ['2026-11-19T12:00:00Z', '2026-11-19T12:00:00.001Z']
  expect([await count(at, at), await count(at, after), await count(after, '2026-11-20T00:00:00Z')]).toEqual([0, 1, 1])
  expect(await count('2026-11-19T13:00:00%2B01:00', after)).toBe(1)
  expect([await count('2026-11-19T12:00:00.0001Z', after), await count(at, '2026-11-19T12:00:00.0001Z')]).toEqual([
    0, 1,
  ])
})

it.each(['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59-12:00'])(
  'the figures up to %s end with year 9999',
  async (to) => {
    const last = '9999-12-31T23:59:59.999Z'
    expect(await ask(`?from=2026-11-19T12:00:00Z&to=${to}`)).toMatchObject({ to: last, payments_count: 2 })
    const { body } = await bazaar.service.get(`/marketplace/stats/timeseries?to=${to}`, withKey())
    expect(body).toMatchObject({ from: '9999-12-01T23:59:59.999Z', to: last })
    const document = `{ marketplaceStats(to: "${to}") { end } marketplaceStatsTimeseries(to: "${to}") { end } }`
    expect((await bazaar.service.graphql(document, {}, withKey())).body).toEqual({
      data: { marketplaceStats: { end: last }, marketplaceStatsTimeseries: { end: last } },
    })
  },
)

it('GET /marketplace/stats/summary?seller_id= counts the payments of that seller', async () => {
  const [, second] = bazaar.sellers
  expect(await ask(`?seller_id=${second.accountId}`)).toMatchObject({
    payments_count: 1,
    volume_usd_cents: 100,
    by_asset: [{ volume: 1_000, fee_revenue: 33 }],
  })
})
