// Many things at once, but not too many.

/** Runs `work` over the items, at most `limit` at once; the first failure is thrown after the others have ended. */
export async function inParallel<Item>(
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
