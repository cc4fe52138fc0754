/**
 * Returns the milliseconds from `at` to `now`; infinitely many when `at` is in the future: the clock was set back since, and
 * what waits for a time to pass must not wait for the clock as well.
 */
export const msSince = (at: number, now: number): number => (at > now ? Number.POSITIVE_INFINITY : now - at)
