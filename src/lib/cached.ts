// Caches one answer for some time. Concurrent callers share one request.

export type Clock = { now(): Date }

/** Returns a function that calls `load` at most once in `ttlMs`. A failure is not cached. */
export function cached<T>(clock: Clock, ttlMs: number, load: () => Promise<T>): () => Promise<T> {
  let last: { readonly answer: Promise<T>; readonly at: number } | null = null
  return () => {
    const at = clock.now().getTime()
    const age = last === null ? -1 : at - last.at
    // A clock that was set back gives a negative age: the answer is loaded again.
    if (last !== null && age >= 0 && age < ttlMs) return last.answer
    const answer = load()
    const mine = { answer, at }
    last = mine
    answer.catch(() => {
      if (last === mine) last = null
    })
    return answer
  }
}
