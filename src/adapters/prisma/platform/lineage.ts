// The timeline of the database, and its standbys.
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import type { DatabaseLineage } from '#ports/platform.ts'

/** The name of a file of the write-ahead log begins with the timeline. */
const TIMELINE = 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline'

/** For a role without pg_monitor, everything but the name is null. */
const STANDBYS = `SELECT coalesce(application_name, '') AS name, sync_state AS state FROM pg_stat_replication`

const SYNCHRONOUS: ReadonlySet<string> = new Set(['sync', 'quorum'])

export const createDatabaseLineage = (db: Pick<Database, 'query'>): DatabaseLineage => ({
  async timeline() {
    try {
      const [row] = await db.query<{ timeline: string }>(TIMELINE)
      return row?.timeline ?? ''
    } catch (error) {
      // A database whose storage is shared by its servers has no log of its own, and loses no row.
      if (isDatabaseUnavailable(error)) throw error
      return ''
    }
  },

  async standbys() {
    const rows = await db.query<{ name: string; state: string | null }>(STANDBYS)
    return rows.map(({ name, state }) => ({ name, isSynchronous: state === null ? null : SYNCHRONOUS.has(state) }))
  },
})
