// Forgets deliveries that nobody will ask for any more. The events themselves stay.
import type { Clock } from '#ports/clock.ts'
import type { DeliveryLogStore } from '#ports/webhooks.ts'

/** Finished deliveries are kept this long. CONTRACT: "Events and webhooks". */
export const DELIVERIES_KEPT_MS = 60 * 24 * 60 * 60 * 1_000

const BATCH = 1_000
const MAX_BATCHES = 20

/** Deletes in small statements, at most 20,000 deliveries a call; answers how many, and whether more may be left. */
export function createDeliveryPruner({ store, clock }: { store: Pick<DeliveryLogStore, 'prune'>; clock: Clock }) {
  return {
    async runOnce(): Promise<{ pruned: number; again: boolean }> {
      const before = new Date(clock.now().getTime() - DELIVERIES_KEPT_MS)
      let pruned = 0
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const deleted = await store.prune({ before, limit: BATCH })
        pruned += deleted
        if (deleted < BATCH) return { pruned, again: false }
      }
      return { pruned, again: true }
    },
  }
}
