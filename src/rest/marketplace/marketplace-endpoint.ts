// What every route under /marketplace has in common. Spec: "Authentication".
import { Refused } from '#graphql/executor.ts'
import { type Definition, type Endpoint, endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'
import { RestFindMarketplaceDocument } from '#rest/documents.generated.ts'

const NOT_FOUND = 'marketplace_not_found'

/**
 * Describes a route for the API key of a marketplace. An ordinary business gets 404 whatever its input is, and a refusal for
 * too many requests has `retry_after_secs` in its body.
 */
export function marketplaceEndpoint<Input, Variables, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint {
  const inner = endpoint({ ...definition, credential: 'key' })
  return {
    ...inner,
    shownAs: withWait,
    prepare(executor) {
      const run = inner.prepare(executor)
      const find = executor.compile(RestFindMarketplaceDocument)
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          // It counts the call.
          await find({}, caller).catch(throwNotFoundOrLimited)
          throw countedMistake(error)
        }
      }
    },
  }
}

/** Whatever else keeps the marketplace from being found, such as a missing scope, the input is refused. */
function throwNotFoundOrLimited(error: unknown): void {
  if (isLimited(error) || (error instanceof Refused && error.shown.code === NOT_FOUND)) throw error
}

/** Returns the refusal of an input whose call has been counted. */
const countedMistake = (error: Error): Refused =>
  new Refused(
    { code: 'invalid_request', status: 400, message: error.message, shown: {}, retryAfter: null, unexpected: false },
    { cause: error },
  )

const isLimited = (error: unknown): error is Refused => error instanceof Refused && error.shown.status === 429

function withWait(error: unknown): unknown {
  if (!isLimited(error)) return error
  const shown = { ...error.shown.shown, retry_after_secs: error.shown.retryAfter }
  return new Refused({ ...error.shown, shown }, { cause: error.cause })
}
