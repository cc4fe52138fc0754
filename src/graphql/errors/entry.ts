// One row of the table of errors: what a caller is shown, and what it can do.
import type { ErrorCode, ErrorContext } from '#core/errors.ts'

/** Codes of the edge itself: a request that reaches no service. */
export const EDGE_CODES = [
  'invalid_document',
  'document_too_large',
  'not_found',
  'unknown_api_version',
  'method_not_allowed',
  'not_acceptable',
  'body_too_large',
  'unsupported_media_type',
  'internal_error',
] as const

export type PublicCode = ErrorCode | (typeof EDGE_CODES)[number]

/** Returns the name that a field of the REST interface has at the caller's edge. */
export type FieldName = (field: string) => string

export type PublicError = {
  readonly status: number
  /** For people. Messages may change and must not be matched. */
  readonly message: string | ((context: ErrorContext, name: FieldName) => string)
  /** A sentence for the documentation. */
  readonly meaning: string
  /** What the caller can do, in a sentence. */
  readonly remedy: string
  /** Seconds until a repeat can succeed, where the refusal itself gives none. */
  readonly retryAfter?: number
  /** The keys of the refusal's context that the interface names, and shows. */
  readonly shows?: readonly string[]
}

/** Seconds. An outage that a repeat outlasts is over in seconds: a restart, a failover, the next block. */
export const OUTAGE_SECONDS = 5

export type PublicErrors = { readonly [Code in PublicCode]?: PublicError }

/** Returns the field that a refusal names, as the caller's edge calls it. */
export const fieldOf = (context: ErrorContext, name: FieldName, otherwise: string): string =>
  typeof context.field === 'string' ? name(context.field) : otherwise

/** Returns a message that names the permission that is missing. */
export const neededOf =
  (otherwise: string) =>
  ({ permission }: ErrorContext): string =>
    typeof permission === 'string' ? `this needs the permission ${permission}` : otherwise

/** Returns the broken rule, where the refusal names one: `must be an https address`. */
export const ruleOf = (context: ErrorContext, otherwise: string): string =>
  typeof context.rule === 'string' ? context.rule : otherwise
