// Bounds the time of one round: work that anyone can cause must not delay the detection of other payments.

import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'

/** Returns whether less than `ms` milliseconds have passed since this call. A clock that was set back ends the time. */
export function startTimeLimit(clock: Clock, ms: number): () => boolean {
  const startedAt = clock.now().getTime()
  return () => msSince(startedAt, clock.now().getTime()) < ms
}
