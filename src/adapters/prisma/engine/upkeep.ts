// What a PostgreSQL server does in background processes, which the embedded engine does not have.
import type { Database } from '#adapters/prisma/engine/engine.ts'

// The same limits as autovacuum's: 50 rows and a part of the table, which has -1 rows before its first statistics.
const WORN = 'n_dead_tup > 50 + 0.2 * greatest(reltuples, 0)'
const CHANGED = 'n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)'
/** Counts the changes until now: PostgreSQL adds them up once a second. */
const COUNT = 'SELECT pg_stat_force_next_flush()'
const DUE = `
SELECT quote_ident(stats.relname) AS name, ${WORN} AS is_worn
FROM pg_stat_user_tables stats JOIN pg_class ON pg_class.oid = stats.relid
WHERE ${WORN} OR ${CHANGED}
ORDER BY stats.relname`

/**
 * Reads the statistics of tables that have changed much, and frees the space of old versions of their rows. A plan that
 * was made while a table was almost empty reads the whole table: new statistics let the next statement be planned
 * again. Does nothing on a server. Other statements run between the tables.
 */
export async function keepUp(db: Pick<Database, 'kind' | 'query' | 'session'>): Promise<void> {
  if (db.kind !== 'embedded') return
  await db.query(COUNT)
  for (const { name, is_worn } of await db.query<{ name: string; is_worn: boolean }>(DUE)) {
    await db.session(({ script }) => script(is_worn ? `VACUUM (ANALYZE) ${name}` : `ANALYZE ${name}`))
  }
}
