// Caches answers for some time. The default age is for rows that only an operator changes: a write on this instance clears
// the cache immediately, a write on another instance clears it by a notice, and the age bounds the effect of a lost notice.
import { msSince } from './time.ts'

/** Returns a function that makes the value at its first call, and again after a failure. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}

export type Clock = { now(): Date }

const DEFAULT_MAX_AGE_MS = 5_000
const MAX_ENTRIES = 10_000

export type Cache<Key, Value> = {
  /**
   * Returns the cached value unless it is older than `maxAgeMs`, or loads it. Concurrent callers share one load. Failures are
   * not cached.
   */
  get(key: Key, maxAgeMs?: number): Promise<Value>
  clear(): void
}

export function createCache<Key, Value>(
  clock: Clock,
  load: (key: Key) => Promise<Value>,
  usualMaxAgeMs = DEFAULT_MAX_AGE_MS,
): Cache<Key, Value> {
  type Entry = { readonly value: Promise<Value>; readonly loadedAt: number }
  const entries = new Map<Key, Entry>()

  const isFresh = ({ loadedAt }: Entry, maxAgeMs: number): boolean =>
    msSince(loadedAt, clock.now().getTime()) < maxAgeMs

  return {
    get(key, maxAgeMs = usualMaxAgeMs) {
      const kept = entries.get(key)
      if (kept !== undefined && isFresh(kept, maxAgeMs)) return kept.value
      if (entries.size >= MAX_ENTRIES) entries.clear()
      const entry = { value: load(key), loadedAt: clock.now().getTime() }
      entries.set(key, entry)
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key)
      })
      return entry.value
    },
    clear: () => entries.clear(),
  }
}
