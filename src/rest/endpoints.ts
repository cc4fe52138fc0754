// The kinds of endpoints that rooms share. Spec: "Authentication", "Errors".
import { z } from 'zod'
import { Refused } from '#graphql/executor.ts'
import { type Definition, type Endpoint, endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'
import { RestFindMarketplaceDocument } from '#rest/documents.generated.ts'

/** The input of an endpoint that reads or changes one thing: the id in its path, as its document takes it. */
export const BY_ID = {
  // Any text: one that is no id is answered like an id that nothing has.
  input: z.object({ id: z.string() }),
  variables: ({ id }: { readonly id: string }) => ({ id }),
}

type Prepare = Endpoint['prepare']

type Admission = {
  /** Returns what throws for a caller that may not use the endpoint. It counts the call. */
  admit(...given: Parameters<Prepare>): (...call: Parameters<ReturnType<Prepare>>) => Promise<unknown>
  /** Returns the refusal of an input that cannot be read, from a caller that may use the endpoint. */
  refusalOf(error: Error): Refused
}

/** Refuses a caller that may not use an endpoint whatever its input is. */
function admittedFirst(inner: Endpoint, { admit, refusalOf }: Admission): Endpoint {
  return {
    ...inner,
    prepare(executor) {
      const run = inner.prepare(executor)
      const admitted = admit(executor)
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          await admitted(request, caller)
          throw refusalOf(error)
        }
      }
    },
  }
}

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
