import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { TEST_API_KEY, withKey } from '../../support/services.ts'
import { addBusiness, patchIntent } from '../../support/stores.ts'

describe('200', () => {
  let bazaar: TestMarketplace
  beforeAll(async () => {
    bazaar = await startTestMarketplace()
    const [first, second] = bazaar.sellers
    const buyer = { first_name: 'Zoë', last_name: 'de Vries', email: 'zoe_1@example.com' }
    await bazaar.pay(first, '2026-11-01T00:00:00.000Z', 24n, { reference: 'order-1', customerDetails: buyer })
    await bazaar.pay(second, '2026-11-02T00:00:00.000Z', undefined, { reference: 'order-2' })
    await bazaar.pay(second, '2026-11-02T00:00:00.000Z', undefined, { reference: '100%_A' })
    await bazaar.pay(first, '2026-11-04T00:00:00.000Z', undefined, { reference: 'order-4' })
    // A payment of the marketplace's own, and one of another marketplace.
    await bazaar.pay(bazaar.marketplace, '2026-11-05T00:00:00.000Z', undefined, { reference: 'order-own' })
    const other = await addBusiness(bazaar.db)
    const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
    const { intents } = bazaar.stores
    const [index = 0] = await intents.reserveIndexes(1)
    const [sample] = await bazaar.db.query<{ id: string }>('SELECT id FROM payment_intents LIMIT 1')
    expect(sample).toBeDefined()
    await bazaar.pay({ ...foreign }, '2026-11-06T00:00:00.000Z', undefined, {
      reference: 'order-foreign',
      derivationIndex: index,
    })
    await bazaar.db.query('UPDATE payment_intents SET caller_account_id = $1 WHERE reference = $2', [
      other.accountId,
      'order-foreign',
    ])
  })
  afterAll(() => bazaar.close())

  const list = async (query: string) => {
    const { status, body } = await bazaar.service.get(`/marketplace/payments${query}`, withKey())
    expect([status, body.error]).toEqual([200, undefined])
    return body
  }
  const references = async (query: string) =>
    (await list(query)).payments.map(({ reference }: { reference: string }) => reference)

  it('GET /marketplace/payments lists the payments for sellers of the marketplace, the newest first', async () => {
    expect((await references('')).toSorted()).toEqual(['100%_A', 'order-1', 'order-2', 'order-4'])
    expect((await references(''))[0]).toBe('order-4')
    expect((await references('')).at(-1)).toBe('order-1')
  })

  it('GET /marketplace/payments shows each payment with its ticker and its seller', async () => {
    const { payments, next_cursor } = await list('?search=order-1')
    const [seller] = bazaar.sellers
    expect([payments.length, next_cursor]).toEqual([1, null])
    expect(payments[0]).toMatchObject({
      reference: 'order-1',
      status: 'swept',
      mint: null,
      marketplace_fee_bps: 250,
      ticker: 'SOL',
      seller_account_id: seller.accountId,
      seller: { id: seller.accountId, name: 'Corner Shop', external_id: null },
      customer_details: { email: 'zoe_1@example.com' },
    })
    expect(payments[0]).not.toHaveProperty('client_secret')
    expect(payments[0]).not.toHaveProperty('payment_uri')
  })

  it('GET /marketplace/payments shows a null ticker until a token is selected', async () => {
    expect((await list('?search=order-4')).payments[0].ticker).toBeNull()
  })

  it('GET /marketplace/payments?limit= pages without a gap or a repeat, also between payments of one time', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await list(`?limit=1${cursor}`)
      seen.push(...page.payments.map(({ reference }: { reference: string }) => reference))
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
    } while (cursor !== '')
    expect(seen).toEqual(await references(''))
  })

  it('GET /marketplace/payments filters by seller, status and time, from inclusive and to exclusive', async () => {
    const [first] = bazaar.sellers
    expect(await references(`?seller_id=${first.accountId}`)).toEqual(['order-4', 'order-1'])
    expect(await references('?status=swept')).toEqual(['order-1'])
    expect(await references('?status=swept,pending')).toHaveLength(4)
    expect(await references('?status=refunded')).toEqual([])
    expect(await references('?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z')).toEqual(['order-1'])
    expect(await references('?from=2026-11-04T01:00:00%2B01:00')).toEqual(['order-4'])
    // RFC 3339, 5.6: letters of either case, and a leap second.
    expect(await references('?from=2026-11-01t00:00:00z&to=2026-11-02t00:00:00z')).toEqual(['order-1'])
    for (const leap of ['2026-11-03T23:59:60Z', '2026-11-04T00:59:60.0%2B01:00']) {
      expect(await references(`?from=${leap}`)).toEqual(['order-4'])
    }
    for (const beyond of ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59-12:00']) {
      expect(await references(`?from=2026-11-04T00:00:00Z&to=${beyond}`)).toEqual(['order-4'])
      expect(await references(`?from=${beyond}`)).toEqual([])
    }
  })

  it.each([
    ['a part of the reference', 'DER-1', ['order-1']],
    ['the first and last name', 'zoë de v', ['order-1']],
    ['the name in other letters of Unicode', 'ZOE\u0308', ['order-1']],
    ['the email', 'zoe_1@', ['order-1']],
    ['signs that are patterns of the database', '%_', ['100%_A']],
    ['one character', '%', ['100%_A']],
    ['text that ends one field and begins the next', 'order-1zoë', []],
    ['nothing', ' ', ['order-4', 'x', 'x', 'order-1']],
  ])('GET /marketplace/payments?search= finds %s', async (_what, search, found) => {
    const answer = await references(`?search=${encodeURIComponent(search)}`)
    expect(answer.length).toBe(found.length)
    if (found.length < 4) expect(answer).toEqual(found)
  })

  it('GET /marketplace/payments?search= finds the details that a buyer gives later', async () => {
    const [intent] = await bazaar.db.query<{ id: string; version: number }>(
      `SELECT id, version FROM payment_intents WHERE reference = 'order-4'`,
    )
    const payment = await bazaar.pay(bazaar.sellers[0], '2026-10-01T00:00:00.000Z', undefined, { reference: 'order-0' })
    expect(intent).toBeDefined()
    expect(await references('?search=grace%40')).toEqual([])
    await patchIntent(bazaar.stores.work, payment, { customerDetails: { email: 'grace@example.com' } })
    expect(await references('?search=grace%40')).toEqual(['order-0'])
  })

  /** The text that the indexes of payments have. Without it the entry of each payment is read, and the answers are the same. */
  const indexedText = async ({ id }: { id: string }): Promise<string | null> => {
    const [row] = await bazaar.db.query<{ text: string | null }>(
      'SELECT search_text AS text FROM payment_intents WHERE id = $1',
      [id],
    )
    return row?.text ?? null
  }

  it('the text of a payment is in the indexes of payments, from its creation on, unless it is longer than 300', async () => {
    const pay = (reference: string) =>
      bazaar.pay(bazaar.sellers[1], '2026-09-01T00:00:00.000Z', undefined, { reference })
    const [short, longest, long] = [await pay('order-s'), await pay('l'.repeat(280)), await pay('m'.repeat(301))]
    expect(await indexedText(short)).toMatch(/^ORDER-S/)
    expect((await indexedText(longest))?.startsWith('L'.repeat(280))).toBe(true)
    expect(await indexedText(long)).toBeNull()
    await patchIntent(bazaar.stores.work, short, { customerDetails: { email: 'eve@example.com' } })
    expect(await indexedText(short)).toBe('ORDER-S\nEVE@EXAMPLE.COM')
  })

  it('GET /marketplace/payments?search= finds a text that is too long for an index, in any status', async () => {
    const reference = `long-${'9'.repeat(400)}`
    const payment = await bazaar.pay(bazaar.sellers[0], '2026-10-02T00:00:00.000Z', undefined, { reference })
    expect(await references(`?search=${'9'.repeat(100)}`)).toEqual([reference])
    expect(await references(`?search=long-9&status=pending&seller_id=${bazaar.sellers[0].accountId}`)).toEqual([
      reference,
    ])
    expect(await references('?search=long-8&status=pending')).toEqual([])
    const names = { first_name: 'Y'.repeat(300), last_name: 'Long', email: 'ada@example.com' }
    await patchIntent(bazaar.stores.work, payment, { customerDetails: names })
    expect(await references('?search=yyy+long&status=pending')).toEqual([reference])
  })
})

describe('one', () => {
  it('GET /marketplace/payments/:id shows the payment with its seller and the legs of its settlement', async () => {
    const bazaar = await startTestMarketplace()
    const [seller] = bazaar.sellers
    const payment = await bazaar.pay(seller, '2026-11-01T00:00:00.000Z', 24n, { reference: 'order-1' })
    const { status, body } = await bazaar.service.get(`/marketplace/payments/${payment.id}`, withKey())
    expect([status, body.error]).toEqual([200, undefined])
    expect(body).toMatchObject({
      id: payment.id,
      reference: 'order-1',
      status: 'swept',
      ticker: 'SOL',
      seller_account_id: seller.accountId,
      seller: { id: seller.accountId, name: 'Corner Shop', external_id: null },
      settlement: {
        destination_amount: 976,
        destination_ui: 0.000000976,
        legs: [
          { role: 'seller', amount: 976, amount_ui: 0.000000976 },
          { role: 'marketplace', amount: 24 },
          { role: 'refund', amount: 77 },
        ],
      },
    })
    const open = await bazaar.pay(seller, '2026-11-01T00:00:00.000Z')
    const answer = await bazaar.service.get(`/marketplace/payments/${open.id}`, withKey())
    expect([answer.status, answer.body.ticker, 'settlement' in answer.body]).toEqual([200, null, false])
    await bazaar.close()
  })
})

describe('400', () => {
  let bazaar: TestMarketplace
  let cursor: string
  beforeAll(async () => {
    bazaar = await startTestMarketplace()
    await bazaar.pay(bazaar.sellers[0], '2026-11-01T00:00:00.000Z')
    await bazaar.pay(bazaar.sellers[0], '2026-11-02T00:00:00.000Z')
    cursor = (await bazaar.service.get('/marketplace/payments?limit=1', withKey())).body.next_cursor
  })
  afterAll(() => bazaar.close())

  const refusal = async (query: string) => {
    const { status, body } = await bazaar.service.get(`/marketplace/payments?${query}`, withKey())
    expect([status, Object.keys(body)]).toEqual([400, ['error']])
    return body.error
  }

  it.each([
    ['limit=0', /^limit must be an integer from 1 to 100$/],
    ['limit=101', /^limit must be an integer from 1 to 100$/],
    ['limit=1.5', /^limit must be an integer from 1 to 100$/],
    ['limit=', /^limit must be an integer from 1 to 100$/],
    ['limit=2&limit=3', /^limit must be an integer from 1 to 100$/],
    ['cursor=', /^cursor must not be empty$/],
    ['cursor=MTIz', /^cursor is not valid$/],
    ['status=', /^status\S* must be one or more of pending, /],
    ['status=swept,paid out', /^status\S* must be one or more of pending, /],
    ['status=SWEPT', /^status\S* must be one or more of pending, /],
    ['status=swept&status=paid', /^status must be one or more of pending, /],
    [`status=${Array(12).fill('paid').join(',')}`, /^status must name at most 11 statuses$/],
    [`search=${'a'.repeat(101)}`, /^search must have at most 100 characters$/],
    ['search=a&search=b', /^search must be a string$/],
    ['from=yesterday', /^from must be a time as in RFC 3339/],
    ['from=2026-11-01T12:00:60Z', /^from must be a time as in RFC 3339/],
    ['from=2026-11-01T23:59:61Z', /^from must be a time as in RFC 3339/],
    ['from=2026-02-30T23:59:60Z', /^from must be a time as in RFC 3339/],
    ['to=2026-11-20', /^to must be a time as in RFC 3339/],
    ['from=0000-01-01T00:00:00Z', /^from is before year 1$/],
    ['from=0000-01-01T00:00:00%2B12:00', /^from is before year 1$/],
    ['to=0000-01-01T00:00:00%2B12:00', /^to is before year 1$/],
    ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
    ['seller_id=a&seller_id=b', /^seller_id must be given once$/],
  ])('GET /marketplace/payments?%s answers 400', async (query, message) => {
    expect(await refusal(query)).toMatch(message)
  })

  it('GET /marketplace/payments refuses a cursor of other filters, and one that was changed', async () => {
    expect(await refusal(`cursor=${cursor}&status=swept`)).toBe('cursor is not valid')
    expect(await refusal(`cursor=${cursor.slice(0, -2)}AA`)).toBe('cursor is not valid')
  })
})

describe('404', () => {
  let bazaar: TestMarketplace
  let shop: TestMarketplace
  beforeAll(async () => {
    bazaar = await startTestMarketplace()
    shop = await startTestMarketplace({ isMarketplace: false })
  })
  afterAll(async () => {
    await bazaar.close()
    await shop.close()
  })

  it('GET /marketplace/payments?seller_id= of another marketplace, of no seller, and of no UUID are 404, all alike', async () => {
    const other = await addBusiness(bazaar.db)
    const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
    for (const id of [
      foreign.accountId,
      other.accountId,
      bazaar.marketplace.accountId,
      crypto.randomUUID(),
      'seller-1',
    ]) {
      const { status, body } = await bazaar.service.get(`/marketplace/payments?seller_id=${id}`, withKey())
      expect([status, body]).toEqual([404, { error: 'seller not found' }])
    }
    const own = bazaar.sellers[0].accountId
    const { status } = await bazaar.service.get(`/marketplace/payments?seller_id=${own}`, withKey(TEST_API_KEY))
    expect(status).toBe(404)
  })

  it('GET /marketplace/payments answers 404 to a business that is not a marketplace', async () => {
    for (const query of ['', '?status=swept', '?from=0000-01-01T00:00:00Z']) {
      const { status, body } = await shop.service.get(`/marketplace/payments${query}`, withKey())
      expect([status, body]).toEqual([404, { error: 'not found' }])
    }
  })

  it('a payment of another marketplace, of the marketplace itself, of another network, and no payment are 404, all alike', async () => {
    const other = await addBusiness(bazaar.db)
    const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
    const payment = await bazaar.pay(foreign, '2026-11-01T00:00:00.000Z')
    await bazaar.db.query('UPDATE payment_intents SET caller_account_id = $1 WHERE id = $2', [
      other.accountId,
      payment.id,
    ])
    const own = await bazaar.pay(bazaar.marketplace, '2026-11-01T00:00:00.000Z')
    const ask = (id: string, key?: string) => bazaar.service.get(`/marketplace/payments/${id}`, withKey(key))
    for (const id of [payment.id, own.id, crypto.randomUUID(), 'payment-1', '%00', 'a'.repeat(600)]) {
      const { status, body } = await ask(id)
      expect([status, body]).toEqual([404, { error: 'payment intent not found' }])
    }
    const sellers = await bazaar.pay(bazaar.sellers[0], '2026-11-01T00:00:00.000Z')
    expect((await ask(sellers.id)).status).toBe(200)
    expect((await ask(sellers.id, TEST_API_KEY)).status).toBe(404)
  })

  it('GET /marketplace/payments/:id answers 404 to a business that is not a marketplace', async () => {
    const payment = await shop.pay(shop.sellers[0], '2026-11-01T00:00:00.000Z')
    const { status, body } = await shop.service.get(`/marketplace/payments/${payment.id}`, withKey())
    expect([status, body]).toEqual([404, { error: 'not found' }])
  })
})
