// Calls that arrive together share one statement. Nobody waits for a batch to fill: whatever came in while the last
// statement was under way goes out with the next.

export type Batcher<Item, Result> = (item: Item) => Promise<Result>

/**
 * `flush` answers in the order of its items. When a batch fails, each item is tried alone, so that one bad item costs
 * the others time and nothing else; unless `isHopeless` says that it was no item's fault, and all would fail one by one.
 */
export function createBatcher<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: { maxSize: number; concurrency: number; isHopeless: (error: unknown) => boolean },
): Batcher<Item, Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let running = 0
  let scheduled = false

  const settle = (batch: readonly Waiting[], results: readonly Result[]) => {
    for (const [at, { resolve, reject }] of batch.entries()) {
      const result = results[at]
      if (result === undefined) reject(new Error('the batch answered fewer items than it was given'))
      else resolve(result)
    }
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      settle(batch, await flush(batch.map(({ item }) => item)))
    } catch (error) {
      if (batch.length > 1 && !options.isHopeless(error)) for (const one of batch) await run([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  function pump(): void {
    scheduled = false
    while (waiting.length > 0 && running < options.concurrency) {
      const batch = waiting.slice(0, options.maxSize)
      waiting = waiting.slice(options.maxSize)
      running += 1
      void run(batch).finally(() => {
        running -= 1
        schedule()
      })
    }
  }

  // One turn of the event loop gathers the requests that were read from their sockets together.
  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= options.concurrency) return
    scheduled = true
    setImmediate(pump)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
