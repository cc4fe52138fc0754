// What every route of recurring billing for businesses has in common. Spec: "Authentication", "Errors".
import { Refused } from '#graphql/executor.ts'
import { type Definition, type Endpoint, endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'
import { identifierOf, withIdentifier } from '#rest/billing/identifiers.ts'
import {
  RestArchiveSubscriptionProductDocument,
  RestFindSubscriptionProductDocument,
} from '#rest/documents.generated.ts'

/** The seller of the header `X-Platform-On-Behalf-Of`. Each document passes it on. */
export type OnBehalfOf = { readonly onBehalfOf: string | null }

type SubscriptionDefinition<Input, Variables, Result> = Omit<
  Definition<Input, Variables, Result>,
  'credential' | 'variables'
> & { variables(input: Input, seller: OnBehalfOf): Variables }

/** No product has this id: an operation on it is refused by this code, or before it by what stops every operation. */
const NO_ID = ''
const NOT_FOUND = 'product_not_found'

/**
 * Describes a route of recurring billing for an API key. The `error` of a refusal is its identifier, with the keys that the
 * spec names. The rules of `BillingServices.merchant` come before those of the input: a caller that may not use the route is
 * refused whatever it sends.
 */
export function subscriptionEndpoint<Input, Variables, Result>(
  definition: SubscriptionDefinition<Input, Variables, Result>,
): Endpoint {
  const inner = endpoint({
    ...definition,
    credential: 'key',
    variables: (input: Input, request) =>
      definition.variables(input, { onBehalfOf: request.header('x-platform-on-behalf-of') ?? null }),
  })
  return {
    ...inner,
    shownAs: withIdentifier,
    prepare(executor) {
      const run = inner.prepare(executor)
      const admit = executor.compile(
        inner.method !== 'GET' ? RestArchiveSubscriptionProductDocument : RestFindSubscriptionProductDocument,
      )
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          const onBehalfOf = request.header('x-platform-on-behalf-of') ?? null
          await admit({ id: NO_ID, onBehalfOf }, caller).catch(throwUnlessNotFound)
          throw identifierOf(error)
        }
      }
    },
  }
}

function throwUnlessNotFound(error: unknown): void {
  if (!(error instanceof Refused) || error.shown.code !== NOT_FOUND) throw error
}
