// What every route of the hosted pages of recurring billing has in common. Its credential is the token in the path. Spec:
// "Hosted checkout".
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type Definition, type Endpoint, endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'
import { identifierOf, withIdentifier } from '#rest/subscriptions/identifiers.ts'

/** The path of {pay_url} on this service. `PAY_URL` has the address by which browsers reach it. */
export const PAY_PATH = '/pay'

/**
 * Describes a route of a hosted page. The `error` of a refusal is its identifier, with the keys that the spec names. `read`
 * reads the page: a token that opens none, or billing that is disabled, is refused before an input that cannot be read.
 */
export function hostedEndpoint<Input, Variables, Result, Read>(
  read: TypedDocumentNode<Read, { token: string }>,
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint {
  const inner = endpoint({ ...definition, credential: 'none' })
  return {
    ...inner,
    prepare(executor) {
      const run = inner.prepare(executor)
      const admit = executor.compile(read)
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw withIdentifier(error)
          const { token } = request.params
          await admit({ token: String(token) }, caller).catch((refusal: unknown) => {
            throw withIdentifier(refusal)
          })
          throw identifierOf(error)
        }
      }
    },
  }
}
