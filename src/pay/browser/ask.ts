// Asks the service's GraphQL endpoint over HTTP.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'

/** A request without a result. `code` is that of docs/errors.md, or `no_answer`. */
export class AskError extends Error {
  readonly code: string
  /** Until a repeat can succeed; null when the service names no time. */
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export type Refusal = {
  readonly message: string
  readonly extensions?: { readonly code?: string; readonly retryAfter?: number }
}

type Answer<Result> = {
  readonly data?: Result | null
  readonly errors?: readonly Refusal[]
}

/** Whether every root field has a value: the service gives an error for each that has none. */
export type Found<Result> = { readonly [Field in keyof Result]: NonNullable<Result[Field]> }

/** Longer than the longest answer: an activation waits 15 seconds for the chain. */
const ANSWER_WITHIN_MS = 25_000

/** Throws AskError: `no_answer` when the network, or a proxy in between, gives something else than an answer of the service. */
export async function ask<Result, Variables>(
  api: string,
  document: DocumentTypeDecoration<Result, Variables>,
  variables: Variables,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Found<Result>> {
  const answer: Answer<Found<Result>> = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
    body: JSON.stringify({ query: String(document), variables }),
    signal: AbortSignal.timeout(withinMs),
  }).then(
    (response) => response.json().catch(() => ({})),
    () => ({}),
  )
  if (answer.errors?.[0] !== undefined) throw refused(answer.errors[0])
  if (!answer.data) throw new AskError('no_answer', 'no answer')
  return answer.data
}

export const refused = ({ message, extensions }: Refusal): AskError =>
  new AskError(extensions?.code ?? 'internal_error', message, extensions?.retryAfter ?? null)

// Requests whose answer may be lost. An answer that is not there says nothing: what was asked for may have happened.

const AGAIN_MS = 2_000

/** Whether it is unknown what became of a request. */
export const isUnanswered = (error: unknown): error is AskError =>
  error instanceof AskError && (error.code === 'no_answer' || error.code === 'internal_error')

/** The codes of refusals after which a repeat can succeed. */
const PASSING: ReadonlySet<string> = new Set(['chain_unavailable', 'rate_limited'])

type Options = {
  readonly onUnknown?: () => void
  /** Whether it is still to be repeated. */
  readonly goesOn?: () => boolean
}

/** Sends a request again until it is answered. Only for requests that a repeat does not harm. */
export async function untilAnswered<T>(
  request: () => Promise<T>,
  { onUnknown = () => {}, goesOn = () => true }: Options = {},
): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!isUnanswered(error) && !(error instanceof AskError && PASSING.has(error.code))) throw error
      if (!goesOn()) throw error
      onUnknown()
      await sleep(Math.max(AGAIN_MS, 1_000 * (error.retryAfterSeconds ?? 0)))
    }
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
