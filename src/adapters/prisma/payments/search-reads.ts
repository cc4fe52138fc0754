// Which payments a search or a filter finds. A search for those of sellers reads those next to a page one by one, in an index that
// has their texts, and finds all others by the index of parts, or in the order of the list when many have the text. It reads
// no payment itself. A filter of metadata reads the entries of one key and value, in the order of the list.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Search } from '#core/marketplace/search.ts'
import type { Position, SearchedList } from '#core/payments/payment-search.ts'
import { literal } from '#lib/values.ts'
import { digestOf } from './search-index.ts'

/** Ids in the order of the list. `isAll`: the search finds no others. */
export type Matches = { readonly ids: readonly string[]; readonly isAll: boolean }

/** The searches of a tenant among the payments that it created. */
export type SearchReads = {
  /**
   * Returns the first `most` matches among the first 5,000 payments of a list. Without a filter it reads 300 when none of
   * these has the text: a rare text is found by the index of parts.
   */
  nearMatches(search: Search, list: SearchedList, most: number): Promise<Matches>
  /**
   * Returns the first 200 matches of a list by the index of parts, whatever their seller and status. Null when more than 20,000
   * payments match: it does not sort so many.
   */
  indexedMatches(search: Search, list: SearchedList): Promise<Matches | null>
  /**
   * Returns the first `most` matches of a list; without a search, its first payments. Reads every payment before the last of them,
   * so it is for a common text.
   */
  orderedMatches(search: Search | null, list: SearchedList, most: number): Promise<Matches>
}

const NEAR = 5_000
/** One of these must have the text, or the rest is not read. */
const FIRST = 300
/** More than the largest page, so that a filter may refuse some. */
const MOST_INDEXED = 200
/** The matches of the index of parts that are sorted. */
const MOST_SORTED = 20_000
const NONE: Matches = { ids: [], isAll: true }

export function createSearchReads(prisma: Pick<PrismaClient, '$queryRawUnsafe'>, { accountId }: Tenant): SearchReads {
  const read = async <Row extends Matches>({ sql, values }: Statement): Promise<Row | undefined> => {
    const [found] = await prisma.$queryRawUnsafe<Row[]>(sql, ...values)
    return found
  }
  const readList = async ({ statuses }: SearchedList, statement: () => Statement): Promise<Matches> =>
    statuses?.length === 0 ? NONE : ((await read(statement())) ?? NONE)
  return {
    nearMatches: (search, list, most) => readList(list, () => nearStatement(accountId, search, list, most)),
    async indexedMatches(search, list) {
      const found = await read<IndexedMatches>(indexedStatement(accountId, search, list))
      return found?.isCommon === true ? null : (found ?? NONE)
    },
    orderedMatches: (search, list, most) => readList(list, () => orderedStatement(accountId, search, list, most)),
  }
}

type IndexedMatches = Matches & { readonly isCommon: boolean }
type Statement = { readonly sql: string; readonly values: readonly unknown[] }

/**
 * Returns queries whose rows together are the payments of a list, with whether each matches the search. Each query in the order
 * of the list is read by an index, and PostgreSQL merges them.
 */
function walksOf(
  accountId: string,
  search: Search | null,
  list: SearchedList,
  parameter: Parameter,
): readonly string[] {
  const { statuses, isForSellers, sellerId, reference, asset, isHeld, hasProposal } = list
  const conditions = [
    `caller_account_id = ${parameter(accountId, 'uuid')}`,
    ...(isForSellers ? ['marketplace_fee_bps IS NOT NULL'] : []),
    ...(sellerId === null ? [] : [`account_id = ${parameter(sellerId, 'uuid')}`]),
    ...(reference === null ? [] : [`reference = ${parameter(reference, 'text')}`]),
    ...(asset === null ? [] : [`asset = ${parameter(asset, 'text')}`]),
    // Without a parameter: the index of held money has this condition.
    ...(isHeld === null ? [] : [isHeld ? "held <> '[]'" : "held = '[]'"]),
    ...(hasProposal ? [HAS_PROPOSAL] : []),
  ]
  const matches = search === null ? 'true' : matchOf(search, parameter)
  const walk = (from: string, more: readonly string[]): string => `
    SELECT id, created_at, ${matches} AS matches
    FROM ${from} WHERE ${[...conditions, ...more].join(' AND ')}`
  const entries = entriesOf(accountId, list, parameter)
  if (entries !== null) {
    const among = statuses === null ? [] : [`status = ANY(${parameter(statuses, 'intent_status[]')})`]
    return [walk(`${entries} CROSS JOIN LATERAL (${PAYMENT_OF_ENTRY}) payment`, among)]
  }
  const range = rangeOf(list, 'id', parameter)
  const within = (more: readonly string[]): string => walk('payment_intents', [...range, ...more])
  return statuses?.map((status) => within([`status = ${parameter(status, 'intent_status')}`])) ?? [within([])]
}

/** The first condition is that of an index. */
const HAS_PROPOSAL = "refund_address IS NOT NULL AND refund_address #>> '{proposal,status}' = 'proposed'"

/** Read for one entry after the other: PostgreSQL would otherwise sort all that have a common one. */
const PAYMENT_OF_ENTRY = `
  SELECT caller_account_id, account_id, marketplace_fee_bps, reference, status, asset, held, refund_address, search_text
  FROM payment_intents WHERE id = entry.id OFFSET 0`

/** A text that is too long for the index is read from the search entry of the payment. */
function matchOf({ text }: Search, parameter: Parameter): string {
  const pattern = parameter(patternOf(text), 'text')
  return `CASE WHEN search_text IS NULL
      THEN (SELECT text LIKE ${pattern} FROM payment_search WHERE intent_id = id) ELSE search_text LIKE ${pattern} END`
}

/** Returns a query for the payments of a list that have its metadata; null when it asks for none. */
function entriesOf(accountId: string, list: SearchedList, parameter: Parameter): string | null {
  const [first, ...others] = list.metadata.map((entry) => parameter(digestOf(accountId, entry), 'bytea'))
  if (first === undefined) return null
  const conditions = [
    `entry = ${first}`,
    ...rangeOf(list, 'intent_id', parameter),
    ...others.map(
      (other) =>
        `EXISTS (SELECT FROM payment_metadata other
          WHERE other.entry = ${other} AND other.created_at = given.created_at AND other.intent_id = given.intent_id)`,
    ),
  ]
  return `(SELECT intent_id AS id, created_at FROM payment_metadata given WHERE ${conditions.join(' AND ')}) entry`
}

/** The first page that is full ends it. */
function nearStatement(accountId: string, search: Search, list: SearchedList, most: number): Statement {
  const { statuses, sellerId, order } = list
  const { parameter, values } = parameters()
  const inOrder = `ORDER BY created_at ${order}, id ${order} LIMIT ${NEAR + 1}`
  const walks = walksOf(accountId, search, list, parameter).map((walk) => `(${walk} ${inOrder})`)
  const reach =
    statuses === null && sellerId === null
      ? `CASE WHEN EXISTS (SELECT FROM (SELECT matches FROM near LIMIT ${FIRST}) first WHERE matches) THEN ${NEAR} ELSE ${FIRST} END`
      : NEAR
  const limit = parameter(most, 'int')
  const sql = `
WITH near AS MATERIALIZED (
  SELECT * FROM (${walks.join(' UNION ALL ')}) payment ${inOrder}
), reach AS MATERIALIZED (
  SELECT ${reach} AS payments
), found AS MATERIALIZED (
  SELECT id FROM (SELECT id, matches FROM near LIMIT (SELECT payments FROM reach)) reached WHERE matches LIMIT ${limit}
)
SELECT ARRAY(SELECT id::text FROM found) AS ids, CASE WHEN (SELECT count(*) FROM found) < ${limit}
  THEN (SELECT count(*) FROM (SELECT FROM near LIMIT payments + 1) reached) <= payments ELSE false END AS "isAll"
FROM reach`
  return { sql, values }
}

/** PostgreSQL expects that every second payment has the text, so each walk ends soon and is taken by its index. */
function orderedStatement(accountId: string, search: Search | null, list: SearchedList, most: number): Statement {
  const { parameter, values } = parameters()
  const walks = walksOf(accountId, search, list, parameter)
  const limit = parameter(most, 'int')
  const inOrder = `ORDER BY created_at ${list.order}, id ${list.order} LIMIT ${limit}`
  const matching = walks.map((walk) => `(SELECT id, created_at FROM (${walk}) payment WHERE matches ${inOrder})`)
  const sql = `
WITH found AS MATERIALIZED (
  SELECT id FROM (${matching.join(' UNION ALL ')}) payment ${inOrder}
)
SELECT ARRAY(SELECT id::text FROM found) AS ids, (SELECT count(*) FROM found) < ${limit} AS "isAll"`
  return { sql, values }
}

/**
 * The parts are in a query of their own: PostgreSQL then expects as many matches of a rare text as of any other, and does not
 * plan each search again.
 */
function indexedStatement(accountId: string, { text, parts }: Search, list: SearchedList): Statement {
  const { parameter, values } = parameters()
  const conditions = [
    `caller_account_id = ${parameter(accountId, 'uuid')}`,
    `text LIKE ${parameter(patternOf(text), 'text')}`,
    ...rangeOf(list, 'intent_id', parameter),
  ]
  const entries = (which: string): string =>
    `SELECT intent_id, created_at FROM payment_search WHERE ${[which, ...conditions].join(' AND ')}`
  const inOrder = `ORDER BY created_at ${list.order}, intent_id ${list.order}`
  const sql = `
WITH entry AS MATERIALIZED (
  ${entries(`parts @> (SELECT ${parameter(parts, 'text[]')})`)}
  UNION ALL ${entries('NOT is_indexed')} LIMIT ${MOST_SORTED + 1}
), found AS MATERIALIZED (
  SELECT intent_id FROM entry ${inOrder} LIMIT ${MOST_INDEXED}
)
SELECT ARRAY(SELECT intent_id::text FROM found) AS ids, (SELECT count(*) FROM found) < ${MOST_INDEXED} AS "isAll",
  (SELECT count(*) FROM entry) > ${MOST_SORTED} AS "isCommon"`
  return { sql, values }
}

type Parameter = (value: unknown, type: string) => string

function parameters(): { readonly parameter: Parameter; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  const parameter: Parameter = (value, type) => {
    values.push(value)
    return `$${values.length}::${type}`
  }
  return { parameter, values }
}

/**
 * Returns the conditions for the times and positions of a list. A bound that is left out has no parameter: with one, PostgreSQL
 * takes a prepared plan for dear, and plans each search again.
 */
function rangeOf({ from, to, olderThan, newerThan }: SearchedList, id: string, parameter: Parameter): string[] {
  const time = (compare: string, bound: Date | null): string[] =>
    bound === null ? [] : [`created_at ${compare} ${parameter(bound, 'timestamptz')}`]
  const position = (compare: string, bound: Position | null): string[] =>
    bound === null
      ? []
      : [
          `(created_at, ${id}) ${compare} (${parameter(bound.createdAt, 'timestamptz')}, ${parameter(bound.id, 'uuid')})`,
        ]
  return [...time('>=', from), ...time('<', to), ...position('<', olderThan), ...position('>', newerThan)]
}

const patternOf = (text: string): string => `%${literal(text)}%`
