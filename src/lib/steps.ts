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

/** Makes work wait for its turn, in order: at most `size` of it is done in one turn of the event loop. */
export function doneInSteps<Given extends readonly unknown[]>(
  size: number,
  work: (...given: Given) => void,
): (...given: Given) => void {
  const waiting: Given[] = []
  const step = (): void => {
    // Decided before the work, which may add to what waits.
    if (waiting.length > size) setImmediate(step)
    for (const given of waiting.splice(0, size)) work(...given)
  }
  return (...given) => {
    waiting.push(given)
    if (waiting.length === 1) setImmediate(step)
  }
}
