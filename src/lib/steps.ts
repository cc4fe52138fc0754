// Work in steps: between two of them the process answers others.

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Maps a long list, at most `size` items in one turn of the event loop. */
export async function mapInSteps<Item, Result>(
  items: readonly Item[],
  size: number,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    if (results.length > 0 && results.length % size === 0) await nextTurn()
    results.push(map(item))
  }
  return results
}
