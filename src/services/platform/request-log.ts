// Keeps the requests that came with the API keys of businesses. A request waits for nothing: it is written later, with others.
import type { ApiRequest } from '#core/accounts/api-request.ts'
import type { RequestLogStore } from '#ports/request-log.ts'

const EVERY_MS = 1_000
/** The most requests of a second. What comes above is not logged: a flood must not cost the database as much as the work. */
const MOST = 200
/** The most of one business, so that a flood of one hides nothing of the others. */
const MOST_OF_ACCOUNT = 20

/** Gathers requests, and writes them together, once a second at most. */
export class RequestLog {
  readonly #store: Pick<RequestLogStore, 'insert'>
  #waiting: ApiRequest[] = []
  readonly #waitingOfAccount = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(store: Pick<RequestLogStore, 'insert'>) {
    this.#store = store
  }

  add(request: ApiRequest): void {
    const ofAccount = this.#waitingOfAccount.get(request.accountId) ?? 0
    if (this.#waiting.length >= MOST || ofAccount >= MOST_OF_ACCOUNT) return
    this.#waitingOfAccount.set(request.accountId, ofAccount + 1)
    this.#waiting.push(request)
    this.#timer ??= setTimeout(() => this.#write(), EVERY_MS).unref()
  }

  /** Writes what waits, after the insert before it: until then, the bounds hold for all that waits. */
  #write(): void {
    // What the database cannot take now is not worth a second try.
    this.#writing = this.#writing.then(() => this.#insert()).catch(() => {})
  }

  async #insert(): Promise<void> {
    this.#timer = null
    const requests = this.#waiting
    this.#waiting = []
    this.#waitingOfAccount.clear()
    if (requests.length > 0) await this.#store.insert(requests)
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#write()
    await this.#writing
  }
}
