// What every route of the hosted pages of recurring billing has in common. Its credential is the token in the path. Spec:
// "Hosted checkout", "Hosted portal".
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type Definition, type Endpoint, type EndpointRequest, endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'
import { identifierOf, withIdentifier } from '#rest/billing/identifiers.ts'

/** What reads a page, so that a token that opens none, or billing that is disabled, is refused whatever the input is. */
export type HostedPage<Variables, Read> = {
  readonly read: TypedDocumentNode<Read, Variables>
  variables(request: EndpointRequest): Variables
}

export const byToken = ({ params: { token } }: Pick<EndpointRequest, 'params'>) => ({ token: String(token) })

/** Describes a route of a hosted page. The `error` of a refusal is its identifier, with the keys that the spec names. */
export function hostedEndpoint<Input, Variables, Result, PageVariables, Read>(
  page: HostedPage<PageVariables, Read>,
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint {
  const inner = endpoint({ ...definition, credential: 'none' })
  return {
    ...inner,
    shownAs: withIdentifier,
    prepare(executor) {
      const run = inner.prepare(executor)
      const admit = executor.compile(page.read)
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          await admit(page.variables(request), caller)
          throw identifierOf(error)
        }
      }
    },
  }
}
