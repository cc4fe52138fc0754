// Why something did not work.
import type { CombinedError } from '@urql/core'

/** `code` is that of docs/errors.md, or one of the page itself, such as `no_answer`. */
export type Fault = {
  readonly code: string
  readonly message: string
  /** What the refusal says of itself, by its names in docs/errors.md. */
  readonly details?: Readonly<Record<string, unknown>>
}

export const NO_ANSWER: Fault = { code: 'no_answer', message: '' }

/** Whether the request had no session, or one that has ended. */
export const lacksSession = ({ code }: Fault): boolean => code === 'unauthenticated' || code === 'session_required'

export function faultOf({ graphQLErrors: [refusal] }: CombinedError): Fault {
  if (refusal === undefined) return NO_ANSWER
  const { code, ...details } = refusal.extensions
  return { code: typeof code === 'string' ? code : 'internal_error', message: refusal.message, details }
}

/** Returns the ids of a list in the details of a refusal. */
export function idsIn({ details = {} }: Fault, name: string): readonly string[] {
  const ids = details[name]
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}
