// Searches among more payments than are read one by one: the same answers on both ways to find them, a common text without
// the index of parts, a rare one by it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Statement } from '../../support/database.ts'
import { startTestMarketplace, type TestMarketplace } from '../../support/marketplace.ts'
import { withKey } from '../../support/services.ts'
import { indexesOf } from '../../support/statements.ts'

const COUNT = 6_000
const INDEX_OF_PARTS = 'payment_search_parts_idx'
const INDEX_OF_ORDER = 'payment_intents_for_sellers'
const INDEX_OF_STATUS = 'payment_intents_for_sellers_by_status'

/**
 * Copies one payment, a second apart; one of 25 is "even", one of 1,500 is "rarely", the first and the last are "seldom". The first
 * hundred are swept, and the last 300 are cancelled. The text of one of seven is not in the index, as if it were too long.
 */
const COPY = `
WITH numbered AS (
  SELECT gen_random_uuid() AS id, number, 'ORDER ' || lpad(number::text, 4, '0') || CASE WHEN number % 1500 = 0
    THEN ' RARELY' WHEN number % 25 = 0 THEN ' EVEN' WHEN number <= 150 OR number > 5750 THEN ' SELDOM' ELSE '' END AS text
  FROM generate_series(1, ${COUNT}) number
), paid AS (
  INSERT INTO payment_intents
  SELECT (jsonb_populate_record(payment, jsonb_build_object('id', numbered.id, 'reference', lower(text),
    'derivation_index', number + 1000, 'address', 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'),
    'search_text', CASE WHEN number % 7 > 0 THEN text END,
    'client_secret_hash', '\\x' || encode(sha256(int4send(number)), 'hex'),
    'status', CASE WHEN number <= 100 THEN 'swept' WHEN number > 5700 THEN 'cancelled' ELSE 'pending' END,
    'created_at', payment.created_at + number * interval '1 s'))).*
  FROM payment_intents payment, numbered
)
INSERT INTO payment_search (intent_id, text, parts, is_indexed, caller_account_id, created_at)
SELECT numbered.id, numbered.text, (
  SELECT array_agg(DISTINCT substr(numbered.text, start, length))
  FROM unnest('{1,2,3,4,6,12}'::int[]) length, generate_series(1, length(numbered.text) - length + 1) start),
  true, payment.caller_account_id, payment.created_at + number * interval '1 s'
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
})
afterAll(() => bazaar.close())

const LIST = `query List($first: Int, $last: Int, $after: String, $before: String, $filter: MarketplacePaymentFilter) {
  marketplacePayments(first: $first, last: $last, after: $after, before: $before, filter: $filter) {
    edges { cursor node { reference } }
    pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
  }
}`

async function search(text: string, page: object, filter: object = {}) {
  const before = bazaar.statements.length
  const { body } = await bazaar.service.graphql(LIST, { filter: { search: text, ...filter }, ...page }, withKey())
  expect(body.errors).toBeUndefined()
  const { edges, pageInfo } = body.data.marketplacePayments
  const statements = bazaar.statements.slice(before)
  return { pageInfo, statements, found: edges.map(({ node }: { node: { reference: string } }) => node.reference) }
}

const pad = (number: number): string => String(number).padStart(4, '0')
const numbered = (text: string, numbers: readonly number[]): readonly string[] =>
  numbers.map((number) => `order ${pad(number)} ${text}`)
const EVEN = numbered(
  'even',
  Array.from({ length: COUNT / 25 }, (_, at) => COUNT - 25 * at).filter((number) => number % 1500 !== 0),
)
const RARE = numbered('rarely', [6000, 4500, 3000, 1500])
const PENDING = EVEN.filter((reference) => reference > 'order 0101' && reference < 'order 5701')
const SELDOM = numbered(
  'seldom',
  Array.from({ length: 50 }, (_, at) => 150 - at).filter((number) => number % 25 !== 0),
)
const SWEPT = Array.from({ length: 100 }, (_, at) => expect.stringContaining(`order ${pad(100 - at)}`))

const usesParts = async (statement: Statement | undefined): Promise<boolean> =>
  (await indexesOf(bazaar.db, statement)).includes(INDEX_OF_PARTS)

it('finds a page of a common text among the newest payments, without the index of parts', async () => {
  const { found, statements } = await search('even', { first: 20 })
  expect(found).toEqual(EVEN.slice(0, 20))
  expect(statements).toHaveLength(2)
  expect(await indexesOf(bazaar.db, statements[0])).toEqual(expect.arrayContaining([INDEX_OF_ORDER]))
  expect(await usesParts(statements.at(-1))).toBe(false)
})

it('finds a page after a cursor among the payments next to it', async () => {
  let after: string | null = null
  for (let page = 0; page < 2; page += 1) after = (await search('even', { first: 100, after })).pageInfo.endCursor
  const { found, statements } = await search('even', { first: 20, after })
  expect(found).toEqual(EVEN.slice(200, 220))
  expect(statements).toHaveLength(2)
})

it('finds a page of a range among the newest payments of the range', async () => {
  const { found, statements } = await search('even', { first: 20 }, { to: '2026-11-01T00:33:20.000Z' })
  expect(found).toEqual(EVEN.filter((reference) => reference < 'order 2000').slice(0, 20))
  expect(statements).toHaveLength(2)
})

it('finds what a rare status leaves of a common text among the payments with that status, with two statements', async () => {
  const { found, statements } = await search('even', { first: 20 }, { status: ['swept'] })
  expect(found).toEqual(EVEN.slice(-4))
  expect(statements).toHaveLength(2)
  expect(await usesParts(statements.at(-1))).toBe(false)
})

it('finds a text that none of the 300 newest payments has by the index of parts', async () => {
  const { found, statements } = await search('order 56', { first: 2 })
  expect(found).toEqual(['order 5699', 'order 5698'])
  expect(statements).toHaveLength(3)
  expect(await usesParts(statements[1])).toBe(true)
  expect(await usesParts(statements[2])).toBe(false)
})

it('finds what a rare status leaves of a text that no recent payment has among the payments with that status', async () => {
  const { found, statements } = await search('order 0', { first: 20 }, { status: ['swept'] })
  expect(found).toEqual(SWEPT.slice(0, 20))
  expect(statements).toHaveLength(2)
  expect(await usesParts(statements.at(-1))).toBe(false)
})

it('finds a page of a common text in a status among the newest payments with that status', async () => {
  const { found, statements } = await search('even', { first: 100 }, { status: ['pending'] })
  expect(found).toEqual(PENDING.slice(0, 100))
  expect(statements).toHaveLength(2)
  expect(await indexesOf(bazaar.db, statements[0])).toContain(INDEX_OF_STATUS)
})

it('finds a page of two statuses among the newest payments of each, in order', async () => {
  const { found, statements } = await search('even', { first: 20 }, { status: ['cancelled', 'pending', 'pending'] })
  expect(found).toEqual(EVEN.slice(0, 20))
  expect(statements).toHaveLength(2)
})

it('finds by the index of parts what neither the newest payments of a status nor the first matches fill', async () => {
  const { found, statements } = await search('seldom', { first: 100 }, { status: ['pending'] })
  expect(found).toEqual(SELDOM)
  expect(statements).toHaveLength(4)
  expect(await usesParts(statements.at(-1))).toBe(true)
})

it('finds nothing in no status', async () => {
  const { found, statements } = await search('even', { first: 20 }, { status: [] })
  expect([found, statements]).toEqual([[], []])
})

it('finds nothing with two statements', async () => {
  const { found, statements } = await search('no order has this', { first: 20 })
  expect(found).toEqual([])
  expect(statements).toHaveLength(2)
  expect(await usesParts(statements[1])).toBe(true)
})

it.each(['RARELY', 'ely'])('finds a rare text by the index of parts: %s', async (text) => {
  const { found, pageInfo, statements } = await search(text, { first: 20 })
  expect([found, pageInfo.hasNextPage]).toEqual([RARE, false])
  expect(statements).toHaveLength(3)
  expect(await usesParts(statements[1])).toBe(true)
  expect(await usesParts(statements[2])).toBe(false)
})

it.each([
  ['a common text', 'even', 70, {}, EVEN],
  ['a rare text', 'rarely', 2, {}, RARE],
  ['a common text and a status', 'even', 70, { status: ['pending'] }, PENDING],
  ['a common text and a rare status', 'order 0', 30, { status: ['swept'] }, SWEPT],
  ['a text of some and a status', 'seldom', 7, { status: ['pending'] }, SELDOM],
  [
    'a common text and two statuses',
    'even',
    70,
    { status: ['pending', 'cancelled'] },
    EVEN.filter((text) => text > 'order 0101'),
  ],
])('gives every payment with %s once, page by page, in both directions', async (_what, text, size, filter, all) => {
  const forwards: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { found, pageInfo } = await search(text, { first: size, after }, filter)
    forwards.push(...found)
    more = pageInfo.hasNextPage
    after = pageInfo.endCursor
  }
  expect(forwards).toEqual(all)
  const backwards: string[] = []
  for (let before: string | null = null, more = true; more; ) {
    const { found, pageInfo } = await search(text, { last: size, before }, filter)
    backwards.unshift(...found)
    more = pageInfo.hasPreviousPage
    before = pageInfo.startCursor
  }
  expect(backwards).toEqual(all)
})
