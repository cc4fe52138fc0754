// From whatever was thrown to what may be shown: a refusal by its code, or nothing but a request id.
import { GraphQLError } from 'graphql'
import { type ErrorContext, ServiceError } from '#core/errors.ts'
import { ERROR_MAP, INTERNAL_ERROR } from '#graphql/error-map.ts'

export type ShownError = {
  readonly code: string
  readonly status: number
  readonly message: string
  /** Keys of the refusal's context that the interface names. */
  readonly shown: ErrorContext
  /** Seconds until a repeat can succeed; null where that is not known. */
  readonly retryAfter: number | null
  /** True for a failure of ours, whose cause belongs in the log and nowhere else. */
  readonly unexpected: boolean
}

export function shownError(thrown: unknown): ShownError {
  const error = causeOf(thrown)
  if (error instanceof ServiceError) return refusal(error)
  if (error instanceof GraphQLError) return mistake(error)
  const { code, status, message } = INTERNAL_ERROR
  return { code, status, message, shown: {}, retryAfter: null, unexpected: true }
}

/** What a GraphQL error was made of. GraphQL's own errors, of a document or a variable, have no other cause. */
function causeOf(thrown: unknown): unknown {
  if (!(thrown instanceof GraphQLError) || thrown.originalError === undefined) return thrown
  return thrown.originalError instanceof GraphQLError ? thrown : thrown.originalError
}

function refusal({ code, context }: ServiceError): ShownError {
  const { status, message, shows = [] } = ERROR_MAP[code]
  const retryAfter = context.retry_after_seconds
  return {
    code,
    status,
    message: typeof message === 'string' ? message : message(context),
    shown: Object.fromEntries(Object.entries(context).filter(([key]) => shows.includes(key))),
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
    unexpected: false,
  }
}

function mistake({ extensions, message }: GraphQLError): ShownError {
  const code = typeof extensions.code === 'string' ? extensions.code : 'invalid_request'
  return { code, status: 400, message, shown: {}, retryAfter: null, unexpected: false }
}

/** The error as GraphQL shows it; `requestId` only on a failure of ours. Place and path stay those of the thrown one. */
export function publicGraphQLError(thrown: unknown, requestId: string): GraphQLError {
  const { code, message, shown, retryAfter, unexpected } = shownError(thrown)
  const extensions = {
    code,
    ...shown,
    ...(retryAfter !== null && { retryAfter }),
    ...(unexpected && { requestId }),
  }
  if (!(thrown instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = thrown
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
