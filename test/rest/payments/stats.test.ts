// The figures of a business over the payments for itself, and the charges of its subscriptions.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { NO_PAYMENTS, STATS_NOW, startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'
import { patchIntent } from '../../support/stores.ts'

let shop: TestMarketplace
beforeAll(async () => {
  shop = await startTestMarketplace()
  const { marketplace: business, sellers, stores, pay } = shop
  await pay(business, '2026-11-19T12:00:00.000Z', 30n)
  await pay(business, '2026-11-19T13:00:00.000Z', 33n)
  await pay(business, '2026-11-19T14:00:00.000Z')
  await patchIntent(stores.work, await pay(business, '2026-11-18T12:00:00.000Z'), { status: 'cancelled' })
  await pay(business, '2026-10-01T12:00:00.000Z', 30n)
  await pay(sellers[0], '2026-11-19T12:00:00.000Z', 500n)
  const tier = await addTier(shop.db, business)
  await shop.db.query(
    `INSERT INTO tokens (network, asset, mint, is_native, name, ticker, decimals, extensions, feed_key, updated_at)
     VALUES ('live', $1, $1, false, 'Dollar', 'USD', 6, '{}', 'USD', now())`,
    [tier.mint],
  )
  for (const status of ['incomplete', 'active'] as const) {
    const { charge } = await addSubscription(shop.db, tier, STATS_NOW.getTime(), { status })
    await shop.db.query('UPDATE charges SET created_at = $2 WHERE id = $1', [charge.id, '2026-11-19T12:00:00.000Z'])
  }
  // The moment of a charge never changes otherwise.
  await shop.db.query('SELECT rebuild_stats()')
})
afterAll(() => shop.close())

const FIGURES = {
  volume_usd_cents: 200,
  // 97 and 96.7 cents, rounded down once.
  net_usd_cents: 193,
  fees_usd_cents: 7,
  payments_count: 4,
  paid_count: 2,
  counts_by_status: { ...NO_PAYMENTS, pending: 1, swept: 2, cancelled: 1 },
  by_asset: [{ ticker: 'SOL', mint: null, decimals: 9, volume: 2_000, net: 1_937, fees: 63, payments_count: 2 }],
  recurring_usd_cents: 100,
  charges_count: 1,
}

it('GET /stats/summary has the payments of the last 30 days for the business, without those for sellers', async () => {
  const { status, body } = await shop.service.get('/stats/summary', withKey())
  const range = { from: '2026-10-21T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z' }
  expect([status, body]).toEqual([200, { ...range, ...FIGURES }])
})

it('GET /stats/timeseries has the same figures for each bucket of a time zone', async () => {
  const query = { from: '2026-11-17T23:00:00Z', to: '2026-11-19T23:00:00Z', timezone: 'Europe/Berlin' }
  const { status, body } = await shop.service.get(`/stats/timeseries?${new URLSearchParams(query)}`, withKey())
  expect([status, body.interval, body.timezone]).toEqual([200, 'day', 'Europe/Berlin'])
  const counts = { ...NO_PAYMENTS, pending: 1, swept: 2 }
  expect(body.buckets).toEqual([
    {
      start: '2026-11-17T23:00:00.000Z',
      end: '2026-11-18T23:00:00.000Z',
      volume_usd_cents: 0,
      net_usd_cents: 0,
      fees_usd_cents: 0,
      payments_count: 1,
      paid_count: 0,
      counts_by_status: { ...NO_PAYMENTS, cancelled: 1 },
      by_asset: [],
      recurring_usd_cents: 0,
      charges_count: 0,
    },
    {
      start: '2026-11-18T23:00:00.000Z',
      end: '2026-11-19T23:00:00.000Z',
      ...FIGURES,
      payments_count: 3,
      counts_by_status: counts,
    },
  ])
})

it.each([
  ['/stats/summary?from=yesterday', /^from must be a time as in RFC 3339/],
  ['/stats/summary?from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
  ['/stats/timeseries?timezone=Mars/Olympus', /^timezone must be the name of an IANA time zone/],
  ['/stats/timeseries?interval=minute', /^interval must be one of hour, day, week, month$/],
  ['/stats/timeseries?interval=hour&from=2026-01-01T00:00:00Z', /^interval gives more than 1000 buckets/],
])('GET %s is 400', async (path, message) => {
  const { status, body } = await shop.service.get(path, withKey())
  expect([status, Object.keys(body)]).toEqual([400, ['error']])
  expect(body.error).toMatch(message)
})

it('a payment that is created writes nothing for the figures, and counts at once', async () => {
  const changes = async () => (await shop.db.query('SELECT 1 FROM stats_deltas')).length
  const before = await changes()
  await shop.pay(shop.marketplace, '2026-09-01T00:00:00.000Z')
  const { body } = await shop.service.get('/stats/summary?from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z', withKey())
  expect([await changes(), body.payments_count]).toEqual([before, 1])
})
