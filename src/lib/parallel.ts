// Runs work in parallel, with a limit.

/**
 * Runs `work` over every item, at most `limit` at the same time. A failure does not stop the work on other items;
 * the first failure is thrown after all items are done.
 */
export async function forEachParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  const failures: unknown[] = []
  const runner = async () => {
    for (const item of queue) await work(item).catch((error: unknown) => failures.push(error))
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runner))
  if (failures.length > 0) throw failures[0]
}

/**
 * Returns what `work` gives for each item, in the order of the items, at most `limit` at the same time. The first failure
 * is thrown immediately, and no further item is started.
 */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length)
  const queue = items.entries()
  let failed = false
  const runner = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failed) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runner))
  return results
}

// Runs work a few at a time. Further work waits for its turn.

export type Slots = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Returns a function that runs at most `most` pieces of work at once, in the order in which they come. */
export function createSlots(most: number): Slots {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      // The slot goes to the next one, so `running` stays the same.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

// Runs work on one thing one after the other, within this process: the second caller finds the result of the first.

export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    // The caller of the turn before gets its result; here only its end counts.
    const before = last.get(key)?.catch(() => {})
    const turn = before === undefined ? work() : before.then(work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
