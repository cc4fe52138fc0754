// marketplacePayments, on a real database: one statement for each nesting level, however many payments a page has.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'

let bazaar: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  for (const day of ['01', '02', '03', '04'])
    for (const seller of bazaar.sellers) await bazaar.pay(seller, `2026-11-${day}T00:00:00.000Z`, 24n)
})
afterAll(() => bazaar.close())

const PAGE = `query Page($first: Int, $filter: MarketplacePaymentFilter) {
  marketplacePayments(first: $first, filter: $filter) {
    edges { node { uuid ticker sellerAccountId seller { uuid name } transfers(first: 2) { edges { node { status } } } } }
    pageInfo { hasNextPage }
  }
}`

/** Asks for a page and returns the statements that read it, without their columns. */
const statementsOf = (variables: object): Promise<readonly string[]> =>
  statementsDuring(async () => {
    const { body } = await bazaar.service.graphql(PAGE, variables, withKey())
    expect(body.errors).toBeUndefined()
  })

async function statementsDuring(request: () => Promise<void>): Promise<readonly string[]> {
  const before = bazaar.statements.length
  await request()
  // A notice of the payments that were made may still be on its way.
  const reads = bazaar.statements.slice(before).filter(({ sql }) => !sql.includes('pg_notify'))
  return reads.map(({ sql }) => shortened(sql))
}

const shortened = (sql: string): string =>
  sql
    .replace(/^SELECT .*? FROM /s, 'SELECT … FROM ')
    .replaceAll('"public".', '')
    .replaceAll(/\$\d+(?:,\$\d+)+/g, '$…')

it('reads a page with one statement for each nesting level', async () => {
  expect(await statementsOf({ first: 5 })).toMatchInlineSnapshot(`
    [
      "SELECT … FROM "payment_intents" WHERE ("payment_intents"."network" = CAST($1::text AS "network_name") AND ("payment_intents"."account_id" = $2 OR "payment_intents"."caller_account_id" = $3) AND "payment_intents"."caller_account_id" = $4 AND "payment_intents"."account_id" <> $5 AND "payment_intents"."marketplace_fee_bps" IS NOT NULL) ORDER BY "payment_intents"."created_at" DESC, "payment_intents"."id" DESC LIMIT $6 OFFSET $7",
      "SELECT … FROM "accounts" WHERE "accounts"."id" IN ($…) OFFSET $7",
      "SELECT … FROM "transfers" WHERE (1=1 AND "transfers"."intent_id" IN ($…)) ORDER BY "transfers"."created_at" DESC, "transfers"."id" DESC OFFSET $7",
      "SELECT … FROM "tokens" WHERE "tokens"."network" = CAST($1::text AS "network_name") ORDER BY "tokens"."network" ASC, "tokens"."is_native" DESC, "tokens"."created_at" ASC, "tokens"."asset" ASC OFFSET $2",
    ]
  `)
})

it('reads one page and eight payments with the same statements', async () => {
  expect(await statementsOf({ first: 1 })).toHaveLength((await statementsOf({ first: 8 })).length)
})

it('reads a page of REST with the same statements for one payment and for eight', async () => {
  const page = (limit: number) =>
    statementsDuring(async () => {
      const { body } = await bazaar.service.get(`/marketplace/payments?limit=${limit}`, withKey())
      expect(body.payments).toHaveLength(Math.min(limit, 8))
    })
  const one = await page(1)
  expect(one).toMatchInlineSnapshot(`
    [
      "SELECT … FROM "payment_intents" WHERE ("payment_intents"."network" = CAST($1::text AS "network_name") AND ("payment_intents"."account_id" = $2 OR "payment_intents"."caller_account_id" = $3) AND "payment_intents"."caller_account_id" = $4 AND "payment_intents"."account_id" <> $5 AND "payment_intents"."marketplace_fee_bps" IS NOT NULL) ORDER BY "payment_intents"."created_at" DESC, "payment_intents"."id" DESC LIMIT $6 OFFSET $7",
      "SELECT … FROM "accounts" WHERE "accounts"."id" IN ($…) OFFSET $3",
    ]
  `)
  expect((await page(100)).map(withoutNumbers)).toEqual(one.map(withoutNumbers))
})

/** Returns the statement without the numbers of its parameters, which grow with a list of ids. */
const withoutNumbers = (sql: string): string => sql.replaceAll(/\$\d+/g, '$…')

it('searches the payments of a status with one statement more', async () => {
  const statements = await statementsOf({ filter: { search: 'order', status: ['swept'] } })
  expect(statements.filter((sql) => sql.includes('payment_search'))).toMatchInlineSnapshot(`
    [
      "
    WITH near AS MATERIALIZED (
      SELECT * FROM ((
        SELECT id, created_at, CASE WHEN search_text IS NULL
          THEN (SELECT text LIKE $2::text FROM payment_search WHERE intent_id = id) ELSE search_text LIKE $2::text END AS matches
        FROM payment_intents WHERE caller_account_id = $1::uuid AND marketplace_fee_bps IS NOT NULL AND status = $3::intent_status ORDER BY created_at desc, id desc LIMIT 5001)) payment ORDER BY created_at desc, id desc LIMIT 5001
    ), reach AS MATERIALIZED (
      SELECT 5000 AS payments
    ), found AS MATERIALIZED (
      SELECT id FROM (SELECT id, matches FROM near LIMIT (SELECT payments FROM reach)) reached WHERE matches LIMIT $4::int
    )
    SELECT ARRAY(SELECT id::text FROM found) AS ids, CASE WHEN (SELECT count(*) FROM found) < $4::int
      THEN (SELECT count(*) FROM (SELECT FROM near LIMIT payments + 1) reached) <= payments ELSE false END AS "isAll"
    FROM reach",
    ]
  `)
})

it('searches a few payments with one statement more', async () => {
  const statements = await statementsOf({ filter: { search: 'order' } })
  expect(statements.filter((sql) => sql.includes('payment_search'))).toMatchInlineSnapshot(`
    [
      "
    WITH near AS MATERIALIZED (
      SELECT * FROM ((
        SELECT id, created_at, CASE WHEN search_text IS NULL
          THEN (SELECT text LIKE $2::text FROM payment_search WHERE intent_id = id) ELSE search_text LIKE $2::text END AS matches
        FROM payment_intents WHERE caller_account_id = $1::uuid AND marketplace_fee_bps IS NOT NULL ORDER BY created_at desc, id desc LIMIT 5001)) payment ORDER BY created_at desc, id desc LIMIT 5001
    ), reach AS MATERIALIZED (
      SELECT CASE WHEN EXISTS (SELECT FROM (SELECT matches FROM near LIMIT 300) first WHERE matches) THEN 5000 ELSE 300 END AS payments
    ), found AS MATERIALIZED (
      SELECT id FROM (SELECT id, matches FROM near LIMIT (SELECT payments FROM reach)) reached WHERE matches LIMIT $3::int
    )
    SELECT ARRAY(SELECT id::text FROM found) AS ids, CASE WHEN (SELECT count(*) FROM found) < $3::int
      THEN (SELECT count(*) FROM (SELECT FROM near LIMIT payments + 1) reached) <= payments ELSE false END AS "isAll"
    FROM reach",
    ]
  `)
})
