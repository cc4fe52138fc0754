// Searches for a text that more old payments have than are sorted, and none of the newest: found in the order of the list.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'
import { indexesOf } from '../../support/statements.ts'

const OLD = 20_010
/** More than are read one by one. */
const NEW = 5_100
/**
 * Copies one payment, a second apart, in any order, as payments of many marketplaces are stored. All but the newest have the text,
 * and the parts of it that a search asks for. Each hundredth of them is swept, and so are the newest. The text of one of seven is
 * not in the index, as if it were too long.
 */
const COPY = `
WITH numbered AS (
  SELECT gen_random_uuid() AS id, number, CASE WHEN number > ${OLD} THEN 'NEWER' ELSE 'OLDER' END AS text
  FROM generate_series(1, ${OLD + NEW}) number
), paid AS (
  INSERT INTO payment_intents
  SELECT (jsonb_populate_record(payment, jsonb_build_object('id', numbered.id, 'reference', 'order ' || number,
    'derivation_index', number + 1000, 'address', 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'),
    'search_text', CASE WHEN number % 7 > 0 THEN text END,
    'client_secret_hash', '\\x' || encode(sha256(int4send(number)), 'hex'),
    'status', CASE WHEN number > ${OLD} OR number % 100 = 0 THEN 'swept' ELSE 'cancelled' END,
    'created_at', payment.created_at + number * interval '1 s'))).*
  FROM payment_intents payment, numbered ORDER BY numbered.id
)
INSERT INTO payment_search (intent_id, text, parts, is_indexed, caller_account_id, created_at)
SELECT numbered.id, numbered.text, ARRAY[left(numbered.text, 4), right(numbered.text, 4)], true, payment.caller_account_id,
  payment.created_at + number * interval '1 s'
FROM payment_intents payment, numbered`

let bazaar: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  await bazaar.pay(bazaar.sellers[0], '2026-11-01T00:00:00.000Z')
  // Row by row, the figures of the marketplace take longer than all the rest. A copy has the generated column, too.
  await bazaar.db.query(
    'ALTER TABLE payment_intents DISABLE TRIGGER USER, ALTER COLUMN seller_account_id DROP EXPRESSION',
  )
  await bazaar.db.query(COPY)
  await bazaar.db.session(({ script }) => script('VACUUM ANALYZE payment_intents, payment_search'))
}, 60_000)
afterAll(() => bazaar.close())

const LIST = `query List($first: Int, $last: Int, $after: String, $filter: MarketplacePaymentFilter) {
  marketplacePayments(first: $first, last: $last, after: $after, filter: $filter) {
    edges { node { reference } }
    pageInfo { hasNextPage endCursor }
  }
}`

async function search(page: object, filter: object = {}) {
  const before = bazaar.statements.length
  const { body } = await bazaar.service.graphql(LIST, { filter: { search: 'older', ...filter }, ...page }, withKey())
  expect(body.errors).toBeUndefined()
  const { edges, pageInfo } = body.data.marketplacePayments
  const statements = bazaar.statements.slice(before)
  return { pageInfo, statements, found: edges.map(({ node }: { node: { reference: string } }) => node.reference) }
}

const downFrom = (number: number, step: number, count = 20): readonly string[] =>
  Array.from({ length: count }, (_, at) => `order ${number - at * step}`)

it('finds the newest of them by the index of the list, after as many matches as are sorted', async () => {
  const { found, statements } = await search({ first: 20 })
  expect(found).toEqual(downFrom(OLD, 1))
  expect(statements).toHaveLength(4)
  expect(statements[1]?.sql).toContain('LIMIT 20001')
  expect(await indexesOf(bazaar.db, statements[2])).toContain('payment_intents_for_sellers')
})

it.each([
  ['a status', ['swept'], downFrom(20_000, 100)],
  ['several statuses', ['swept', 'cancelled'], downFrom(OLD, 1)],
])('finds those in %s by the index of the status', async (_what, status, references) => {
  const { found, statements } = await search({ first: 20 }, { status })
  expect(found).toEqual(references)
  expect(statements).toHaveLength(4)
  expect(await indexesOf(bazaar.db, statements[2])).toContain('payment_intents_for_sellers_by_status')
})

it('finds the next page after a cursor, and the last one', async () => {
  const { pageInfo } = await search({ first: 20 })
  expect(pageInfo.hasNextPage).toBe(true)
  const next = await search({ first: 20, after: pageInfo.endCursor })
  expect(next.found).toEqual(downFrom(OLD - 20, 1))
  const last = await search({ last: 2 })
  expect(last.found).toEqual(['order 2', 'order 1'])
})
