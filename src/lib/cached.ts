// One answer shared by everyone who asks within a time, and one question while it is under way.

export type Clock = { now(): Date }

/** `load`, asked at most once in `ttlMs`. A failure is not kept. */
export function cached<T>(clock: Clock, ttlMs: number, load: () => Promise<T>): () => Promise<T> {
  let held: { readonly answer: Promise<T>; readonly at: number } | null = null
  return () => {
    const at = clock.now().getTime()
    const age = held === null ? -1 : at - held.at
    // A clock that was set back must not keep an old answer alive.
    if (held !== null && age >= 0 && age < ttlMs) return held.answer
    const answer = load()
    const mine = { answer, at }
    held = mine
    answer.catch(() => {
      if (held === mine) held = null
    })
    return answer
  }
}
