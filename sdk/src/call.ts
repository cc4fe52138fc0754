// Sends requests: with the credential, within a time, and again where a repeat is safe.
import { refusalIn, SolanaPaymentsError } from './errors.ts'
import { parseExact } from './exact-json.ts'
import { API_VERSION } from './generated/api.ts'
import { List } from './list.ts'
import type { ClientOptions, CreateOptions, RequestOptions, SellerOptions } from './options.ts'
import { pause } from './pause.ts'

const FIRST_WAIT_MS = 500
const LONGEST_BACKOFF_MS = 8_000
/** A call that has to wait longer fails at once, with `retryAfter`. */
const LONGEST_WAIT_MS = 60_000

type AnyOptions = CreateOptions & SellerOptions
type Params = object | undefined
type Sent = { readonly method: string; readonly path: string; readonly body: BodyInit | null; readonly accept: string }

export class Call {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly WebSocket: typeof globalThis.WebSocket | null
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retries: number

  constructor(options: ClientOptions) {
    this.baseUrl = (options.baseUrl ?? 'http://127.0.0.1:4000').replace(/\/+$/, '')
    this.apiKey = options.apiKey
    this.WebSocket = options.WebSocket === undefined ? (globalThis.WebSocket ?? null) : options.WebSocket
    // A browser calls fetch only as a function of its window.
    this.#fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
    this.#timeoutMs = options.timeoutMs ?? 60_000
    this.#retries = options.retries ?? 4
  }

  /** Resolves with the answer. `takesKey`: the endpoint takes the header `Idempotency-Key`. */
  async json<T>(method: string, path: string, params: Params, options: AnyOptions = {}, takesKey = false): Promise<T> {
    const key = takesKey ? { idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() } : {}
    const sent = { ...requestOf(method, path, params), accept: 'application/json' }
    return await this.#repeating(sent, { ...options, ...key }, async (response) => parseExact(await response.text()))
  }

  list<T, P>(path: string, params: Params, options: AnyOptions | undefined, field: string, cursor: string): List<T, P> {
    const start: unknown = Object(params)[cursor]
    return new List((after) => this.json('GET', path, { ...params, [cursor]: after }, options), {
      field,
      start: typeof start === 'string' ? start : undefined,
    })
  }

  /** Resolves when the answer begins. Its text is read without a time limit. */
  async stream(path: string, params: Params, options: AnyOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return await this.#repeating({ ...requestOf('GET', path, params), accept: 'text/csv' }, options, streamOf)
  }

  /** Resolves with the `data` of a GraphQL operation. Throws when a field of it was refused. */
  async graphql<T>(query: string, variables: object, options: RequestOptions = {}): Promise<T> {
    const sent = {
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query, variables }),
      accept: 'application/json',
    }
    return await this.#repeating(sent, options, async (response) => dataOf(await response.json(), response))
  }

  /** Resolves with the server-sent events of a GraphQL subscription. */
  async subscription(query: string, variables: object, options: RequestOptions): Promise<ReadableStream<Uint8Array>> {
    const sent = {
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query, variables }),
      accept: 'text/event-stream',
    }
    return await this.#repeating(sent, options, streamOf)
  }

  async #repeating<T>(sent: Sent, options: AnyOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const retries = options.retries ?? this.#retries
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(sent, options, read)
      } catch (error) {
        options.signal?.throwIfAborted()
        if (!(error instanceof SolanaPaymentsError) || attempt >= retries || !isSafeToRepeat(error, sent, options))
          throw error
        const waitMs = error.retryAfter === null ? backoffMs(attempt) : error.retryAfter * 1_000
        if (waitMs > LONGEST_WAIT_MS) throw error
        await pause(waitMs, options.signal)
      }
    }
  }

  async #once<T>(sent: Sent, options: AnyOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const { method, path, body } = sent
    const { signal, timeoutMs = this.#timeoutMs } = options
    signal?.throwIfAborted()
    const ended = new AbortController()
    const end = (): void => ended.abort(signal?.reason)
    signal?.addEventListener('abort', end)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      end()
    }, timeoutMs)
    let isStream = false
    try {
      const init = { method, headers: this.#headers(sent, options), body, signal: ended.signal }
      const response = await this.#fetch(this.baseUrl + path, init)
      if (!response.ok) throw refusalIn(response, await response.text())
      isStream = read === streamOf
      return await read(response)
    } catch (error) {
      throw error instanceof SolanaPaymentsError ? error : noAnswer(error, isLate, this.baseUrl)
    } finally {
      clearTimeout(timer)
      // A stream is read later, and ends with the signal.
      if (!isStream) signal?.removeEventListener('abort', end)
    }
  }

  #headers({ accept, body }: Sent, { idempotencyKey, onBehalfOf }: AnyOptions): Record<string, string> {
    return {
      accept,
      'api-version': API_VERSION,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      ...(this.apiKey !== undefined && { authorization: `Bearer ${this.apiKey}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(onBehalfOf !== undefined && { 'x-platform-on-behalf-of': onBehalfOf }),
    }
  }
}

function requestOf(method: string, path: string, params: Params): Omit<Sent, 'accept'> {
  if (params instanceof Blob) return { method, path, body: params }
  if (method !== 'GET') return { method, path, body: method === 'DELETE' ? null : JSON.stringify(params ?? {}) }
  const query = new URLSearchParams(Object.entries(params ?? {}).flatMap(([name, value]) => queryOf(name, value)))
  return { method, path: query.size === 0 ? path : `${path}?${query}`, body: null }
}

function queryOf(name: string, value: unknown): string[][] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return [[name, value.join(',')]]
  if (typeof value === 'object') return Object.entries(value).map(([key, one]) => [`${name}[${key}]`, String(one)])
  return [[name, String(value)]]
}

/**
 * A refused request has done nothing, so that 429 is always repeated. Without an answer the request may have been carried out: only a
 * read, or a request with an idempotency key, is repeated then.
 */
function isSafeToRepeat(
  { status, code, retryAfter }: SolanaPaymentsError,
  { method }: Sent,
  { idempotencyKey }: AnyOptions,
) {
  if (status === 429) return true
  if (method !== 'GET' && idempotencyKey === undefined) return false
  // The service says with Retry-After that a repeat can help. A proxy says nothing.
  const isTemporary = status === 502 || status === 503 || status === 504
  return status === 0 || (isTemporary && (retryAfter !== null || code === 'unreadable_answer'))
}

const backoffMs = (attempt: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2)

const noAnswer = (cause: unknown, isLate: boolean, baseUrl: string): SolanaPaymentsError =>
  new SolanaPaymentsError(isLate ? `${baseUrl} did not answer in time` : `no answer of the service at ${baseUrl}`, {
    code: isLate ? 'timed_out' : cause instanceof SyntaxError ? 'unreadable_answer' : 'connection_failed',
    cause,
  })

const streamOf = ({ body }: Response): Promise<ReadableStream<Uint8Array>> =>
  Promise.resolve(body ?? new ReadableStream({ start: (controller) => controller.close() }))

type Answer<T> = { readonly data?: T | null; readonly errors?: readonly GraphqlError[] }
type GraphqlError = {
  readonly message: string
  readonly extensions?: { readonly code?: string; readonly retryAfter?: number }
}

function dataOf<T>({ data, errors: [error] = [] }: Answer<T>, { headers, status }: Response): T {
  if (error === undefined && data !== undefined && data !== null) return data
  const { message = 'the answer has no data', extensions: { code = 'unreadable_answer', retryAfter = null } = {} } =
    error ?? {}
  throw new SolanaPaymentsError(message, { status, code, retryAfter, requestId: headers.get('x-request-id') })
}
