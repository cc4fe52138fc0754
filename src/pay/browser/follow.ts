// Follows what a page shows: live over a websocket, and by questions over HTTP while there is none.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { createClient } from 'graphql-ws'
import { AskError, ask, type Found, type Refusal, refused } from '#pay/browser/ask.ts'

export type Source<Read, Change, Variables> = {
  readonly api: string
  /** The state. */
  readonly read: DocumentTypeDecoration<Read, Variables>
  /** The same, live; null where the service has no such subscription. */
  readonly changes: DocumentTypeDecoration<Change, Variables> | null
  readonly variables: Variables
  /** How often the state is read while nothing is live. */
  readonly everyMs: () => number
}

export type Listener<Shown> = {
  readonly onNext: (shown: Shown) => void
  /** Whether the service answers. */
  readonly onConnection: (answers: boolean) => void
}

/** How often an open connection is pinged. */
const PING_EVERY_MS = 10_000
/** How long the service may take to open a connection, to answer a ping, and to answer a read. */
const ANSWER_WITHIN_MS = 10_000
/** The longest wait between two attempts to open a connection. */
const AGAIN_MS = 5_000

/** What shows that the network may have changed. */
const SIGNS = ['online', 'offline', 'pageshow', 'visibilitychange']

export class Following<Read, Change extends Read, Variables extends Record<string, unknown>> {
  readonly #source: Source<Read, Change, Variables>
  readonly #listener: Listener<Found<Read> | Found<Change>>
  readonly #beforeRead = new Rest()
  readonly #beforeOpening = new Rest()
  #isOver = false
  /** Whether the open connection has given the state. */
  #isLive = false
  /** Counts the states that were heard, so that a slow answer replaces no later one. */
  #heard = 0
  /** How long the service wants to be left alone, in ms. */
  #pause = 0
  #close = (): void => {}

  constructor(source: Source<Read, Change, Variables>, listener: Listener<Found<Read> | Found<Change>>) {
    this.#source = source
    this.#listener = listener
    // A change of the visibility bubbles to the window.
    for (const sign of SIGNS) addEventListener(sign, this.#notice)
    void this.#keepReading()
    void this.#keepOpen()
  }

  /** A page is also shown when it is loaded, with the state of that moment. */
  readonly #notice = (event: Event): void => {
    if (!(event instanceof PageTransitionEvent) || event.persisted) this.wake()
  }

  /** Reads the state at once, and opens a connection at once where there is none. */
  readonly wake = (): void => {
    this.#beforeRead.end()
    this.#beforeOpening.end()
  }

  end(): void {
    this.#isOver = true
    for (const sign of SIGNS) removeEventListener(sign, this.#notice)
    this.wake()
    this.#close()
  }

  /** A read that hangs delays no other. */
  async #keepReading(): Promise<void> {
    while (!this.#isOver) {
      const isDue = await this.#beforeRead.wait(Math.max(this.#source.everyMs(), this.#pause))
      if (this.#isOver || (isDue && (this.#isLive || document.hidden))) continue
      void this.#read()
    }
  }

  async #read(): Promise<void> {
    const { api, read, variables } = this.#source
    const before = this.#heard
    try {
      const shown = await ask(api, read, variables, ANSWER_WITHIN_MS)
      if (this.#heard === before) this.#hear(shown)
    } catch (error) {
      if (this.#heard === before) this.#fail(error)
    }
  }

  #hear(shown: Found<Read> | Found<Change>): void {
    if (this.#isOver) return
    this.#heard += 1
    this.#pause = 0
    this.#listener.onConnection(true)
    this.#listener.onNext(shown)
  }

  /** A service that answers no read is gone for the open connection, too. */
  #fail(error: unknown): void {
    if (this.#isOver || !(error instanceof AskError)) return
    this.#pause = 1_000 * (error.retryAfterSeconds ?? 0)
    if (error.code !== 'no_answer') return
    this.#listener.onConnection(false)
    this.#close()
  }

  async #keepOpen(): Promise<void> {
    const { changes, variables } = this.#source
    if (changes === null) return
    while (!this.#isOver) {
      const wait = await this.#openOnce(changes)
      if (this.#isLive) this.#beforeRead.end()
      this.#isLive = false
      await this.#beforeOpening.wait(wait ?? againMsOf(variables))
    }
  }

  /** Resolves when the connection has ended, with the milliseconds that the service wants to be left alone. */
  #openOnce(changes: DocumentTypeDecoration<Change, Variables>): Promise<number | null> {
    const { api, variables } = this.#source
    return new Promise((resolve) => {
      let overdue: ReturnType<typeof setTimeout> | undefined
      const expectAnswer = (): void => {
        clearTimeout(overdue)
        overdue = setTimeout(() => client.terminate(), ANSWER_WITHIN_MS)
      }
      const answered = () => clearTimeout(overdue)
      const client = createClient({
        url: new URL(`${api}/graphql`, location.href).href.replace(/^http/, 'ws'),
        retryAttempts: 0,
        keepAlive: PING_EVERY_MS,
        on: {
          connecting: expectAnswer,
          connected: answered,
          ping: (isReceived) => isReceived || expectAnswer(),
          // Only a pong answers a ping, and lets the next one be sent: a change may have been on its way before the connection broke.
          pong: answered,
          // This client opens no other connection.
          closed: () => void Promise.resolve(client.dispose()).catch(() => {}),
        },
      })
      this.#close = () => client.terminate()
      const over = (failure?: unknown): void => {
        answered()
        this.#close = () => {}
        const [refusal]: readonly Refusal[] = Array.isArray(failure) ? failure : []
        const seconds = refusal === undefined ? null : refused(refusal).retryAfterSeconds
        resolve(seconds === null ? null : 1_000 * seconds)
      }
      const stop = client.subscribe<Found<Change>>(
        { query: String(changes), variables },
        {
          next: ({ data, errors }) => {
            if (!data) {
              over(errors)
              return stop()
            }
            this.#isLive = true
            this.#hear(data)
          },
          error: over,
          complete: over,
        },
      )
    })
  }
}

/**
 * Returns the wait between two attempts of a page, from 2.5 to 5 s. The pages of different payments lose a service at the same moment,
 * and return at different ones.
 */
function againMsOf(variables: object): number {
  const chars = Array.from(JSON.stringify(variables))
  return AGAIN_MS - chars.reduce((sum, char) => (31 * sum + char.charCodeAt(0)) % (AGAIN_MS / 2), 0)
}

/** A wait that can be ended before its time. */
class Rest {
  end = (): void => {}

  /** Returns whether the time has passed, and nothing has ended the wait. */
  async wait(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const isDue = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), ms)
      this.end = () => resolve(false)
    })
    clearTimeout(timer)
    return isDue
  }
}
