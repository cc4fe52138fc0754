// Calls that arrive together share one statement, or one call to a provider. Where several statements may be under way, the calls
// are divided evenly. A statement with all calls would leave this process idle while the database works, and the database idle
// while this process works; a statement with few calls costs almost as much as a statement with all.

export type Batcher<Item, Result> = (item: Item) => Promise<Result>

/** The part of its even share that a statement needs to be sent next to another statement. */
const WORTH_LEAVING = 0.6
/** With fewer calls it is sent after this many milliseconds, because the other statement may be stuck. */
const MAX_WAIT_MS = 5

type Flush<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

type Options = {
  readonly maxSize: number
  readonly concurrency: number
  readonly isSharedFailure: (error: unknown) => boolean
}

/**
 * `flush` answers in the order of its items. When a batch fails, each item is tried alone, so that one bad item costs
 * the other items only time. When `isSharedFailure` returns true, no item caused the error, and none is tried alone.
 */
export function createBatcher<Item, Result>(flush: Flush<Item, Result>, options: Options): Batcher<Item, Result> {
  const queue = new Queue(flush, options)
  return (item) => queue.add(item)
}

type Waiting<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** The calls that wait, and the statements that run. */
class Queue<Item, Result> {
  readonly #flush: Flush<Item, Result>
  readonly #options: Options
  readonly #waiting: Waiting<Item, Result>[] = []
  #running = 0
  /** The calls of the statements that run. */
  #underWay = 0
  #isScheduled = false
  #isTimed = false

  constructor(flush: Flush<Item, Result>, options: Options) {
    this.#flush = flush
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#schedule()
    })
  }

  /** One turn of the event loop collects the requests that were read from their sockets together. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#running >= this.#options.concurrency) return
    this.#isScheduled = true
    setImmediate(() => this.#pump(true))
  }

  #pump(mayWait: boolean): void {
    const { concurrency, maxSize } = this.#options
    this.#isScheduled = false
    while (this.#waiting.length > 0 && this.#running < concurrency) {
      const share = (this.#waiting.length + this.#underWay) / concurrency
      if (mayWait && this.#running > 0 && this.#waiting.length < share * WORTH_LEAVING) {
        this.#waitForMore()
        return
      }
      this.#start(this.#waiting.splice(0, Math.min(Math.ceil(share), maxSize)))
    }
  }

  #waitForMore(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => {
      this.#isTimed = false
      this.#pump(false)
    }, MAX_WAIT_MS)
  }

  #start(batch: readonly Waiting<Item, Result>[]): void {
    this.#running += 1
    this.#underWay += batch.length
    void this.#run(batch).finally(() => {
      this.#running -= 1
      this.#underWay -= batch.length
      this.#schedule()
    })
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      settle(batch, await this.#flush(batch.map(({ item }) => item)))
    } catch (error) {
      if (batch.length > 1 && !this.#options.isSharedFailure(error)) for (const one of batch) await this.#run([one])
      else for (const { reject } of batch) reject(error)
    }
  }
}

function settle<Item, Result>(batch: readonly Waiting<Item, Result>[], results: readonly Result[]): void {
  for (const [at, { resolve, reject }] of batch.entries()) {
    const result = results[at]
    if (result === undefined) reject(new Error('the batch answered fewer items than it was given'))
    else resolve(result)
  }
}
