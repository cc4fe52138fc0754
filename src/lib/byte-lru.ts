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
