// Why something did not work.
import type { CombinedError } from '@urql/core'

/** `code` is that of docs/errors.md, or one of the page itself, such as `no_answer`. */
export type Fault = { readonly code: string; readonly message: string }

export const NO_ANSWER: Fault = { code: 'no_answer', message: '' }

export function faultOf({ graphQLErrors: [refusal] }: CombinedError): Fault {
  if (refusal === undefined) return NO_ANSWER
  const { code } = refusal.extensions
  return { code: typeof code === 'string' ? code : 'internal_error', message: refusal.message }
}
