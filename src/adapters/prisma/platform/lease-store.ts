import type { Database } from '#adapters/prisma/engine/database.ts'
import type { LeaseStore } from '#ports/platform.ts'

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
