// Elects the one instance that reads the chain of a network: ten instances would read the same for ten times the cost.
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { LeaseStore } from '#ports/platform.ts'

const LEASE_MS = 15_000
const RENEW_AFTER_MS = 5_000

export type Leader = {
  /** Returns whether this instance leads now; `took` when it has just taken over and has loaded nothing yet. */
  lead(): Promise<{ leads: boolean; took: boolean }>
  resign(): Promise<void>
}

export function createLeader(deps: {
  leases: LeaseStore
  name: string
  instanceId: string
  /** Real time. The lease itself uses the time of the database. */
  clock: Clock
}): Leader {
  let heldAt: number | null = null

  return {
    async lead() {
      const now = deps.clock.now().getTime()
      if (heldAt !== null && msSince(heldAt, now) < RENEW_AFTER_MS) return { leads: true, took: false }
      const took = heldAt === null || msSince(heldAt, now) > LEASE_MS
      const leads = await deps.leases.acquire(deps.name, deps.instanceId, LEASE_MS)
      heldAt = leads ? now : null
      return { leads, took: leads && took }
    },
    async resign() {
      heldAt = null
      await deps.leases.giveBack(deps.name, deps.instanceId)
    },
  }
}
