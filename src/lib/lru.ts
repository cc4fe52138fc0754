// A map that holds at most `limit` entries and forgets the one that was used longest ago.

export type Lru<K, V> = {
  get(key: K): V | undefined
  set(key: K, value: V): void
  readonly size: number
}

export function createLru<K, V>(limit: number): Lru<K, V> {
  const entries = new Map<K, V>()
  return {
    get(key) {
      const value = entries.get(key)
      // A Map keeps the order of insertion, so the entry that was just used goes to the end.
      if (value !== undefined && entries.delete(key)) entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) break
        entries.delete(oldest)
      }
    },
    get size() {
      return entries.size
    },
  }
}
