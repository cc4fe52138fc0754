// One operation of a websocket, from its subscribe message until its resources are freed.
import type { ExecutionResult, GraphQLError } from 'graphql'

type Errors = readonly GraphQLError[]
type Results = ExecutionResult | AsyncIterable<ExecutionResult>

/** Starts a prepared operation: one result, or a stream of them. */
export type Start = () => Promise<Results>

/** An operation that can start, or the reason why it cannot. */
export type Preparation = Start | Errors

/**
 * Sends messages about one operation to a client. Each method resolves when the connection has accepted the message.
 */
export type Replies = {
  next(result: ExecutionResult): Promise<void>
  complete(): Promise<void>
  /** Ends the operation for the client, like `complete`. */
  error(errors: Errors): Promise<void>
  /** Ends the operation with an error that was thrown. */
  failure(error: unknown): Promise<void>
}

export class Operation {
  readonly #over = new AbortController()
  #results: AsyncIterator<ExecutionResult> | null = null

  /** Aborts when the operation is over: it is answered, the client completed it, or the connection is closed. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Ends the operation in any state. The client receives no further message about it. */
  end(): void {
    this.#over.abort()
    const results = this.#results
    this.#results = null
    void results?.return?.().catch(() => undefined)
  }

  /**
   * Runs the operation until it is over. Calls `onStarted` once, when its first result is available or it failed. Takes
   * the preparation and not the function that makes it, because a stream would keep the subscribe message in memory.
   */
  async run(preparation: Promise<Preparation>, replies: Replies, onStarted: () => void): Promise<void> {
    try {
      const started = await this.#start(preparation).finally(onStarted)
      if (isStream(started)) await this.#deliver(started[Symbol.asyncIterator](), replies)
      else if (isErrors(started)) return await this.#tell(() => replies.error(started))
      else await this.#tell(() => replies.next(started))
      await this.#tell(() => replies.complete())
    } catch (error) {
      await this.#tell(() => replies.failure(error))
    } finally {
      this.end()
    }
  }

  async #start(preparation: Promise<Preparation>): Promise<Results | Errors> {
    const prepared = await preparation
    if (typeof prepared !== 'function') return prepared
    return this.signal.aborted ? [] : await prepared()
  }

  /** Stores the results as soon as they exist, because the client may have left while they were prepared. */
  async #deliver(results: AsyncIterator<ExecutionResult>, replies: Replies): Promise<void> {
    this.#results = results
    while (!this.signal.aborted) {
      const result = await results.next()
      if (result.done) return
      await this.#tell(() => replies.next(result.value))
    }
  }

  async #tell(reply: () => Promise<void>): Promise<void> {
    if (!this.signal.aborted) await reply()
  }
}

const isStream = (started: Results | Errors): started is AsyncIterable<ExecutionResult> =>
  Symbol.asyncIterator in started

const isErrors = (started: Results | Errors): started is Errors => Array.isArray(started)
