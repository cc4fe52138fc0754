// The SQL of each list of a marketplace: one statement for each level of nesting, whatever the number of entries, and an
// index for each filter.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { searchColumns } from '#adapters/prisma/marketplace/seller-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { openRecordedDatabase, type Statement } from '../../support/database.ts'
import { addMarketplace, marketplaceServices, sellerInput } from '../../support/example-seller.ts'
import { credential, startTestService, type TestService, withKey } from '../../support/services.ts'
import { indexesOf, planOf, shapeOf } from '../../support/statements.ts'

const COUNT = 20_000
/** The newer half of the sellers is archived. */
const ADD_SELLERS = `
INSERT INTO accounts (id, network, name, marketplace_account_id, archived_at, created_at, updated_at, search_text, search_parts)
SELECT gen_random_uuid(), $2::network_name, name, $1::uuid, CASE WHEN number > ${COUNT / 2} THEN at END, at, at, "searchText",
  "searchParts"
FROM jsonb_to_recordset($3::jsonb) AS given (number int, name text, "searchText" text, "searchParts" text[]),
  LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s' AS at) times`

const PAYMENTS = 6_000
/** Payments for two sellers in turn. Those of the first are swept but for five, and those of the second are all refunded. */
const ADD_PAYMENTS = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, payee_label, marketplace_fee_bps, status, expires_at, created_at)
SELECT gen_random_uuid(), 'live', ($2::uuid[])[1 + number % 2], $1::uuid, 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'), sha256(int4send(number)), 100, '{SOL}',
  'Shop', 250, CASE WHEN number % 2 = 1 OR number % 1200 = 0 THEN 'refunded' ELSE 'swept' END::intent_status, now(),
  '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s'
FROM generate_series(1, ${PAYMENTS}) number`

/** Sellers with their search columns, as the store writes them. */
const SELLERS = Array.from({ length: COUNT }, (_, at) => {
  const name = `Shop ${at + 1}`
  return { number: at + 1, name, ...searchColumns({ name, externalId: null }) }
})

let database: Database
let statements: Statement[]
let service: TestService
let marketplace: Tenant
/** The two sellers that have payments, the one with few refunds first. */
let sellers: readonly string[]

beforeAll(async () => {
  ;({ database, statements } = await openRecordedDatabase())
  const marketplaces = marketplaceServices(database)
  const caller = await addMarketplace(database, marketplaces)
  marketplace = caller.tenant
  const { accountId, network } = marketplace
  await database.query(ADD_SELLERS, [accountId, network, JSON.stringify(SELLERS)])
  for (let at = 0; at < 30; at += 1)
    await marketplaces.createSeller(caller, { ...sellerInput, name: `Booth ${at}` }, async () => {})
  const newest = await database.query<{ id: string }>(
    'SELECT id::text FROM accounts WHERE marketplace_account_id = $1 ORDER BY created_at DESC, id DESC LIMIT 2',
    [accountId],
  )
  sellers = newest.map(({ id }) => id)
  // Row by row, the figures of the marketplace take longer than all the rest.
  await database.query('ALTER TABLE payment_intents DISABLE TRIGGER USER')
  await database.query(ADD_PAYMENTS, [accountId, sellers])
  await database.session(({ script }) => script('VACUUM ANALYZE accounts, audit_log, payment_intents'))
  service = await startTestService({
    services: {
      accounts: { authenticate: async () => ({ ...credential('live'), tenant: marketplace }) },
      marketplaces,
      tokens: { tickerOf: async () => null },
    },
    reads: createTenantReads(database.prisma),
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})
beforeEach(() => void statements.splice(0))

/** The statements of a request, without the columns that they read. */
async function shapesOf(request: () => Promise<unknown>): Promise<readonly string[]> {
  await request()
  return statements.map(shapeOf)
}

/** The indexes that the last statement uses. */
const indexesOfLast = () => indexesOf(database, statements.at(-1))

const rest = (path: string) => () => service.get(path, withKey())

describe('the list of sellers', () => {
  it('is one statement for a page of any size', async () => {
    const [small] = [await shapesOf(rest('/marketplace/sellers?limit=1'))]
    statements.splice(0)
    expect(await shapesOf(rest('/marketplace/sellers?limit=100'))).toEqual(small)
    expect(small).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "accounts" WHERE ("accounts"."marketplace_account_id" = $1 AND "accounts"."network" = CAST($2::text AS "network_name") AND "accounts"."archived_at" IS NULL) ORDER BY "accounts"."created_at" DESC, "accounts"."id" DESC LIMIT $3 OFFSET $4",
      ]
    `)
    expect(await indexesOfLast()).toEqual(['accounts_sellers_in_use'])
  })

  it('reads no archived seller', async () => {
    const { body } = await service.get('/marketplace/sellers?limit=100', withKey())
    expect(body.sellers.slice(29, 31).map(({ name }: { name: string }) => name)).toEqual(['Booth 0', 'Shop 10000'])
    const plan = await planOf(database, statements.at(-1), 'ANALYZE, TIMING OFF, COSTS OFF')
    expect(plan.filter((line) => line.includes('Removed by Filter'))).toEqual([])
  })

  it('is one statement for a later page, which begins in the index', async () => {
    const { body } = await service.get('/marketplace/sellers?limit=20', withKey())
    statements.splice(0)
    expect(await shapesOf(rest(`/marketplace/sellers?limit=20&cursor=${body.next_cursor}`))).toHaveLength(1)
    expect(await indexesOfLast()).toEqual(['accounts_sellers_in_use'])
  })

  it('begins in an index of all sellers when archived sellers are listed too', async () => {
    const document = '{ sellers(first: 20, filter: { includeArchived: true }) { edges { node { name } } } }'
    expect((await service.graphql(document, {}, withKey())).body.data.sellers.edges).toHaveLength(20)
    expect(await indexesOfLast()).toEqual(['accounts_marketplace_account_id_created_at_id_idx'])
  })

  it('is one statement for a search, which finds a rare text by its index', async () => {
    expect(await shapesOf(rest('/marketplace/sellers?search=shop+2711'))).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "accounts" WHERE ("accounts"."marketplace_account_id" = $1 AND "accounts"."network" = CAST($2::text AS "network_name") AND "accounts"."search_parts" @> $3 AND "accounts"."search_text"::text LIKE ('%' || $4 || '%') AND "accounts"."archived_at" IS NULL) ORDER BY "accounts"."created_at" DESC, "accounts"."id" DESC LIMIT $5 OFFSET $6",
      ]
    `)
    expect(await indexesOfLast()).toEqual(['accounts_search_parts_idx'])
    const { sellers } = (await rest('/marketplace/sellers?search=shop+2711')()).body
    expect(sellers.map(({ name }: { name: string }) => name)).toEqual(['Shop 2711'])
  })
})

describe('the counts of sellers', () => {
  it('are read without the sellers', async () => {
    const { body } = await rest('/marketplace')()
    expect([body.sellers_count, body.sellers_total]).toEqual([COUNT / 2 + 30, COUNT + 30])
    expect(statements.filter(({ sql }) => /\baccounts\b/.test(sql))).toEqual([])
    expect(statements.map(shapeOf)).toContainEqual(expect.stringContaining('FROM "seller_counts"'))
  })
})

describe('the payments of a seller', () => {
  it('are found by their index when few of them have the status, and many payments of the marketplace', async () => {
    const { body } = await service.get(
      `/marketplace/payments?seller_id=${sellers[0]}&status=refunded&limit=20`,
      withKey(),
    )
    expect(body.payments).toHaveLength(5)
    const read = statements.filter(({ sql }) => sql.includes('ORDER BY "public"."payment_intents"'))
    expect(read).toHaveLength(1)
    expect(await indexesOf(database, read[0])).toEqual(['payment_intents_of_sellers_by_status'])
  })

  it('are found by the index of their order for each seller of a page', async () => {
    const document = '{ sellers(first: 20) { edges { node { payments(first: 3) { edges { node { uuid } } } } } } }'
    const { body } = await service.graphql(document, {}, withKey())
    expect(body.errors).toBeUndefined()
    const found = statements.find(({ sql }) => sql.includes('LATERAL'))
    expect(await indexesOf(database, found)).toEqual(['payment_intents_of_sellers'])
  })
})

describe('the payments of a business', () => {
  it('are read in the order of their list by its index', async () => {
    const { body } = await service.graphql('{ paymentIntents(first: 20) { edges { node { uuid } } } }', {}, withKey())
    expect(body.data.paymentIntents.edges).toHaveLength(20)
    const read = statements.filter(({ sql }) => sql.includes('ORDER BY "public"."payment_intents"'))
    expect(read).toHaveLength(1)
    expect(await indexesOf(database, read[0])).toEqual(['payment_intents_caller_account_id_created_at_id_idx'])
  })
})

describe('the audit trail', () => {
  it('is one statement for a page of any size', async () => {
    const [small] = [await shapesOf(rest('/marketplace/audit?limit=1'))]
    statements.splice(0)
    expect(await shapesOf(rest('/marketplace/audit?limit=100'))).toEqual(small)
    expect(small).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "audit_log" WHERE ("audit_log"."account_id" = $1 AND "audit_log"."action" IN ($2,$3,$4,$5,$6,$7,$8,$9,$10,$11)) ORDER BY "audit_log"."position" DESC LIMIT $12 OFFSET $13",
      ]
    `)
  })

  it('is one statement more for the sellers of its entries', async () => {
    const document = '{ auditEntries(first: 30) { edges { node { action seller { name } } } } }'
    const shapes = await shapesOf(() => service.graphql(document, {}, withKey()))
    expect(shapes).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "audit_log" WHERE ("audit_log"."account_id" = $1 AND "audit_log"."action" IN ($2,$3,$4,$5,$6,$7,$8,$9,$10,$11)) ORDER BY "audit_log"."position" DESC LIMIT $12 OFFSET $13",
        "SELECT … FROM "accounts" WHERE "accounts"."id" IN ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31) OFFSET $32",
      ]
    `)
  })
})

it('the figures of a seller read its own payments only, by index', async () => {
  // Both ends are in parts of a quarter of an hour, which are counted payment by payment.
  const ranges = [{ from: new Date('2026-01-01T00:20:00Z'), to: new Date('2026-01-01T01:20:00Z') }]
  const of = { sellerId: sellers[0] ?? '' }
  await createStatsStore(database).figures(marketplace, { of, ranges })
  const [first] = (await indexesOfLast()).filter((index) => index.startsWith('payment_intents_'))
  expect(first).toBe('payment_intents_of_sellers')
})

describe('the payments of a marketplace in one asset', () => {
  const RARE = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  beforeAll(async () => {
    // The marketplace itself is often paid in the asset, and its sellers were five times, long ago.
    await database.query(
      `INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
         accepted_assets, asset, asset_decimals, expected_amount, payee_label, status, expires_at, created_at)
       SELECT gen_random_uuid(), 'live', $1::uuid, $1::uuid, 'Own' || replace(lpad(number::text, 40, '0'), '0', 'x'),
         sha256(int4send(-number)), 100, ARRAY[$2], $2, 9, 5, 'Shop', 'swept', now(),
         '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s'
       FROM generate_series(1, ${PAYMENTS}) number`,
      [marketplace.accountId, RARE],
    )
    await database.query(
      `UPDATE payment_intents SET asset = $2, asset_decimals = 9, expected_amount = 5 WHERE caller_account_id = $1
         AND marketplace_fee_bps IS NOT NULL AND created_at <= '2026-01-01T00:00:05Z'`,
      [marketplace.accountId, RARE],
    )
    await database.session(({ script }) => script('VACUUM ANALYZE payment_intents'))
  })

  it('are found by their index, whatever the marketplace itself is paid in', async () => {
    const document = `{ marketplacePayments(first: 20, filter: { asset: "${RARE}" }) { edges { node { uuid } } } }`
    statements.splice(0)
    const { body } = await service.graphql(document, {}, withKey())
    expect(body.data.marketplacePayments.edges).toHaveLength(5)
    const read = statements.filter(({ sql }) => sql.includes('ORDER BY "public"."payment_intents"'))
    expect(await indexesOf(database, read[0])).toEqual(['payment_intents_for_sellers_by_asset'])
  })
})
