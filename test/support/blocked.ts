import type { Database } from '#adapters/prisma/engine/database.ts'

/** Returns how many statements in the database wait for the lock of another transaction. */
export const countBlocked = async (db: Pick<Database, 'query'>): Promise<number> => {
  const waiting = await db.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return waiting.length
}
