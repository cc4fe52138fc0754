// Keeps the requests that came with the API keys of businesses. A request waits for nothing: it is written later, with others.
import type { ApiRequest } from '#core/accounts/api-request.ts'
import type { RequestLogStore } from '#ports/request-log.ts'

const EVERY_MS = 1_000
/** The most requests of a second. What comes above is not logged: a flood must not cost the database as much as the work. */
const MOST = 200

/** Gathers requests, and writes them together, once a second at most. */
export class RequestLog {
  readonly #store: Pick<RequestLogStore, 'insert'>
  #waiting: ApiRequest[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(store: Pick<RequestLogStore, 'insert'>) {
    this.#store = store
  }

  add(request: ApiRequest): void {
    if (this.#waiting.length >= MOST) return
    this.#waiting.push(request)
    this.#timer ??= setTimeout(() => this.#write(), EVERY_MS).unref()
  }

  #write(): void {
    this.#timer = null
    const requests = this.#waiting
    this.#waiting = []
    // What the database cannot take now is not worth a second try.
    if (requests.length > 0) this.#writing = this.#store.insert(requests).catch(() => {})
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#writing
    this.#write()
    await this.#writing
  }
}
