// Rows that change by an operator's hand, kept for a few seconds. A write on this instance clears it at once, a write
// on another by its notice; the age is for a notice that was lost.
import type { Clock } from '#lib/cached.ts'

const MAX_AGE_MS = 5_000
const MAX_ENTRIES = 10_000

export type Cache<Key, Value> = {
  /** The kept value, else what `load` gives; concurrent callers share one load. Failures are not kept. */
  get(key: Key): Promise<Value>
  clear(): void
}

export function createCache<Key, Value>(clock: Clock, load: (key: Key) => Promise<Value>): Cache<Key, Value> {
  type Entry = { readonly value: Promise<Value>; readonly loadedAt: number }
  const entries = new Map<Key, Entry>()

  const isFresh = ({ loadedAt }: Entry): boolean => Math.abs(clock.now().getTime() - loadedAt) < MAX_AGE_MS

  return {
    get(key) {
      const kept = entries.get(key)
      if (kept !== undefined && isFresh(kept)) return kept.value
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
