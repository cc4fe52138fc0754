import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#core/accounts/account.ts'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'
import { shapeOf } from '../../support/statements.ts'
import { addBusiness } from '../../support/stores.ts'

let bazaar: TestMarketplace

// marketplacePayments, on a real database: one statement for each nesting level, however many payments a page has.
describe('marketplacePayments', () => {
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
})

// Seller.payments, on a real database: the payments for each seller in pages, with the same statements for one seller and
// for twenty.
describe('Seller.payments', () => {
  const SELLERS = 20
  const DAYS = ['01', '02', '03', '04', '05']

  let sellers: readonly Tenant[]
  beforeAll(async () => {
    bazaar = await startTestMarketplace()
    const { db, marketplace } = bazaar
    const more = Array.from({ length: SELLERS - 2 }, () => addBusiness(db, 'live', marketplace.accountId))
    sellers = [...bazaar.sellers, ...(await Promise.all(more))]
    for (const day of DAYS) {
      const createdAt = `2026-11-${day}T00:00:00.000Z`
      await Promise.all(
        sellers.map((seller, at) => bazaar.pay(seller, createdAt, undefined, { reference: `${at} ${day}` })),
      )
    }
  })
  afterAll(() => bazaar.close())

  const PAYMENTS = `payments(first: $below, after: $after, before: $before, last: $last) {
  edges { cursor node { reference sellerAccountId deposits(first: 2) { edges { node { amount } } } } }
  pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
}`
  const VARIABLES = '$below: Int, $last: Int, $after: String, $before: String'
  const PAGE = `query Page($first: Int, ${VARIABLES}) { sellers(first: $first) { edges { node { uuid ${PAYMENTS} } } } }`
  const ONE = `query One($id: String!, ${VARIABLES}) { seller(id: $id) { uuid ${PAYMENTS} } }`

  type Node = { readonly reference: string; readonly sellerAccountId: string }
  type Connection = {
    readonly edges: readonly { readonly cursor: string; readonly node: Node }[]
    readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
      Readonly<Record<'endCursor' | 'startCursor', string | null>>
  }
  type Seller = { readonly uuid: string; readonly payments: Connection }

  const ask = async (document: string, variables: object) =>
    (await bazaar.service.graphql(document, variables, withKey())).body

  async function page(variables: object): Promise<readonly Seller[]> {
    const { data, errors } = await ask(PAGE, variables)
    expect(errors).toBeUndefined()
    return data.sellers.edges.map(({ node }: { node: Seller }) => node)
  }

  /** A page of the payments of one seller. */
  async function pageOfOne(variables: object): Promise<Connection> {
    const { data, errors } = await ask(ONE, { id: sellers[3]?.accountId, ...variables })
    expect(errors).toBeUndefined()
    return data.seller.payments
  }
  const references = ({ edges }: Connection): readonly string[] => edges.map(({ node }) => node.reference)

  /** The statements of a request, whatever the number of their parameters. */
  async function statementsDuring(request: () => Promise<unknown>): Promise<readonly string[]> {
    const before = bazaar.statements.length
    await request()
    const reads = bazaar.statements.slice(before).filter(({ sql }) => !sql.includes('pg_notify'))
    return reads.map((statement) =>
      shapeOf(statement)
        .replaceAll(/\$\d+(?:,\$\d+)+/g, '$…')
        .replace(/\$\d+$/, '$…'),
    )
  }

  it('is read for one seller and for twenty with the same statements, and lists below for twenty payments at a time', async () => {
    const one = await statementsDuring(() => page({ first: 1, below: 3 }))
    expect(one).toMatchInlineSnapshot(`
    [
      "SELECT … FROM "accounts" WHERE ("accounts"."marketplace_account_id" = $1 AND "accounts"."network" = CAST($2::text AS "network_name") AND "accounts"."archived_at" IS NULL) ORDER BY "accounts"."created_at" DESC, "accounts"."id" DESC LIMIT $3 OFFSET $…",
      "
    SELECT payment.id::text AS id FROM unnest($1::uuid[]) seller (id) CROSS JOIN LATERAL (
      SELECT id FROM payment_intents
      WHERE account_id = seller.id AND caller_account_id::text = $2 AND network = $3::network_name AND marketplace_fee_bps IS NOT NULL
      ORDER BY created_at desc, id desc LIMIT $4::int
    ) payment",
      "SELECT … FROM "payment_intents" WHERE ("payment_intents"."network" = CAST($1::text AS "network_name") AND ("payment_intents"."account_id" = $2 OR "payment_intents"."caller_account_id" = $3) AND "payment_intents"."id" IN ($…)) ORDER BY "payment_intents"."created_at" DESC, "payment_intents"."id" DESC OFFSET $…",
      "SELECT … FROM "payment_intents" WHERE "payment_intents"."id" IN ($…) OFFSET $…",
      "SELECT … FROM "deposits" WHERE (1=1 AND "deposits"."intent_id" IN ($…)) ORDER BY "deposits"."seen_at" DESC, "deposits"."id" DESC OFFSET $…",
    ]
  `)
    // Twenty sellers with four payments each, of which the page shows three.
    const [below, deposits] = one.slice(-2)
    const many = await statementsDuring(() => page({ first: SELLERS, below: 3 }))
    expect(many).toEqual([...one, below, deposits, below, deposits, below, deposits])
  })

  it('gives each seller its own payments, the newest first', async () => {
    for (const { uuid, payments } of await page({ first: SELLERS, below: 3 })) {
      const at = sellers.findIndex(({ accountId }) => accountId === uuid)
      expect(references(payments)).toEqual([`${at} 05`, `${at} 04`, `${at} 03`])
      expect(payments.edges.every(({ node }) => node.sellerAccountId === uuid)).toBe(true)
      expect(payments.pageInfo).toMatchObject({ hasNextPage: true })
    }
  })

  it('gives every payment of a seller once, page by page, in both directions', async () => {
    const forwards: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const connection = await pageOfOne({ below: 2, after })
      forwards.push(...references(connection))
      after = connection.pageInfo.endCursor
      more = connection.pageInfo.hasNextPage
    }
    expect(forwards).toEqual(['3 05', '3 04', '3 03', '3 02', '3 01'])
    const backwards: string[] = []
    for (let before: string | null = null, more = true; more; ) {
      const connection = await pageOfOne({ last: 2, before })
      backwards.unshift(...references(connection))
      before = connection.pageInfo.startCursor
      more = connection.pageInfo.hasPreviousPage
    }
    expect(backwards).toEqual(forwards)
  })

  it('does not show a payment that another business takes for the seller', async () => {
    const {
      db,
      sellers: [seller],
    } = bazaar
    const other = await addBusiness(db)
    const strange = await bazaar.pay(seller, '2026-11-06T00:00:00.000Z', undefined, { reference: 'strange' })
    await db.query('UPDATE payment_intents SET caller_account_id = $1 WHERE id = $2', [other.accountId, strange.id])
    const { data } = await ask(ONE, { id: seller.accountId, below: 3 })
    expect(references(data.seller.payments)).toEqual(['0 05', '0 04', '0 03'])
  })

  it('refuses a cursor of another seller', async () => {
    const { edges } = await pageOfOne({ below: 1 })
    const { errors } = await ask(ONE, { id: sellers[4]?.accountId, after: edges[0]?.cursor })
    expect(errors).toMatchObject([{ path: ['seller', 'payments'], extensions: { code: 'invalid_request' } }])
  })

  it.each([
    [
      'a page of more than 20 payments below sellers',
      '{ sellers { edges { node { payments(first: 21) { edges { node { uuid } } } } } } }',
    ],
    [
      'two pages of payments below sellers',
      '{ sellers { edges { node { payments(first: 1) { edges { node { uuid } } } more: payments(first: 2) { edges { node { uuid } } } } } } }',
    ],
    [
      'a page of more than 20 payments below the sellers of the audit trail',
      '{ auditEntries { edges { node { seller { payments(first: 21) { edges { node { uuid } } } } } } } }',
    ],
    [
      'two pages of a list below its payments',
      '{ sellers { edges { node { payments(first: 1) { edges { node { deposits(first: 1) { edges { node { amount } } } more: deposits(first: 2) { edges { node { amount } } } } } } } } } }',
    ],
  ])('refuses %s', async (_what, document) => {
    const { errors } = await ask(document, {})
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'invalid_request' } })
  })

  it('is read for all sellers of the audit trail with the same statements', async () => {
    const { db, marketplace } = bazaar
    const entries = async (first: number) => {
      const document = `{ auditEntries(first: ${first}) { edges { node { seller { uuid payments(first: 2) { edges { node { reference } } } } } } } }`
      const { data, errors } = await ask(document, {})
      expect(errors).toBeUndefined()
      return data.auditEntries.edges.map(({ node }: { node: { seller: Seller } }) => references(node.seller.payments))
    }
    await db.query(
      `INSERT INTO audit_log (account_id, seller_account_id, action, actor_kind, changes, created_at)
     SELECT $1::uuid, id, 'seller.created', 'service', '{}', now() FROM unnest($2::uuid[]) id`,
      [marketplace.accountId, sellers.map(({ accountId }) => accountId)],
    )
    const one = await statementsDuring(() => entries(1))
    const twenty = await statementsDuring(async () => {
      expect(await entries(SELLERS)).toEqual(sellers.map((_, at) => [`${at} 05`, `${at} 04`]).toReversed())
    })
    expect(twenty).toEqual(one)
    expect(one).toHaveLength(4)
  })
})
