// Bounds the time of one round: work that anyone can cause must not delay the detection of other payments.
import type { Clock } from '#ports/clock.ts'

/** Returns whether less than `ms` milliseconds have passed since this call. A clock that was set back ends the time. */
export function startTimeLimit(clock: Clock, ms: number): () => boolean {
  const startedAt = clock.now().getTime()
  return () => {
    const elapsed = clock.now().getTime() - startedAt
    return elapsed >= 0 && elapsed < ms
  }
}
