// Seller.payments, on a real database: the payments for each seller in pages, with the same statements for one seller and
// for twenty.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Tenant } from '#core/accounts/account.ts'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'
import { shapeOf } from '../../support/statements.ts'
import { addBusiness } from '../../support/stores.ts'

const SELLERS = 20
const DAYS = ['01', '02', '03', '04', '05']

let bazaar: TestMarketplace
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
