import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSellerStore } from '#adapters/prisma/marketplace/seller-store.ts'
import { createTenantReads, type TenantReads } from '#adapters/prisma/tenant-reads.ts'
import { tenantOf } from '#core/accounts/account.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import { isUuid } from '#services/requests.ts'
import { type BillingEdge, startBillingEdge } from '../support/billing-edge.ts'
import { addSubscription, addTier } from '../support/billing-rows.ts'
import { startTestMarketplace, type TestMarketplace } from '../support/marketplace.ts'
import { credential, startTestService, type TestService, withKey } from '../support/services.ts'
import { addBusiness, addIntent } from '../support/stores.ts'

// GET /exports/*.csv over a real database: the records, their sums, whose they are, refusals, and a download that breaks.
describe('payments and settlements', () => {
  /** More than a page of a list has. */
  const COUNT = 120
  const SCOPES: Readonly<Record<string, readonly KeyPermission[]>> = {
    sk_live_all: ['payments', 'marketplace-view'],
    sk_live_payments: ['payments'],
    sk_live_view: ['marketplace-view'],
  }

  let shop: TestMarketplace
  /** The edges of the same business, with keys of other scopes. */
  let service: TestService
  let pages = 0
  /** Whether every key is revoked. */
  let isRevoked = false
  /** Called before a page is read, with its number. */
  let beforePage: (page: number) => void
  beforeEach(() => {
    pages = 0
    isRevoked = false
    beforePage = () => {}
  })

  beforeAll(async () => {
    shop = await startTestMarketplace()
    const { db, marketplace: own, sellers, stores } = shop
    const at = (hour: number) => new Date(Date.parse('2026-11-01T00:00:00Z') + hour * 3_600_000).toISOString()
    for (let number = 0; number < COUNT; number += 1) {
      const payee = [...sellers, own][number % 3] ?? own
      await shop.pay(payee, at(number), number % 4 === 0 ? undefined : BigInt(number), {
        reference: `order-${number}`,
        metadata: { plan: 'gold' },
      })
    }
    await shop.pay(own, at(COUNT), undefined, {
      reference: '=cmd|calc',
      customerDetails: { first_name: 'Ada, "the first"', email: '+ada@example.com' },
      metadata: { order: 'A-17' },
    })
    await addIntent(stores, await addBusiness(db), { reference: 'of another business' })
    const reads = createTenantReads(db.prisma)
    service = await startTestService({
      reads: (tenant): TenantReads => {
        const { paymentIntent, ...others } = reads(tenant)
        const findMany: typeof paymentIntent.findMany = async (args) => {
          pages += 1
          beforePage(pages)
          return await paymentIntent.findMany(args)
        }
        return { ...others, paymentIntent: { ...paymentIntent, findMany } }
      },
      services: {
        accounts: {
          authenticate: async (key) => {
            const scopes = SCOPES[key]
            if (scopes === undefined || isRevoked) throw new ServiceError('unauthenticated')
            const known = credential('live')
            return { ...known, key: { ...known.key, scopes } }
          },
        },
        marketplaces: {
          async findSeller(tenant, sellerId) {
            const seller = isUuid(sellerId) ? await createSellerStore(db).find(tenant, sellerId) : null
            if (seller === null) throw new ServiceError('seller_not_found')
            return seller
          },
        },
        tokens: { tickerOf: async () => 'SOL' },
      },
    })
  })
  afterAll(async () => {
    await service.close()
    await shop.close()
  })

  type Row = Readonly<Record<string, string>>

  /** Reads records whose cells have no line breaks. */
  function rowsOf(text: string): readonly Row[] {
    const [header = '', ...lines] = text.trimEnd().split('\r\n')
    const cellsOf = (line: string): string[] =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare,
      )
    const names = cellsOf(header)
    return lines.map((line) => Object.fromEntries(cellsOf(line).map((cell, column) => [names[column], cell])))
  }

  async function download(path: string): Promise<readonly Row[]> {
    const { status, text } = await service.get(path, withKey('sk_live_all'))
    expect(status).toBe(200)
    return rowsOf(text)
  }

  const sumOf = (rows: readonly Row[], column: string): bigint =>
    rows.reduce((sum, row) => sum + BigInt((row[column] ?? '').replace('.', '')), 0n)

  describe('GET /exports/payments.csv', () => {
    it('has every payment of the business once, and no other, the newest first', async () => {
      const references = (await download('/exports/payments.csv')).map(({ reference }) => reference)
      expect(references).toEqual(["'=cmd|calc", ...Array.from({ length: COUNT }, (_, at) => `order-${COUNT - 1 - at}`)])
    })

    it('is a file', async () => {
      const { headers } = await service.get('/exports/payments.csv', withKey('sk_live_all'))
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      expect(headers.get('content-disposition')).toBe('attachment; filename="payments.csv"')
    })

    it('has the payment in columns, and defuses formulas', async () => {
      const [row] = await download('/exports/payments.csv')
      expect(row).toMatchObject({
        price_usd: '1.00',
        status: 'pending',
        ticker: '',
        seller_id: '',
        first_name: 'Ada, "the first"',
        email: "'+ada@example.com",
        metadata: '{"order":"A-17"}',
      })
    })

    it('has the payments of a range, and of a seller', async () => {
      const [{ accountId }] = shop.sellers
      const path = '/exports/payments.csv?from=2026-11-02T00:00:00Z&to=2026-11-02T06:00:00Z'
      expect(await download(path)).toHaveLength(6)
      const ofSeller = await download(`${path}&seller_id=${accountId}`)
      expect(ofSeller.map(({ seller_id }) => seller_id)).toEqual([accountId, accountId])
    })

    it('has what the filters of the list of payments find', async () => {
      const found = async (query: string) =>
        (await download(`/exports/payments.csv?${query}`)).map((row) => row.reference)
      const { accountId } = shop.sellers[0]
      expect(await found('metadata[order]=A-17')).toEqual(["'=cmd|calc"])
      expect(await found('reference=order-7')).toEqual(['order-7'])
      expect(await found('search=ORDER-11')).toHaveLength(11)
      expect(await found('status=pending,swept')).toHaveLength(COUNT + 1)
      expect(await found('status=cancelled')).toEqual([])
      expect(await found('asset=SOL&reference=order-7')).toEqual(['order-7'])
      expect(await found('asset=SOL')).toHaveLength(await found('status=swept').then(({ length }) => length))
      expect(await found('asset=SOL&status=pending,swept')).toEqual(await found('asset=SOL'))
      expect(await found('asset=SOL&metadata[order]=A-17')).toEqual([])
      for (const whose of ['', `&seller_id=${accountId}`])
        expect(await found(`asset=SOL&metadata[plan]=gold${whose}`)).toEqual(await found(`asset=SOL${whose}`))
      expect(await found(`search=order-11&seller_id=${accountId}`)).toEqual(['order-117', 'order-114', 'order-111'])
      expect(await found(`reference=order-7&seller_id=${accountId}`)).toEqual([])
      expect(await found(`metadata[order]=A-17&seller_id=${accountId}`)).toEqual([])
    })

    it('has only its header when there is none', async () => {
      const { text } = await service.get('/exports/payments.csv?to=2020-01-01T00:00:00Z', withKey('sk_live_all'))
      expect(text).toMatch(/^id,derivation_index,[^\r\n]*\r\n$/)
    })
  })

  describe('GET /exports/settlements.csv', () => {
    it.each(['all sellers', 'one seller'])('adds up to the stats of %s', async (whose) => {
      const seller = whose === 'one seller' ? `&seller_id=${shop.sellers[0].accountId}` : ''
      const query = `from=2026-11-01T00:00:00Z&to=2026-11-05T00:00:00Z${seller}`
      const rows = (await download(`/exports/settlements.csv?${query}`)).filter(({ seller_id }) => seller_id !== '')
      const moved = rows.filter(({ role }) => role !== 'refund')
      const fees = rows.filter(({ role }) => role === 'marketplace')
      expect(moved.length).toBeGreaterThan(20)
      const { body } = await shop.service.get(`/marketplace/stats/summary?${query}`, withKey())
      const [{ volume, fee_revenue }] = body.by_asset
      expect([sumOf(moved, 'amount'), sumOf(fees, 'amount')]).toEqual([BigInt(volume), BigInt(fee_revenue)])
      const cents = [moved, fees].map((some) => sumOf(some, 'usd') / 1_000_000n)
      expect(cents).toEqual([BigInt(body.volume_usd_cents), BigInt(body.fee_revenue_usd_cents)])
    })

    it('has a record for each leg, with amounts that can be added up', async () => {
      const rows = (await download('/exports/settlements.csv')).filter(({ reference }) => reference === 'order-1')
      expect(rows.map(({ role, amount, whole_amount, usd }) => [role, amount, whole_amount, usd])).toEqual([
        ['seller', '999', '0.000000999', '0.99900000'],
        ['marketplace', '1', '0.000000001', '0.00100000'],
        ['refund', '77', '0.000000077', '0.00000000'],
      ])
    })
  })

  describe.each(['/exports/payments.csv', '/exports/settlements.csv'])('%s', (path) => {
    const NO_SELLER = '?seller_id=00000000-0000-4000-8000-000000000000'
    it.each([
      ['', 'sk_live_view', 403],
      [NO_SELLER, 'sk_live_payments', 403],
      [NO_SELLER, 'sk_live_all', 404],
      ['?seller_id=x&seller_id=y', 'sk_live_all', 400],
      ['?from=yesterday', 'sk_live_all', 400],
      ['?from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', 'sk_live_all', 400],
    ])('refuses %s with %s like any other request: %i', async (query, key, status) => {
      const answer = await service.get(`${path}${query}`, withKey(key))
      expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
    })

    it('cuts the connection when a later page cannot be read', async () => {
      beforePage = (page) => {
        if (page === 2) throw new Error('the second page failed')
      }
      // The headers may not have arrived before the cut.
      const reading = fetch(`${service.url}${path}`, { headers: withKey('sk_live_all') }).then((answer) =>
        answer.text(),
      )
      await expect(reading).rejects.toThrow(/terminated|fetch failed/)
      expect(service.logLines.some((line) => line.includes('the second page failed'))).toBe(true)
    })

    it('is cut at the next page when its key is revoked', async () => {
      beforePage = () => {
        isRevoked = true
      }
      const reading = fetch(`${service.url}${path}`, { headers: withKey('sk_live_all') }).then((answer) =>
        answer.text(),
      )
      await expect(reading).rejects.toThrow(/terminated|fetch failed/)
      expect(pages).toBe(1)
    })

    it('waits for its turn when the limit of the key is used up meanwhile', async () => {
      const whole = await service.get(path, withKey('sk_live_all'))
      const before = pages
      beforePage = (page) => {
        if (page === before + 2) throw new ServiceError('rate_limited', { retry_after_seconds: 0 })
      }
      expect((await service.get(path, withKey('sk_live_all'))).text).toBe(whole.text)
      expect(pages).toBe(before * 2 + 1)
    })

    it('is cut when its turn does not come for a long time', async () => {
      beforePage = (page) => {
        if (page > 1) throw new ServiceError('rate_limited', { retry_after_seconds: 0 })
      }
      const reading = fetch(`${service.url}${path}`, { headers: withKey('sk_live_all') }).then((answer) =>
        answer.text(),
      )
      await expect(reading).rejects.toThrow(/terminated|fetch failed/)
      expect(pages).toBe(62)
    })

    it('reads no further page for a HEAD', async () => {
      const response = await fetch(`${service.url}${path}`, { method: 'HEAD', headers: withKey('sk_live_all') })
      expect([response.status, await response.text(), pages]).toEqual([200, '', 1])
    })
  })
})

// GET /exports/charges.csv: its records, and whose they are.
describe('charges', () => {
  const HEADER =
    'id,subscription_id,period_index,created_at,settled_at,status,mint,amount,fee_amount,net_amount,destination_ata,' +
    'fee_destination,attempts,failure_code,signature'

  let edge: BillingEdge
  /** The charges of the business, the oldest first, and one of a seller. */
  let own: Awaited<ReturnType<typeof charge>>[]
  let sellers: Awaited<ReturnType<typeof charge>>

  async function charge(accountId: string, at: number) {
    const tier = await addTier(edge.database, tenantOf({ id: accountId, network: 'live' }))
    return { tier, ...(await addSubscription(edge.database, tier, at)) }
  }

  beforeAll(async () => {
    edge = await startBillingEdge()
    own = [await charge(edge.tenant.accountId, edge.world.now), await charge(edge.tenant.accountId, edge.world.now)]
    sellers = await charge(edge.sellers.market, edge.world.now)
    await charge((await addBusiness(edge.database)).accountId, edge.world.now)
  })
  afterAll(() => edge.close())

  const download = (query = '', key = edge.keys.own) => edge.get(`/exports/charges.csv${query}`, withKey(key))
  const idsOf = (text: string) =>
    text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0])

  it('has each charge of the business, with its amounts', async () => {
    const { status, text } = await download()
    expect([status, text.split('\r\n')[0]]).toEqual([200, HEADER])
    expect(new Set(idsOf(text))).toEqual(new Set(own.map(({ charge }) => charge.id)))
    const [{ tier, charge, subscription } = sellers] = own
    expect(text).toContain(
      `${charge.id},${subscription.id},0,${charge.createdAt.toISOString()},${charge.settledAt.toISOString()},succeeded,` +
        `${tier.mint},1000000,10000,990000,${tier.payoutAta},${charge.feeDestination},1,,\r\n`,
    )
  })

  it('has the charges of a range', async () => {
    const [first = sellers] = own
    const at = (ms: number) => new Date(first.charge.createdAt.getTime() + ms).toISOString()
    expect(idsOf((await download(`?from=${at(0)}&to=${at(1)}`)).text)).toContain(first.charge.id)
    expect(idsOf((await download(`?to=${at(0)}`)).text)).not.toContain(first.charge.id)
    expect((await download(`?from=${at(1)}&to=${at(0)}`)).status).toBe(400)
  })

  it('has the charges of a seller for its marketplace alone', async () => {
    const query = `?seller_id=${edge.sellers.market}`
    expect(idsOf((await download(query, edge.keys.market)).text)).toEqual([sellers.charge.id])
    expect(idsOf((await download('', edge.keys.market)).text)).toEqual([])
    expect((await download(query)).status).toBe(404)
  })

  it('needs the scope to view subscriptions', async () => {
    expect((await download('', edge.keys.viewer)).status).toBe(200)
    for (const key of [edge.keys.payer, edge.keys.manager]) expect((await download('', key)).status).toBe(403)
  })
})
