import type { Database } from '#adapters/prisma/engine/engine.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { Announcer } from '#ports/platform.ts'

export function createAnnouncer(db: Pick<Database, 'query'>): Announcer {
  const tell = async (channel: string) => {
    await db.query(`SELECT pg_notify($1, '')::text`, [channel])
  }
  return {
    directoryChanged: () => tell(DIRECTORY_CHANGED),
    clockMoved: () => tell(CLOCK_MOVED),
  }
}
