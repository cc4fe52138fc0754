// What the monitor knows from the rows of the database. When the database forgets rows, the monitor forgets the same.
export type Memory = {
  /** Returns a map that forgets with the database. Its values are plain data. */
  map<K, V>(): Map<K, V>
  set<T>(): Set<T>
  /** Keeps what is known at this moment. Returns a function that brings it back. */
  keep(): () => void
}

export function createMemory(): Memory {
  const keepers: (() => () => void)[] = []
  return {
    map<K, V>() {
      const map = new Map<K, V>()
      keepers.push(() => {
        const kept = structuredClone(map)
        return () => {
          map.clear()
          for (const [key, value] of kept) map.set(key, value)
        }
      })
      return map
    },
    set<T>() {
      const set = new Set<T>()
      keepers.push(() => {
        const kept = structuredClone(set)
        return () => {
          set.clear()
          for (const value of kept) set.add(value)
        }
      })
      return set
    },
    keep() {
      const undo = keepers.map((keeper) => keeper())
      return () => {
        for (const one of undo) one()
      }
    },
  }
}
