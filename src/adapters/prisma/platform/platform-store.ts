import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Announcer, DatabaseLineage, LeaseStore, NetworkStore, SettingStore } from '#ports/platform.ts'

export function createAnnouncer(db: Pick<Database, 'query'>): Announcer {
  const tell = async (channel: string) => {
    await db.query(`SELECT pg_notify($1, '')::text`, [channel])
  }
  return {
    directoryChanged: () => tell(DIRECTORY_CHANGED),
    clockMoved: () => tell(CLOCK_MOVED),
  }
}

export function createLeaseStore(db: Pick<Database, 'query' | 'prisma'>): LeaseStore {
  return {
    async acquire(name, holder, forMs) {
      const rows = await db.query(
        `INSERT INTO leases (name, holder, until) VALUES ($1, $2::uuid, now() + $3 * interval '1 millisecond')
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE leases.holder = excluded.holder OR leases.until < now()
         RETURNING name`,
        [name, holder, forMs],
      )
      return rows.length === 1
    },
    async giveBack(name, holder) {
      await db.prisma.lease.deleteMany({ where: { name, holder } })
    },
  }
}

// The timeline of the database, and its standbys.

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

// The stored state of the service: the chain and the seed of each network, and its own settings.

export function createNetworkStore(prisma: PrismaClient): NetworkStore {
  return {
    async remember(name, identity) {
      await prisma.network.createMany({ data: [{ name, ...identity }], skipDuplicates: true })
      const { genesisHash, seedFingerprint } = await prisma.network.findUniqueOrThrow({ where: { name } })
      return { genesisHash, seedFingerprint }
    },
  }
}

export function createSettingStore(prisma: PrismaClient): SettingStore {
  return {
    read: async (key) => (await prisma.setting.findUnique({ where: { key } }))?.value ?? null,
    async write(key, value) {
      const json = JSON.parse(JSON.stringify(value))
      await prisma.setting.upsert({ where: { key }, create: { key, value: json }, update: { value: json } })
    },
  }
}
