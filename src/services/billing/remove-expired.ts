// Removes what expired and is of no use any more: challenges that no wallet answered in time, and old links to the portal. A
// signed challenge is the record of a consent, and is kept.
import type { Clock } from '#ports/clock.ts'

const BATCH = 1_000
const MAX_BATCHES = 20

/** An expired link says so for 30 days. After that nothing is known of it. */
export const KEEP_EXPIRED_LINKS_MS = 30 * 86_400_000

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
