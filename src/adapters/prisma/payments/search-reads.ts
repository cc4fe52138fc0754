// Which payments for sellers a search finds: those next to a page are read one by one, in an index that has their texts, and all
// others are found by the index of parts. No payment is read itself.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Position, SearchedList } from '#core/marketplace/payment-search.ts'
import type { Search } from '#core/marketplace/search.ts'
import { literal } from '#lib/literal.ts'

/** Ids in the order of the list. `isAll`: the search finds no others. */
export type Matches = { readonly ids: readonly string[]; readonly isAll: boolean }

/** The searches of a tenant among the payments that it takes for sellers. */
export type SearchReads = {
  /**
   * Returns the first `most` matches among the first 5,000 payments of a list. Without a filter it reads 300 when none of
   * these has the text: a rare text is found by the index of parts.
   */
  nearMatches(search: Search, list: SearchedList, most: number): Promise<Matches>
  /** Returns the first 200 matches of a list by the index of parts, whatever their seller and status. */
  indexedMatches(search: Search, list: SearchedList): Promise<Matches>
}

const NEAR = 5_000
/** One of these must have the text, or the rest is not read. */
const FIRST = 300
/** More than the largest page, so that a filter may refuse some. */
const MOST_INDEXED = 200
const NONE: Matches = { ids: [], isAll: true }

export function createSearchReads(prisma: Pick<PrismaClient, '$queryRawUnsafe'>, { accountId }: Tenant): SearchReads {
  const read = async ({ sql, values }: Statement): Promise<Matches> => {
    const [found] = await prisma.$queryRawUnsafe<Matches[]>(sql, ...values)
    return found ?? NONE
  }
  return {
    nearMatches: async (search, list, most) =>
      list.statuses?.length === 0 ? NONE : await read(nearStatement(accountId, search, list, most)),
    indexedMatches: (search, list) => read(indexedStatement(accountId, search, list)),
  }
}

type Statement = { readonly sql: string; readonly values: readonly unknown[] }

/**
 * A text that is too long for the index is read from the entry of the payment. Each status is read in the order of the list, and
 * PostgreSQL merges them. The first page that is full ends it.
 */
function nearStatement(accountId: string, { text }: Search, list: SearchedList, most: number): Statement {
  const { statuses, sellerId, order } = list
  const { parameter, values } = parameters()
  const pattern = parameter(patternOf(text), 'text')
  const conditions = [
    `caller_account_id = ${parameter(accountId, 'uuid')}`,
    'marketplace_fee_bps IS NOT NULL',
    ...(sellerId === null ? [] : [`account_id = ${parameter(sellerId, 'uuid')}`]),
    ...rangeOf(list, 'id', parameter),
  ]
  const inOrder = `ORDER BY created_at ${order}, id ${order} LIMIT ${NEAR + 1}`
  const walk = (more: readonly string[]): string => `(
    SELECT id, created_at, CASE WHEN search_text IS NULL
      THEN (SELECT text LIKE ${pattern} FROM payment_search WHERE intent_id = id) ELSE search_text LIKE ${pattern} END AS matches
    FROM payment_intents WHERE ${[...conditions, ...more].join(' AND ')} ${inOrder}
  )`
  const walks = statuses?.map((status) => walk([`status = ${parameter(status, 'intent_status')}`])) ?? [walk([])]
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

/**
 * The parts are in a query of their own: PostgreSQL then expects as many matches of a rare text as of any other, and does not
 * plan each search again.
 */
function indexedStatement(accountId: string, { text, parts }: Search, list: SearchedList): Statement {
  const { parameter, values } = parameters()
  const conditions = [
    `caller_account_id = ${parameter(accountId, 'uuid')}`,
    `parts @> (SELECT ${parameter(parts, 'text[]')})`,
    `text LIKE ${parameter(patternOf(text), 'text')}`,
    ...rangeOf(list, 'intent_id', parameter),
  ]
  const inOrder = `ORDER BY created_at ${list.order}, intent_id ${list.order}`
  const sql = `
WITH entry AS MATERIALIZED (
  SELECT intent_id, created_at FROM payment_search WHERE ${conditions.join(' AND ')}
), found AS MATERIALIZED (
  SELECT intent_id FROM entry ${inOrder} LIMIT ${MOST_INDEXED}
)
SELECT ARRAY(SELECT intent_id::text FROM found) AS ids, (SELECT count(*) FROM found) < ${MOST_INDEXED} AS "isAll"`
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
 * The conditions for the times and positions of a list. A bound that is left out has no parameter: with one, PostgreSQL takes a
 * prepared plan for dear, and plans each search again.
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
