// Asks the service's GraphQL endpoint, over HTTP or live over a websocket.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { createClient } from 'graphql-ws'

/** A request that was refused. `code` is that of docs/errors.md, or `offline`. */
export class AskError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** `retryAfter`: seconds until a repeat can succeed. */
type Refusal = {
  readonly message: string
  readonly extensions?: { readonly code?: string; readonly retryAfter?: number }
}

type Answer<Result> = {
  readonly data?: Result | null
  readonly errors?: readonly Refusal[]
}

/** Whether every root field has a value: the service gives an error for each that has none. */
type Found<Result> = { readonly [Field in keyof Result]: NonNullable<Result[Field]> }

/** Throws AskError. */
export async function ask<Result, Variables>(
  api: string,
  document: DocumentTypeDecoration<Result, Variables>,
  variables: Variables,
): Promise<Found<Result>> {
  const answer: Answer<Found<Result>> = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
    body: JSON.stringify({ query: String(document), variables }),
  }).then(
    (response) => response.json(),
    () => {
      throw new AskError('offline', 'offline')
    },
  )
  const [error] = answer.errors ?? []
  if (error !== undefined) throw new AskError(error.extensions?.code ?? 'internal_error', error.message)
  if (!answer.data) throw new AskError('internal_error', 'no answer')
  return answer.data
}

type Follow<Result> = {
  readonly onNext: (result: Found<Result>) => void
  /** Whether the connection is open. */
  readonly onConnection: (isOpen: boolean) => void
}

/** The wait after a failure that names none. */
const AGAIN_SECONDS = 5

/**
 * Follows a subscription until the returned function is called. A lost connection is opened again, without end. A subscription
 * that fails is opened again after a wait, and then begins with the present state.
 */
export function follow<Result, Variables extends Record<string, unknown>>(
  api: string,
  document: DocumentTypeDecoration<Result, Variables>,
  variables: Variables,
  { onNext, onConnection }: Follow<Result>,
): () => void {
  const client = createClient({
    url: new URL(`${api}/graphql`, location.href).href.replace(/^http/, 'ws'),
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    keepAlive: 15_000,
    on: { connected: () => onConnection(true), closed: () => onConnection(false) },
  })
  let end = (): void => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const subscribe = (): void => {
    end = client.subscribe<Found<Result>>(
      { query: String(document), variables },
      { next: ({ data, errors }) => (data ? onNext(data) : openAgain(errors)), error: openAgain, complete: () => {} },
    )
  }
  const openAgain = (failure: unknown): void => {
    end()
    onConnection(false)
    clearTimeout(timer)
    timer = setTimeout(subscribe, 1_000 * waitAfter(failure))
  }
  subscribe()
  return () => {
    clearTimeout(timer)
    end()
    void client.dispose()
  }
}

/** Returns seconds. A failure is the errors of an answer, or what ended the connection. */
function waitAfter(failure: unknown): number {
  const [refusal]: readonly Refusal[] = Array.isArray(failure) ? failure : []
  return refusal?.extensions?.retryAfter ?? AGAIN_SECONDS
}
