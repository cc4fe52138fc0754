// The endpoints of a marketplace. Spec: "Authentication", "Errors".
import { Refused } from '#graphql/refused.ts'
import { type Definition, type Endpoint, endpoint } from '#http/endpoint.ts'
import { RestFindMarketplaceDocument } from '#rest/documents.generated.ts'
import { admittedFirst } from '#rest/endpoints.ts'

const NOT_FOUND = 'marketplace_not_found'

/**
 * Describes an endpoint for the API key of a marketplace. An ordinary business gets 404 whatever its input is, and a refusal
 * for too many requests has `retry_after_secs` in its body.
 */
export function marketplaceEndpoint<Input, Variables, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint {
  const inner = { ...endpoint({ ...definition, credential: 'key' }), shownAs: withWait }
  return admittedFirst(inner, {
    admit(executor) {
      const find = executor.compile(RestFindMarketplaceDocument)
      return (_request, caller) => find({}, caller).catch(throwNotFoundOrLimited)
    },
    refusalOf: countedMistake,
  })
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
