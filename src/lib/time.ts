/** Rejects with an Error that says `late` when `work` takes longer than `ms`. The work itself is not stopped. */
export async function within<T>(ms: number, late: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(late)), ms)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the answers in the order asked, undefined for each that is not there when `isEnough` holds or `ms` have passed.
 * Rejects when one of them rejects before.
 */
export async function answersWithin<T>(
  ms: number,
  asked: readonly Promise<T>[],
  isEnough: (answers: readonly (T | undefined)[]) => boolean = () => false,
): Promise<readonly (T | undefined)[]> {
  const answers: (T | undefined)[] = asked.map(() => undefined)
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const arrivals = asked.map(async (answer, at) => {
    answers[at] = await answer
    if (isEnough(answers)) resolve()
  })
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([enough, Promise.all(arrivals)])
    return [...answers]
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the milliseconds from `at` to `now`; infinitely many when `at` is in the future: the clock was set back since, and
 * what waits for a time to pass must not wait for the clock as well.
 */
export const msSince = (at: number, now: number): number => (at > now ? Number.POSITIVE_INFINITY : now - at)

/**
 * Returns a function that answers whether less than `ms` milliseconds have passed since this call. It bounds a round of work that
 * anyone can cause, which must not delay other work. A clock that was set back ends the time.
 */
export function startTimeLimit(clock: { now(): Date }, ms: number): () => boolean {
  const startedAt = clock.now().getTime()
  return () => msSince(startedAt, clock.now().getTime()) < ms
}
