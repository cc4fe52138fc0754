// A map that holds at most `limit` entries and forgets the one that was used longest ago.

export type Lru<K, V> = {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
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
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size
    },
  }
}

// A map with a budget of bytes, which drops the entries that were used longest ago.

export type ByteLru<Value> = {
  get(key: string): Value | undefined
  /** Keeps nothing that is larger than the whole budget. */
  set(key: string, value: Value, bytes: number): void
  /** The bytes of all entries together. */
  readonly bytes: number
}

export function createByteLru<Value>(budget: number): ByteLru<Value> {
  type Entry = { readonly value: Value; readonly bytes: number }
  const entries = new Map<string, Entry>()
  let used = 0
  const drop = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    if (entry !== undefined && entries.delete(key)) used -= entry.bytes
    return entry
  }
  const add = (key: string, entry: Entry): void => {
    entries.set(key, entry)
    used += entry.bytes
  }
  return {
    get(key) {
      const entry = drop(key)
      // A Map keeps the order of insertion, so the entry that was just used goes to the end.
      if (entry !== undefined) add(key, entry)
      return entry?.value
    },
    set(key, value, bytes) {
      drop(key)
      if (bytes > budget) return
      add(key, { value, bytes })
      for (const oldest of entries.keys()) {
        if (used <= budget) break
        drop(oldest)
      }
    },
    get bytes() {
      return used
    },
  }
}
