// Removes what expired and is of no use any more: challenges that no wallet answered in time, challenges of recoveries, old links to
// the portal, and approves that never landed. A challenge that was used for charges is the record of a consent, and is kept.
import type { Clock } from '#ports/clock.ts'

const BATCH = 1_000
const MAX_BATCHES = 20

/** An expired link says so for 30 days, and so does an approve that is dead. After that nothing is known of them. */
export const KEEP_ENDED_MS = 30 * 86_400_000

/** Deletes at most `limit` rows that expired before a time. Returns how many there were. */
type RemoveExpired = (before: Date, limit: number) => Promise<number>

/** Removes in small statements, at most 20 in a call. Returns whether more may be left. */
export const createExpiredRemover =
  (removeExpired: RemoveExpired, { clock, keepMs = 0 }: { readonly clock: Clock; readonly keepMs?: number }) =>
  async (): Promise<{ readonly again: boolean }> => {
    const before = new Date(clock.now().getTime() - keepMs)
    for (let batch = 0; batch < MAX_BATCHES; batch += 1)
      if ((await removeExpired(before, BATCH)) < BATCH) return { again: false }
    return { again: true }
  }
