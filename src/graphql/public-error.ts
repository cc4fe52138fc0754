// From whatever was thrown to what may be shown: a refusal by its code, or nothing but a request id.

import { GraphQLError } from 'graphql'
import { type ErrorCode, type ErrorContext, ServiceError } from '#core/errors.ts'
import { ERROR_MAP, isPublicCode } from './error-map.ts'
import type { FieldName, PublicCode } from './errors/entry.ts'

// Each edge names fields in its own way. Refusals carry the names of the REST interface, which is the specified one.

/** Fields whose GraphQL name is not their REST name in camel case. */
const RENAMED = new Map([['accepted_tokens', 'acceptedAssets']])

/** Arguments of connections, as the lists of REST name them. */
const PAGE_NAMES = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
])

const restName: FieldName = (field) => PAGE_NAMES.get(field) ?? field

const graphqlName: FieldName = (field) => RENAMED.get(field) ?? camelCase(field)

const camelCase = (field: string): string =>
  field.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase())

export type ShownError = {
  readonly code: PublicCode
  readonly status: number
  readonly message: string
  /** Keys of the refusal's context that the interface names. */
  readonly shown: ErrorContext
  /** Seconds until a repeat can succeed; null where that is not known. */
  readonly retryAfter: number | null
  /** True for a failure of the service, whose cause is written to the log only. */
  readonly unexpected: boolean
}

/** Returns the code of a failure of the database or the chain; null for a failure of the service itself. */
export type Outage = (error: unknown) => ErrorCode | null

export type Errors = {
  /** Returns the public form of an error. Writes the cause to the log unless it is a refusal. */
  show(thrown: unknown, requestId: string): ShownError
  /** Returns the same as GraphQL shows it; `requestId` only on a failure of ours. */
  showGraphQL(thrown: unknown, requestId: string): GraphQLError
}

/** `suggestions` lets errors of variables name what nearly matches: only where the schema may be asked for. */
export function createErrors(
  outage: Outage,
  report: (error: unknown, requestId: string) => void,
  { suggestions } = { suggestions: true },
): Errors {
  const show = (thrown: unknown, requestId: string, name: FieldName): ShownError => {
    const error = causeOf(thrown)
    if (error instanceof ServiceError) return refusal(error.code, error.context, name)
    if (error instanceof GraphQLError) return mistake(error, suggestions)
    report(error, requestId)
    const code = outage(error)
    return code === null ? { ...refusal('internal_error', {}, name), unexpected: true } : refusal(code, {}, name)
  }
  return {
    show: (thrown, requestId) => show(thrown, requestId, restName),
    showGraphQL: (thrown, requestId) => asGraphQL(thrown, show(thrown, requestId, graphqlName), requestId),
  }
}

/** Returns the cause of a GraphQL error. GraphQL's own errors, of a document or a variable, have no other cause. */
export function causeOf(thrown: unknown): unknown {
  if (!(thrown instanceof GraphQLError) || thrown.originalError === undefined) return thrown
  return thrown.originalError instanceof GraphQLError ? thrown : thrown.originalError
}

/** Returns true for an error that showGraphQL has made. An error of a library has a cause or no code of the table. */
export const isShown = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && error.originalError === undefined && isPublicCode(error.extensions.code)

function refusal(code: PublicCode, context: ErrorContext, name: FieldName): ShownError {
  const { status, message, shows = [], retryAfter = null } = ERROR_MAP[code]
  const own = context.retry_after_seconds
  return {
    code,
    status,
    message: typeof message === 'string' ? message : message(context, name),
    shown: Object.fromEntries(
      Object.entries(context).flatMap(([key, value]) =>
        shows.includes(key) ? [[key, shownAs(key, value, name)]] : [],
      ),
    ),
    retryAfter: typeof own === 'number' ? own : retryAfter,
    unexpected: false,
  }
}

/** A field is shown by its name at the caller's edge. */
const shownAs = (key: string, value: ErrorContext[string], name: FieldName) =>
  key === 'field' && typeof value === 'string' ? name(value) : value

/** How GraphQL names the place of a variable's value that does not fit. */
const VARIABLE = /^Variable "\$(\w+)" (?:got invalid value (?:.* at "\w+\.([\w.[\]]+)";)?|of required type)/s

/** Returns the field of an `invalid_request` by its GraphQL name; null where it is not one field. */
function refusedField(thrown: unknown): string | null {
  const error = causeOf(thrown)
  if (error instanceof ServiceError)
    return typeof error.context.field === 'string' ? graphqlName(error.context.field) : null
  if (!(error instanceof GraphQLError)) return null
  const [, variable, path] = VARIABLE.exec(error.message) ?? []
  return path ?? variable ?? null
}

const SUGGESTION = / ?Did you mean .*\?$/s

function mistake({ extensions, message: whole }: GraphQLError, suggestions: boolean): ShownError {
  const message = suggestions ? whole : whole.replace(SUGGESTION, '')
  const code = isPublicCode(extensions.code) ? extensions.code : 'invalid_request'
  return { code, status: 400, message, shown: {}, retryAfter: null, unexpected: false }
}

/** Place and path stay those of the thrown error. */
function asGraphQL(thrown: unknown, shownError: ShownError, requestId: string): GraphQLError {
  const { code, message, shown, retryAfter, unexpected } = shownError
  const field = code === 'invalid_request' ? refusedField(thrown) : null
  const extensions = {
    code,
    ...shown,
    ...(field !== null && { field }),
    ...(retryAfter !== null && { retryAfter }),
    ...(unexpected && { requestId }),
  }
  if (!(thrown instanceof GraphQLError)) return new GraphQLError(message, { extensions })
  const { nodes, source, positions, path } = thrown
  return new GraphQLError(message, { nodes, source, positions, path, extensions })
}
