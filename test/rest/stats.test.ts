import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSubscription, addTier } from '../support/billing-rows.ts'
import { NO_PAYMENTS, STATS_NOW, startTestMarketplace, type TestMarketplace } from '../support/marketplace.ts'
import { TEST_API_KEY, withKey } from '../support/services.ts'
import { addBusiness, patchIntent } from '../support/stores.ts'

// The figures of a business over the payments for itself, and the charges of its subscriptions.
describe('the figures of a business', () => {
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
    const { body } = await shop.service.get(
      '/stats/summary?from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z',
      withKey(),
    )
    expect([await changes(), body.payments_count]).toEqual([before, 1])
  })
})

describe('the figures of a marketplace', () => {
  describe('summary', () => {
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
      expect([await count(at, at), await count(at, after), await count(after, '2026-11-20T00:00:00Z')]).toEqual([
        0, 1, 1,
      ])
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
  })

  describe('timeseries', () => {
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
  })

  describe('400', () => {
    let bazaar: TestMarketplace
    beforeAll(async () => {
      bazaar = await startTestMarketplace()
    })
    afterAll(() => bazaar.close())

    it.each([
      ['from=yesterday', /^from must be a time as in RFC 3339/],
      ['from=2026-02-30T00:00:00Z', /^from must be a time as in RFC 3339/],
      ['to=2026-11-20', /^to must be a time as in RFC 3339/],
      ['to=2026-11-20T00:00:00', /^to must be a time as in RFC 3339/],
      ['from=2026-11-20T00:00:00Z&from=2026-11-21T00:00:00Z', /^from must be a time as in RFC 3339/],
      ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
      ['from=0000-01-01T00:00:00Z', /^from is before year 1$/],
      ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
      ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
      ['seller_id=a&seller_id=b', /^seller_id must be given once$/],
    ])('GET /marketplace/stats/summary?%s answers 400', async (query, message) => {
      const { status, body } = await bazaar.service.get(`/marketplace/stats/summary?${query}`, withKey())
      expect([status, Object.keys(body)]).toEqual([400, ['error']])
      expect(body.error).toMatch(message)
    })

    it.each([
      ['timezone=Mars/Olympus', /^timezone must be the name of an IANA time zone/],
      ['timezone=%2B05:30', /^timezone must be the name of an IANA time zone/],
      ['timezone=', /^timezone must not be blank$/],
      ['timezone=UTC&timezone=UTC', /^timezone must be a string$/],
      ['interval=minute', /^interval must be one of hour, day, week, month$/],
      ['interval=hour&from=2026-01-01T00:00:00Z&to=2026-02-11T16:00:01Z', /^interval gives more than 1000 buckets/],
      ['from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z', /^interval gives more than 1000 buckets/],
      ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
      ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
      ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
      ['from=x', /^from must be a time as in RFC 3339/],
    ])('GET /marketplace/stats/timeseries?%s answers 400', async (query, message) => {
      const { status, body } = await bazaar.service.get(`/marketplace/stats/timeseries?${query}`, withKey())
      expect([status, Object.keys(body)]).toEqual([400, ['error']])
      expect(body.error).toMatch(message)
    })
  })

  describe('404', () => {
    const PATHS = ['/marketplace/stats/summary', '/marketplace/stats/timeseries']

    it('the figures of a seller of another marketplace, of no seller, and of another network are 404, all alike', async () => {
      const bazaar = await startTestMarketplace()
      const other = await addBusiness(bazaar.db)
      const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
      const own = bazaar.sellers[0].accountId
      for (const path of PATHS) {
        for (const id of [
          foreign.accountId,
          other.accountId,
          bazaar.marketplace.accountId,
          crypto.randomUUID(),
          'seller-1',
          '',
          '%20',
          '%00',
          'a'.repeat(2_000),
        ]) {
          const { status, body } = await bazaar.service.get(`${path}?seller_id=${id}`, withKey())
          expect([status, body]).toEqual([404, { error: 'seller not found' }])
        }
        const { status } = await bazaar.service.get(`${path}?seller_id=${own}`, withKey(TEST_API_KEY))
        expect(status).toBe(404)
      }
      await bazaar.close()
    })

    it('the figures of a malformed seller are not found over GraphQL either', async () => {
      const bazaar = await startTestMarketplace()
      for (const id of ['', ' ', '\0', 'a\nb', 'a'.repeat(2_000)]) {
        for (const field of ['marketplaceStats', 'marketplaceStatsTimeseries']) {
          const literal = `{ ${field}(sellerId: ${JSON.stringify(id)}) { start } }`
          const variable = `query Figures($id: String) { ${field}(sellerId: $id) { start } }`
          for (const { body } of [
            await bazaar.service.graphql(literal, {}, withKey()),
            await bazaar.service.graphql(variable, { id }, withKey()),
          ])
            expect(body.errors[0].extensions.code).toBe('seller_not_found')
        }
      }
      await bazaar.close()
    })

    it('a business that is not a marketplace gets 404', async () => {
      const shop = await startTestMarketplace({ isMarketplace: false })
      for (const path of PATHS) {
        for (const query of ['', `?seller_id=${shop.sellers[0].accountId}`, '?to=0000-01-01T00:00:00Z']) {
          const { status, body } = await shop.service.get(path + query, withKey())
          expect([status, body]).toEqual([404, { error: 'not found' }])
        }
      }
      await shop.close()
    })
  })
})
