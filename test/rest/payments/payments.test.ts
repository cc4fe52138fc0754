// GET /payments and GET /payments/:id over a real database: order, pages, filters, refusals, whose payments they show, and indexes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIntentLookup } from '#adapters/prisma/payments/lookup.ts'
import { createSearchIndexStore, digestOf } from '#adapters/prisma/payments/search-index.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { MERCHANT, pendingIntent } from '../../support/example-intent.ts'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { indexesOf, planOf } from '../../support/statements.ts'
import { addBusiness, addIntent, patchIntent } from '../../support/stores.ts'
import { INTENT_FIELDS } from '../../support/wire.ts'

let shop: TestMarketplace
let service: TestService
let other: Tenant
let test: Tenant
/** A key of each business, and one of the first without the scope. */
let keys: Map<string, { readonly tenant: Tenant; readonly scopes?: readonly KeyPermission[] }>
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const OTHER = 'sk_live_other'
const TEST = 'sk_test_other'
const OWN = 'sk_live_own'
const UNSCOPED = 'sk_live_unscoped'
/** A payment for a seller of the other business. */
let foreignId: string
let testId: string

const at = (day: number): string => `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`

beforeAll(async () => {
  shop = await startTestMarketplace({ isMarketplace: false })
  const { db, stores, marketplace: own } = shop
  other = await addBusiness(db)
  test = await addBusiness(db, 'test')
  const own1 = tenantOf({ id: own.accountId, network: 'live' })
  keys = new Map([
    [OWN, { tenant: own1 }],
    [OTHER, { tenant: other }],
    [TEST, { tenant: test }],
    [UNSCOPED, { tenant: own1, scopes: ['subscriptions-view'] }],
  ])
  const lookup = createIntentLookup(db)
  service = await startTestService({
    reads: createTenantReads(db.prisma),
    services: {
      accounts: {
        authenticate: async (key) => {
          const caller = keys.get(key)
          if (caller === undefined) throw new ServiceError('unauthenticated')
          const { tenant, scopes } = caller
          const { key: shown, ...rest } = credential(tenant.network)
          return { ...rest, tenant, key: { ...shown, ...(scopes !== undefined && { scopes }) } }
        },
      },
      intents: {
        async findByIndex(tenant, index) {
          const found = await lookup.byIndex({ tenant, index })
          if (found === null) throw new ServiceError('intent_not_found')
          return found
        },
      },
    },
  })
  const [seller] = shop.sellers
  await shop.pay(own, at(1), 24n, { reference: 'order-1' })
  await shop.pay(own, at(2), undefined, {
    reference: 'order-2',
    metadata: { plan: 'gold', 'a[b]': '', note: { deep: 'gold' } },
  })
  const customerDetails = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
  await shop.pay(own, at(2), undefined, { reference: 'order-2b', customerDetails })
  await shop.pay(seller, at(4), undefined, {
    reference: 'order-seller',
    metadata: { plan: 'gold', seats: 5, gift: true },
  })
  const foreign = await addBusiness(db, 'live', other.accountId)
  const marketplaceFeeBps = makeBasisPoints(250)
  const ofSeller = { accountId: foreign.accountId, marketplaceFeeBps, reference: 'order-1', metadata: { plan: 'gold' } }
  foreignId = (await addIntent(stores, other, ofSeller)).id
  testId = (await addIntent(stores, test, { reference: 'order-1' })).id
})
afterAll(async () => {
  await service.close()
  await shop.close()
})

const list = async (query = '', key = OWN) => {
  const { status, body } = await service.get(`/payments${query}`, withKey(key))
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
type Shown = { readonly id: string; readonly reference: string; readonly status: string }
const references = async (query = '', key = OWN) =>
  (await list(query, key)).payments.map(({ reference }: Shown) => reference)
const one = (id: string, key = OWN) => service.get(`/payments/${id}`, withKey(key))

describe('GET /payments', () => {
  it('lists the payments of the business and those that it takes for sellers, the newest first', async () => {
    const all = await references()
    expect([all.length, all[0], all.at(-1)]).toEqual([4, 'order-seller', 'order-1'])
  })

  it('shows each payment as GET /intents does, without a secret', async () => {
    const { payments, next_cursor } = await list('?reference=order-1')
    expect([payments.length, next_cursor]).toEqual([1, null])
    expect(Object.keys(payments[0])).toEqual(INTENT_FIELDS)
  })

  it('filters by status, reference and time, from inclusive and to exclusive', async () => {
    expect(await references('?status=swept')).toEqual(['order-1'])
    expect(await references('?status=swept,pending')).toHaveLength(4)
    expect(await references('?status=refunded')).toEqual([])
    expect(await references('?reference=order-1')).toEqual(['order-1'])
    expect(await references('?reference=order-1&status=pending')).toEqual([])
    expect(await references('?reference=order')).toEqual([])
    expect(await references('?asset=SOL')).toEqual(['order-1'])
    expect(await references(`?asset=${MINT}`)).toEqual([])
    expect(await references('?asset=SOL&status=swept,pending')).toEqual(['order-1'])
    expect(await references('?asset=SOL&metadata[plan]=gold')).toEqual([])
    expect(await references(`?from=${at(1)}&to=${at(2)}`)).toEqual(['order-1'])
    expect(await references('?from=2026-11-04T01:00:00%2B01:00')).toEqual(['order-seller'])
  })

  it.each([
    ['metadata[plan]=gold', ['order-seller', 'order-2']],
    ['metadata[plan]=Gold', []],
    ['metadata[plan]=gold&metadata[seats]=5', ['order-seller']],
    ['metadata[plan]=gold&metadata[seats]=6', []],
    ['metadata[gift]=true', ['order-seller']],
    ['metadata[a[b]]=', ['order-2']],
    ['metadata[deep]=gold', []],
    ['metadata[note]=gold', []],
    ['metadata[]=gold', []],
    ['metadata[plan]=gold&status=pending,swept&reference=order-2', ['order-2']],
    ['metadata[plan]=gold&status=swept', []],
    [`metadata[plan]=gold&from=${at(3)}`, ['order-seller']],
    [`metadata[plan]=gold&to=${at(3)}`, ['order-2']],
  ])('?%s finds by the texts, numbers and truths of metadata, exactly', async (query, found) => {
    expect(await references(`?${query}`)).toEqual(found)
  })

  describe.each([
    ['before', false],
    ['after', true],
  ])('%s the index of searches is written', (_when, isIndexed) => {
    beforeAll(async () => {
      if (isIndexed) await createSearchIndexStore(shop.db).index(1_000)
      const waiting = await shop.db.query('SELECT FROM payment_search WHERE NOT is_indexed')
      expect(waiting.length > 0).toBe(!isIndexed)
    })

    it.each([
      ['search=ORDER-2', ['order-2b', 'order-2']],
      ['search=der-seller', ['order-seller']],
      ['search=ada lovelace', ['order-2b']],
      ['search=EXAMPLE.com', ['order-2b']],
      ['search=order&status=swept', ['order-1']],
      ['search=order-2&metadata[plan]=gold', ['order-2']],
      ['search=seller&metadata[plan]=gold&status=pending,swept', ['order-seller']],
      ['search=order-2&reference=order-2b', ['order-2b']],
      [`search=order&to=${at(2)}`, ['order-1']],
      ['search=%20', ['order-seller', 'order-2b', 'order-2', 'order-1']],
      ['search=no payment has this', []],
    ])('?%s finds by the reference, name and email of the buyer', async (query, found) => {
      expect((await references(`?${query}`)).toSorted()).toEqual(found.toSorted())
    })
  })

  it('finds a payment by what its buyer has said since, and no longer by what it was', async () => {
    const payment = await shop.pay(shop.marketplace, at(3))
    for (const email of ['first@buyer.example', 'second@buyer.example']) {
      const [current] = await createTenantReads(shop.db.prisma)(shop.marketplace).paymentIntent.findMany({
        where: { id: payment.id },
      })
      if (current === undefined) throw new Error('the payment is gone')
      await patchIntent(shop.stores.work, current, { customerDetails: { email } })
      await createSearchIndexStore(shop.db).index(1_000)
    }
    const found = async (search: string) => (await list(`?search=${search}`)).payments.map(({ id }: Shown) => id)
    expect([await found('first@'), await found('second@')]).toEqual([[], [payment.id]])
  })

  it('shows metadata where a business gave it', async () => {
    const { payments } = await list('?metadata[seats]=5')
    expect(payments[0].metadata).toEqual({ plan: 'gold', seats: 5, gift: true })
    expect((await one(payments[0].id)).body.metadata).toEqual(payments[0].metadata)
  })

  it('gives each payment with a metadata once, page by page, in both directions', async () => {
    const first = await list('?metadata[plan]=gold&limit=1')
    const second = await list(`?metadata[plan]=gold&limit=1&cursor=${encodeURIComponent(first.next_cursor)}`)
    expect([first, second].map(({ payments }) => payments[0].reference)).toEqual(['order-seller', 'order-2'])
    expect(second.next_cursor).toBeNull()
    const LAST = `query ($filter: PaymentIntentFilter) { paymentIntents(last: 1, filter: $filter) { nodes: edges { node { reference } } } }`
    const { body } = await service.graphql(LAST, { filter: { metadata: { plan: 'gold' } } }, withKey(OWN))
    expect(body.data.paymentIntents.nodes).toEqual([{ node: { reference: 'order-2' } }])
  })

  it('a filter of metadata with a list or an object as a value is refused', async () => {
    const { body } = await service.graphql(
      '{ paymentIntents(filter: {metadata: {plan: ["gold"]}}) { edges { cursor } } }',
      {},
      withKey(OWN),
    )
    expect(body.errors[0].extensions.code).toBe('invalid_request')
  })

  it('gives each payment once, page by page, while newer payments are added', async () => {
    const before = await references()
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { payments, next_cursor } = await list(`?limit=1${cursor}`)
      seen.push(...payments.map(({ reference }: Shown) => reference))
      if (next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`
      await shop.pay(shop.marketplace, at(5), undefined, { reference: `newer-${seen.length}` })
    }
    expect(seen).toEqual(before)
  })

  it('shows a business only what is its own, and a test key only the test network', async () => {
    const idsOf = async (key: string) => (await list('', key)).payments.map(({ id }: Shown) => id)
    expect(await idsOf(OTHER)).toEqual([foreignId])
    expect(await idsOf(TEST)).toEqual([testId])
    const mixed = `sk_test_of_live_account`
    keys.set(mixed, { tenant: tenantOf({ id: shop.marketplace.accountId, network: 'test' }) })
    expect(await idsOf(mixed)).toEqual([])
  })

  it.each([
    ['limit=0', /^limit must be an integer from 1 to 100$/],
    ['limit=101', /^limit must be an integer from 1 to 100$/],
    ['limit=2&limit=3', /^limit must be an integer from 1 to 100$/],
    ['cursor=', /^cursor must not be empty$/],
    ['cursor=MTIz', /^cursor is not valid$/],
    ['status=', /^status\S* must be one or more of pending, /],
    ['status=swept,paid out', /^status\S* must be one or more of pending, /],
    [`status=${Array(12).fill('paid').join(',')}`, /^status must name at most 11 statuses$/],
    [`search=${'x'.repeat(101)}`, /^search must have at most 100 characters$/],
    ['search=a&search=b', /^search must be a string$/],
    ['reference=', /^reference must not be blank$/],
    ['metadata[a]=b&metadata[a]=c', /^metadata\[a\] must be given once$/],
    [Array.from({ length: 51 }, (_, key) => `metadata[${key}]=`).join('&'), /^metadata must have at most 50 keys$/],
    ['reference=a&reference=b', /^reference must be a string$/],
    ['from=yesterday', /^from must be a time as in RFC 3339/],
    ['to=2026-11-20', /^to must be a time as in RFC 3339/],
    ['from=0000-01-01T00:00:00Z', /^from is before year 1$/],
    ['from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z', /^to must not be before from$/],
  ])('?%s answers 400', async (query, message) => {
    const { status, body } = await service.get(`/payments?${query}`, withKey(OWN))
    expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringMatching(message)])
  })

  it('refuses a cursor of other filters, of another business, and one that was changed', async () => {
    const cursor = (await list('?limit=1')).next_cursor
    for (const [query, key] of [
      [`cursor=${cursor}&status=swept`, OWN],
      [`cursor=${cursor}`, OTHER],
      [`cursor=${cursor.slice(0, -2)}AA`, OWN],
    ] as const) {
      const { status, body } = await service.get(`/payments?${query}`, withKey(key))
      expect([status, body]).toEqual([400, { error: 'cursor is not valid' }])
    }
  })
})

describe('GET /payments/:id', () => {
  it('answers what GET /status does, and what can be refunded once it has settled', async () => {
    for (const { id, derivation_index } of (await list()).payments) {
      const answer = await one(id)
      const status = await service.get(`/status?index=${derivation_index}`, withKey(OWN))
      const { refundable_amount: refundable, ...shown } = answer.body
      expect([answer.status, shown]).toEqual([200, status.body])
      expect(refundable === undefined).toBe(status.body.settlement === undefined)
    }
    const [swept] = (await list('?status=swept')).payments
    expect((await one(swept.id)).body).toMatchObject({ action: 'swept', settlement: { destination_amount: 976 } })
  })

  it('answers 404 to the id of another business, of the other network, of nothing, and to a text that is no id', async () => {
    for (const id of [foreignId, testId, crypto.randomUUID(), 'order-1', '42'])
      expect([(await one(id)).status, (await one(id)).body]).toEqual([404, { error: 'payment intent not found' }])
    const [own] = (await list()).payments
    for (const key of [OTHER, TEST]) expect((await one(own.id, key)).status).toBe(404)
    expect((await one(foreignId, OTHER)).status).toBe(200)
  })
})

it('both are 403 for a key without the scope of payments', async () => {
  for (const path of ['/payments', `/payments/${pendingIntent.id}`])
    expect((await service.get(path, withKey(UNSCOPED))).status).toBe(403)
})

describe('among many payments', () => {
  const COUNT = 10_000
  /** One of 2,500 is refunded, the others are swept. Another business has as many. */
  const ADD = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, derivation_index, address, client_secret_hash,
  price_usd_cents, accepted_assets, payee_label, reference, search_text, status, expires_at, created_at, asset,
  asset_decimals, expected_amount, held)
SELECT gen_random_uuid(), 'live', business, business, 100000 + number * 2 + nth, 'Bench' || nth || replace(lpad(number::text, 37, '0'), '0', 'x'),
  sha256(int8send(number * 2 + nth)), 100, '{SOL}', 'Shop', 'bench-' || number, 'BENCH-' || number,
  CASE WHEN number % 2500 = 0 THEN 'refunded' ELSE 'swept' END::intent_status, now(),
  '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s', CASE WHEN number % 2500 = 0 THEN '${MINT}' ELSE 'SOL' END, 9, 100,
  CASE WHEN number % 2500 = 7 THEN '[{"mint":null,"amount":"5","reason":"none"}]'::jsonb ELSE '[]' END
FROM generate_series(1, ${COUNT}) number, unnest($1::uuid[]) WITH ORDINALITY AS given (business, nth)`
  /** Each payment has a common value, and one of 2,500 a rare one. */
  const DESCRIBE = `
INSERT INTO payment_metadata (entry, created_at, intent_id)
SELECT $2::bytea, created_at, id FROM payment_intents WHERE caller_account_id = $1::uuid
UNION ALL SELECT $3::bytea, created_at, id FROM payment_intents WHERE caller_account_id = $1::uuid AND status = 'refunded'`
  /** One of ten. The text of each is with its payment. */
  const MAKE_SEARCHABLE = `
INSERT INTO payment_search (intent_id, text, caller_account_id, created_at)
SELECT id, search_text, caller_account_id, created_at FROM payment_intents
WHERE caller_account_id = $1::uuid AND search_text LIKE '%1'`
  const BY_TIME = 'payment_intents_caller_account_id_created_at_id_idx'
  const BY_STATUS = 'payment_intents_caller_account_id_status_created_at_id_idx'
  const BY_ASSET = 'payment_intents_of_businesses_by_asset'
  const BY_REFERENCE = 'payment_intents_caller_account_id_reference_key'
  const BUSY = 'sk_live_busy'
  beforeAll(async () => {
    const [busy, busier] = [await addBusiness(shop.db), await addBusiness(shop.db)]
    keys.set(BUSY, { tenant: busy })
    await shop.db.query('ALTER TABLE payment_intents DISABLE TRIGGER USER')
    await shop.db.query(ADD, [[busy.accountId, busier.accountId]])
    await shop.db.query(DESCRIBE, [
      busy.accountId,
      digestOf(busy.accountId, ['plan', 'gold']),
      digestOf(busy.accountId, ['batch', '7']),
    ])
    await shop.db.query(MAKE_SEARCHABLE, [busy.accountId])
    while ((await createSearchIndexStore(shop.db).index(5_000)) > 0);
    await shop.db.session(({ script }) => script('VACUUM ANALYZE payment_intents, payment_metadata, payment_search'))
  }, 60_000)
  let asked = 0
  beforeEach(() => {
    asked = shop.statements.length
  })

  it.each([
    ['', 20, BY_TIME],
    ['?limit=100', 100, BY_TIME],
    ['?status=refunded', 4, BY_STATUS],
    ['?status=swept', 20, BY_TIME],
    [`?asset=${MINT}`, 4, BY_ASSET],
    [`?asset=${MINT}&to=2026-01-01T01:00:00Z`, 1, BY_ASSET],
    ['?asset=SOL', 20, BY_TIME],
    ['?reference=bench-77', 1, BY_REFERENCE],
    ['?from=2026-01-01T00:10:00Z&to=2026-01-01T00:10:05Z', 5, BY_TIME],
    ['?status=refunded&to=2026-01-01T01:00:00Z', 1, BY_STATUS],
  ])('a page of %s is one statement, which reads it by an index', async (query, count, index) => {
    expect((await list(query, BUSY)).payments).toHaveLength(count)
    const statements = shop.statements.slice(asked)
    expect(statements).toHaveLength(1)
    expect(await indexesOf(shop.db, statements[0])).toEqual([index])
  })

  it('the payments with held money are found by an index of these alone', async () => {
    const found = (filter: string) =>
      `{ paymentIntents(first: 5, filter: { ${filter} }) { edges { node { reference } } } }`
    const answer = await service.graphql(found('isHeld: true'), {}, withKey(BUSY))
    const edges: { node: { reference: string } }[] = answer.body.data.paymentIntents.edges
    expect(edges.map(({ node }) => node.reference)).toEqual(['bench-7507', 'bench-5007', 'bench-2507', 'bench-7'])
    expect(await indexesOf(shop.db, shop.statements[asked])).toEqual(['payment_intents_of_businesses_held'])
    const others = await service.graphql(found('isHeld: false, reference: "bench-7"'), {}, withKey(BUSY))
    expect(others.body.data.paymentIntents.edges).toEqual([])
  })

  it('the payments whose buyer has proposed an address are found by an index of those that were asked', async () => {
    // A former proposal was declined, and one buyer was asked and proposed nothing.
    const proposal = {
      address: MERCHANT,
      reason: null,
      number: 1,
      proposedAt: '2026-01-01T00:00:00.000Z',
      decidedAt: null,
    }
    const proposals = { 7: { ...proposal, status: 'declined' }, 2507: { ...proposal, status: 'proposed' }, 5007: null }
    for (const [number, one] of Object.entries(proposals))
      await shop.db.query(
        'UPDATE payment_intents SET refund_address = $1 WHERE caller_account_id = $2 AND reference = $3',
        [JSON.stringify({ isWanted: true, proposal: one }), keys.get(BUSY)?.tenant.accountId ?? '', `bench-${number}`],
      )
    await shop.db.session(({ script }) => script('ANALYZE payment_intents'))
    asked = shop.statements.length
    const found = async (filter: string): Promise<readonly string[]> => {
      const query = `{ paymentIntents(first: 5, filter: { ${filter} }) { edges { node { reference } } } }`
      const { body } = await service.graphql(query, {}, withKey(BUSY))
      return body.data.paymentIntents.edges.map(({ node }: { node: { reference: string } }) => node.reference)
    }
    expect(await found('hasProposal: true')).toEqual(['bench-2507'])
    expect(await indexesOf(shop.db, shop.statements[asked])).toEqual(['payment_intents_of_businesses_asking'])
    expect(await found('hasProposal: true, search: "bench"')).toEqual(['bench-2507'])
    expect(await found('hasProposal: true, metadata: { batch: 7 }')).toEqual([])
    expect(await found('hasProposal: false, isHeld: true')).toHaveLength(4)
    await shop.db.query('UPDATE payment_intents SET refund_address = NULL', [])
  })

  it.each([
    ['isHeld: true, status: [swept, refunded]', ['bench-7507', 'bench-5007']],
    ['isHeld: true, metadata: { plan: "gold" }', ['bench-7507', 'bench-5007']],
    ['isHeld: true, search: "bench"', ['bench-7507', 'bench-5007']],
    ['isHeld: true, metadata: { plan: "gold" }, search: "BENCH-5"', ['bench-5007']],
    ['isHeld: true, metadata: { batch: 7 }', []],
    ['isHeld: false, metadata: { batch: 7 }', ['bench-10000', 'bench-7500']],
    ['isHeld: false, status: [swept, refunded], reference: "bench-7"', []],
    [`asset: "${MINT}", metadata: { plan: "gold" }`, ['bench-10000', 'bench-7500']],
    [`asset: "${MINT}", status: [swept, refunded]`, ['bench-10000', 'bench-7500']],
    [`asset: "${WRAPPED_SOL_MINT}", status: [swept, refunded]`, ['bench-9999', 'bench-9998']],
    [`asset: "${MINT}", isHeld: true, status: [swept, refunded]`, []],
  ])('the first page of { %s } is full of payments that match each field', async (filter, expected) => {
    const query = `{ paymentIntents(first: 2, filter: { ${filter} }) { edges { node { reference } } } }`
    const { body } = await service.graphql(query, {}, withKey(BUSY))
    const edges: { node: { reference: string } }[] = body.data.paymentIntents.edges
    expect(edges.map(({ node }) => node.reference)).toEqual(expected)
  })

  it.each([
    ['isHeld: true', 'payment_intents_of_businesses_held'],
    [`asset: "${MINT}"`, BY_ASSET],
  ])('several statuses with { %s } are found by the index of that', async (field, index) => {
    const query = `{ paymentIntents(filter: { status: [swept, underpaid], ${field} }) { edges { cursor } } }`
    await service.graphql(query, {}, withKey(BUSY))
    const [found] = shop.statements.slice(asked)
    expect(await indexesOf(shop.db, found)).toContain(index)
    const plan = (await planOf(shop.db, found, 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF')).join('\n')
    for (const [, rows] of plan.matchAll(/actual rows=(\d+)/g)) expect(Number(rows)).toBeLessThan(10)
  })

  it('a page of several rare statuses reads each by the index of statuses, and no other payment', async () => {
    expect((await list('?status=refunded,refund_failed,cancelled', BUSY)).payments).toHaveLength(4)
    const [found, page] = shop.statements.slice(asked)
    const plan = (await planOf(shop.db, found, 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF')).join('\n')
    for (const [, rows] of plan.matchAll(/actual rows=(\d+)/g)) expect(Number(rows)).toBeLessThan(10)
    expect(new Set(await indexesOf(shop.db, found))).toEqual(new Set([BY_STATUS]))
    expect(await indexesOf(shop.db, page)).toEqual(['payment_intents_pkey'])
  })

  it('a page of several common statuses is in the order of the list', async () => {
    const common = await references('?status=swept,refunded', BUSY)
    expect([common.length, common[0], common[19]]).toEqual([20, 'bench-10000', 'bench-9981'])
  })

  const BY_PARTS = 'payment_search_parts_idx'
  it('a search for a rare text is found by the index of parts, and for a common one next to the page', async () => {
    expect(await references('?search=CH-4321', BUSY)).toEqual(['bench-4321'])
    expect(await indexesOf(shop.db, shop.statements[asked + 1])).toContain(BY_PARTS)
    asked = shop.statements.length
    expect((await list('?search=bench', BUSY)).payments).toHaveLength(20)
    expect(shop.statements.slice(asked)).toHaveLength(2)
    expect(await indexesOf(shop.db, shop.statements[asked])).toContain(BY_TIME)
  })

  const BY_ENTRY = 'payment_metadata_pkey'
  it.each([
    ['?metadata[plan]=gold', 20],
    ['?metadata[batch]=7', 4],
    ['?metadata[plan]=gold&metadata[batch]=7', 4],
    ['?metadata[batch]=7&status=swept', 0],
    ['?metadata[batch]=7&asset=SOL', 0],
    [`?metadata[batch]=7&asset=${MINT}`, 4],
    ['?metadata[plan]=gold&status=swept&to=2026-01-01T01:00:00Z', 20],
  ])('a page of %s is found by the index of entries, in the order of the list', async (query, count) => {
    expect((await list(query, BUSY)).payments).toHaveLength(count)
    const [found, page] = shop.statements.slice(asked)
    expect(shop.statements.slice(asked + (count > 0 ? 2 : 1))).toEqual([])
    const plan = (await planOf(shop.db, found, 'ANALYZE, COSTS OFF, TIMING OFF, BUFFERS OFF')).join('\n')
    expect(plan).toContain(BY_ENTRY)
    expect(plan).not.toContain('Seq Scan')
    for (const [, rows] of plan.matchAll(/actual rows=(\d+)/g)) expect(Number(rows)).toBeLessThan(100)
    if (count > 0) expect(await indexesOf(shop.db, page)).toEqual(['payment_intents_pkey'])
  })
})
