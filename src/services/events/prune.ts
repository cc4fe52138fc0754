// Deletes old deliveries and events.
import { RETENTION_MS } from '#core/events/delivery.ts'
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore } from '#ports/events.ts'

const BATCH = 1_000
const MAX_BATCHES = 20

type Store = Pick<DeliveryLogStore, 'prune' | 'pruneEvents'>

/** Deletes in small statements, at most 20 in a call. Returns how many rows, and whether more may be left. */
export function createPruner({ store, clock }: { store: Store; clock: Clock }) {
  /** Where the next batch begins in the event log: earlier events have a delivery that is still kept. */
  let after = 0n

  async function pruneBatch(before: Date): Promise<{ deleted: number; again: boolean }> {
    const deliveries = await store.prune({ before, limit: BATCH })
    if (deliveries === BATCH) return { deleted: deliveries, again: true }
    const { deleted, next } = await store.pruneEvents({ before, after, limit: BATCH })
    after = next ?? 0n
    return { deleted: deliveries + deleted, again: next !== null }
  }

  return {
    async runOnce(): Promise<{ pruned: number; again: boolean }> {
      const before = new Date(clock.now().getTime() - RETENTION_MS)
      let pruned = 0
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const { deleted, again } = await pruneBatch(before)
        pruned += deleted
        if (!again) return { pruned, again }
      }
      return { pruned, again: true }
    },
  }
}
