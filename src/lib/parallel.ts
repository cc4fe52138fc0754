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
