// Calls that arrive together share one statement. Where several statements may be under way, the calls are divided
// evenly. A statement with all calls would leave this process idle while the database works, and the database idle
// while this process works; a statement with few calls costs almost as much as a statement with all.

export type Batcher<Item, Result> = (item: Item) => Promise<Result>

/** The part of its even share that a statement needs to be sent next to another statement. */
const WORTH_LEAVING = 0.6
/** With fewer calls it is sent after this many milliseconds, because the other statement may be stuck. */
const PATIENCE = 5

/**
 * `flush` answers in the order of its items. When a batch fails, each item is tried alone, so that one bad item costs
 * the other items only time. When `isHopeless` returns true, no item caused the error, and none is tried alone.
 */
export function createBatcher<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  options: { maxSize: number; concurrency: number; isHopeless: (error: unknown) => boolean },
): Batcher<Item, Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let running = 0
  let underWay = 0
  let scheduled = false
  let isTimed = false

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

  function pump(patient = true): void {
    scheduled = false
    while (waiting.length > 0 && running < options.concurrency) {
      const share = (waiting.length + underWay) / options.concurrency
      if (patient && running > 0 && waiting.length < share * WORTH_LEAVING) {
        waitForMore()
        return
      }
      const batch = waiting.splice(0, Math.min(Math.ceil(share), options.maxSize))
      running += 1
      underWay += batch.length
      void run(batch).finally(() => {
        running -= 1
        underWay -= batch.length
        schedule()
      })
    }
  }

  function waitForMore(): void {
    if (isTimed) return
    isTimed = true
    setTimeout(() => {
      isTimed = false
      pump(false)
    }, PATIENCE)
  }

  // One turn of the event loop collects the requests that were read from their sockets together.
  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= options.concurrency) return
    scheduled = true
    setImmediate(pump, true)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
