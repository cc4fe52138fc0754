// Delegations, as the engine reads the chain for them.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { VersionConflict } from '#adapters/prisma/transfers/records.ts'
import type { DelegationStore } from '#ports/billing.ts'
import { type SliceJson, sliceFromJson, slicesWhere } from './slices.ts'
import { DELEGATIONS } from './tables.ts'

export function createDelegationStore(db: Database): DelegationStore {
  return {
    async stale(network, before, limit) {
      return (await db.query(STALE, [network, before, limit])).map(DELEGATIONS.fromRow)
    },

    async slices(delegationId) {
      const [row] = await db.query<{ slices: readonly SliceJson[] }>(SLICES, [delegationId])
      return (row?.slices ?? []).map(sliceFromJson)
    },

    async save(delegation, version) {
      try {
        await db.prisma.$transaction((tx) => DELEGATIONS.update(tx, { ...delegation, version: version + 1 }, version))
        return true
      } catch (error) {
        if (error instanceof VersionConflict) return false
        throw error
      }
    },
  }
}

const STALE = `
SELECT ${DELEGATIONS.columns} FROM delegations
WHERE network = $1::network_name AND status IN ('active', 'exhausted') AND chain_checked_at <= $2
ORDER BY chain_checked_at LIMIT $3::int`

const SLICES = `SELECT ${slicesWhere('slice.delegation_id = $1::uuid')} AS slices`
