// What is said of a SQL statement: its shape, and the indexes that it uses.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Statement } from './database.ts'

/** Returns a statement without the columns that it reads. */
export const shapeOf = ({ sql }: Statement): string =>
  sql.replace(/^SELECT .*? FROM/s, 'SELECT … FROM').replaceAll('"public".', '')

type Planned = Pick<Database, 'session'>

/** Returns the indexes that the plan of a statement uses. */
export async function indexesOf(database: Planned, statement: Statement | undefined): Promise<readonly string[]> {
  const plan = (await planOf(database, statement)).join('\n')
  return [...plan.matchAll(/(?:Index (?:Only )?Scan(?: Backward)? using|Bitmap Index Scan on) (\w+)/g)].flatMap(
    ([, index]) => index ?? [],
  )
}

/** Returns the lines of the plan of a statement. The option `ANALYZE` runs it, and shows the rows that each step gave. */
export async function planOf(
  database: Planned,
  statement: Statement | undefined,
  options = 'COSTS',
): Promise<readonly string[]> {
  const { sql = '', values = [] } = statement ?? {}
  const rows = await database.session((session) =>
    session.query<{ 'QUERY PLAN': string }>(`EXPLAIN (${options}) ${inlined(sql, values)}`),
  )
  return rows.map((row) => row['QUERY PLAN'])
}

/** Writes the parameters into a statement: a plan depends on them. */
const inlined = (sql: string, values: readonly unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_whole, number: string) => {
    const value = values[Number(number) - 1]
    if (value === null || typeof value === 'number') return String(value)
    if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
    const text = Array.isArray(value)
      ? `{${value.map((part) => JSON.stringify(part)).join(',')}}`
      : value instanceof Date
        ? value.toISOString()
        : String(value)
    return `'${text.replaceAll("'", "''")}'`
  })

/** Returns how many statements in the database wait for the lock of another transaction. */
export const countBlocked = async (db: Pick<Database, 'query'>): Promise<number> => {
  const waiting = await db.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length
}
