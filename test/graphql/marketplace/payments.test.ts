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

it('searches the payments of a status that few have in one statement', async () => {
  const statements = await statementsOf({ filter: { search: 'order', status: ['swept'] } })
  expect(statements.filter((sql) => sql.includes('payment_search'))).toMatchInlineSnapshot(`
    [
      "SELECT … FROM "payment_intents" LEFT JOIN "payment_search" AS "j0" ON ("j0"."intent_id") = ("payment_intents"."id") WHERE ("payment_intents"."network" = CAST($1::text AS "network_name") AND ("payment_intents"."account_id" = $2 OR "payment_intents"."caller_account_id" = $3) AND "payment_intents"."caller_account_id" = $4 AND "payment_intents"."account_id" <> $5 AND "payment_intents"."marketplace_fee_bps" IS NOT NULL AND "payment_intents"."status" IN (CAST($6::text AS "intent_status")) AND ("j0"."text"::text LIKE ('%' || $7 || '%') AND ("j0"."intent_id" IS NOT NULL))) ORDER BY "payment_intents"."created_at" DESC, "payment_intents"."id" DESC LIMIT $8 OFFSET $9",
    ]
  `)
})

it('searches a few payments with two statements more', async () => {
  const statements = await statementsOf({ filter: { search: 'order' } })
  expect(statements.filter((sql) => sql.includes('payment_search'))).toMatchInlineSnapshot(`
    [
      "
    SELECT intent_id::text AS id FROM (
      SELECT intent_id, created_at, text FROM payment_search WHERE caller_account_id = $1::uuid
      ORDER BY created_at desc, intent_id desc LIMIT 2500
    ) entry
    WHERE text LIKE $2 AND (SELECT count(*) FROM (
      SELECT intent_id, created_at, text FROM payment_search WHERE caller_account_id = $1::uuid
      ORDER BY created_at desc, intent_id desc LIMIT 300
    ) entry WHERE text LIKE $2) > 0
    ORDER BY created_at desc, intent_id desc LIMIT 200",
      "
    WITH entry AS MATERIALIZED (
      SELECT intent_id, created_at FROM payment_search
      WHERE caller_account_id = $1::uuid AND parts @> (SELECT $3::text[]) AND text LIKE $2
    )
    SELECT intent_id::text AS id FROM entry ORDER BY created_at desc, intent_id desc LIMIT 200",
    ]
  `)
})
