import { afterAll, beforeAll, expect, it } from 'vitest'
import { NO_PAYMENTS, startTestMarketplace, type TestMarketplace } from '../../../support/marketplace.ts'
import { withKey } from '../../../support/services.ts'

let bazaar: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  const [first, second] = bazaar.sellers
  // In New York: an hour before the clock goes back, in the two hours of one name, and the next day.
  await bazaar.pay(first, '2026-11-01T04:30:00.000Z', 20n)
  await bazaar.pay(first, '2026-11-01T05:30:00.000Z', 20n)
  await bazaar.pay(second, '2026-11-01T06:30:00.000Z')
  await bazaar.pay(second, '2026-11-02T05:00:00.000Z', 20n)
})
afterAll(() => bazaar.close())

type Bucket = { start: string; end: string; payments_count: number; volume_usd_cents: number }
const ask = async (query: Record<string, string>): Promise<{ buckets: Bucket[] } & Record<string, unknown>> => {
  const path = `/marketplace/stats/timeseries?${new URLSearchParams(query)}`
  const { status, body } = await bazaar.service.get(path, withKey())
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
const range = { from: '2026-10-31T04:00:00Z', to: '2026-11-03T05:00:00Z' }

it('GET /marketplace/stats/timeseries answers days of the zone, of 25 hours where the clock goes back', async () => {
  const { buckets, ...rest } = await ask({ ...range, timezone: 'America/New_York' })
  expect(rest).toEqual({
    from: '2026-10-31T04:00:00.000Z',
    to: '2026-11-03T05:00:00.000Z',
    interval: 'day',
    timezone: 'America/New_York',
  })
  expect(buckets.map(({ start, end, payments_count }) => [start, end, payments_count])).toEqual([
    ['2026-10-31T04:00:00.000Z', '2026-11-01T04:00:00.000Z', 0],
    ['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z', 3],
    ['2026-11-02T05:00:00.000Z', '2026-11-03T05:00:00.000Z', 1],
  ])
})

it('GET /marketplace/stats/timeseries answers the same figures as the summary of each bucket', async () => {
  for (const timezone of ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu']) {
    const { buckets } = await ask({ ...range, interval: 'hour', timezone })
    expect(buckets.reduce((sum, { payments_count }) => sum + payments_count, 0)).toBe(4)
    for (const { start, end, ...figures } of buckets.filter((_, at) => at % 12 === 0)) {
      const { body } = await bazaar.service.get(`/marketplace/stats/summary?from=${start}&to=${end}`, withKey())
      expect(body).toEqual({ from: start, to: end, ...figures })
    }
  }
})

it('GET /marketplace/stats/timeseries answers a bucket without payments with zeros', async () => {
  const { buckets } = await ask({ from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', interval: 'month' })
  expect(buckets).toEqual([
    {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      volume_usd_cents: 0,
      fee_revenue_usd_cents: 0,
      payments_count: 0,
      counts_by_status: NO_PAYMENTS,
      by_asset: [],
    },
  ])
})

it('GET /marketplace/stats/timeseries?seller_id= counts the payments of that seller', async () => {
  const { buckets } = await ask({ ...range, interval: 'week', seller_id: bazaar.sellers[1].accountId })
  expect(buckets.map(({ payments_count }) => payments_count)).toEqual([1, 1])
})

it('GET /marketplace/stats/timeseries answers the last 30 days by default', async () => {
  const { buckets, from, to } = await ask({})
  expect([from, to, buckets.length]).toEqual(['2026-10-21T12:00:00.000Z', '2026-11-20T12:00:00.000Z', 31])
})
