// The endpoints of recurring billing: by an API key, and by the token of a hosted page. The `error` of a refusal is an
// identifier in snake case, with the keys that the spec names. Spec: "Authentication", "Errors", "Hosted checkout".
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { z } from 'zod'
import { ERROR_MAP } from '#graphql/error-map.ts'
import { Refused } from '#graphql/refused.ts'
import { type Definition, type Endpoint, type EndpointRequest, endpoint } from '#http/endpoint.ts'
import { BadInput } from '#http/input.ts'
import { RestBillingAccessDocument } from '#rest/documents.generated.ts'
import { admittedFirst } from '#rest/endpoints.ts'

/** The seller that a marketplace acts for. The document of every endpoint for an API key takes it. */
type OnBehalfOf = { readonly onBehalfOf?: string | null | undefined }

const sellerOf = (request: EndpointRequest) => ({ onBehalfOf: request.header('x-platform-on-behalf-of') ?? null })

/** Describes an endpoint for an API key. A caller that may not use it is refused whatever it sends. */
export function billingEndpoint<Input, Variables extends OnBehalfOf, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint {
  const inner = endpoint({
    ...definition,
    credential: 'key_or_session',
    variables: (input: Input, request) => ({ ...definition.variables(input, request), ...sellerOf(request) }),
  })
  const scope = inner.method === 'GET' ? 'subscriptions_view' : 'subscriptions_manage'
  return admittedFirst(
    { ...inner, shownAs: withIdentifier },
    {
      admit(executor) {
        const find = executor.compile(RestBillingAccessDocument)
        return (request, caller) => find({ scope, ...sellerOf(request) }, caller)
      },
      refusalOf: identifierOf,
    },
  )
}

/** The input of an endpoint that reads or changes what the token in its path opens. */
export const BY_TOKEN = {
  input: z.object({ token: z.string() }),
  variables: ({ token }: { readonly token: string }) => ({ token }),
}

/**
 * Returns the function that describes the endpoints of a hosted page. A token that opens none, or billing that is disabled,
 * is refused as `page` is, whatever the input is.
 */
export const hostedEndpoint =
  <PageVariables, Page>(
    page: TypedDocumentNode<Page, PageVariables>,
    variablesOf: (params: EndpointRequest['params']) => PageVariables,
  ) =>
  <Input, Variables, Result>(definition: Omit<Definition<Input, Variables, Result>, 'credential'>): Endpoint =>
    admittedFirst(
      { ...endpoint({ ...definition, credential: 'none' }), shownAs: withIdentifier },
      {
        admit(executor) {
          const read = executor.compile(page)
          return ({ params }, caller) => read(variablesOf(params), caller)
        },
        refusalOf: identifierOf,
      },
    )

/** Refusals of the credential have one message on every route. Spec: "Authentication". */
const OF_CREDENTIAL: ReadonlySet<string> = new Set([
  'unauthenticated',
  'account_disabled',
  'seller_not_found',
  'marketplace_disabled',
])

/** Returns what to throw for a refusal: its code as the message, and the time that a limit asks for in the body. */
function withIdentifier(error: unknown): unknown {
  if (!(error instanceof Refused) || error.shown.unexpected || OF_CREDENTIAL.has(error.shown.code)) return error
  const { code, status, shown, retryAfter } = error.shown
  const wait = status === 429 && retryAfter !== null ? { ...shown, retry_after_seconds: retryAfter } : shown
  return new Refused({ ...error.shown, message: code, shown: wait }, { cause: error.cause })
}

const isCode = (rule: string): rule is keyof typeof ERROR_MAP => Object.hasOwn(ERROR_MAP, rule)

/**
 * Returns the refusal of an input that cannot be read. The rule of a field in these routes is the identifier of its refusal.
 * Another input, such as a body that is not JSON, is `invalid_request`.
 */
function identifierOf(error: Error): Refused {
  const { field = null, rule = '' } = error instanceof BadInput ? error : {}
  const code = isCode(rule) ? rule : 'invalid_request'
  const showsField = code === 'invalid_request' || ERROR_MAP[code].shows?.includes('field') === true
  return new Refused(
    {
      code,
      status: ERROR_MAP[code].status,
      message: code,
      shown: showsField && field !== null ? { field } : {},
      retryAfter: null,
      unexpected: false,
    },
    { cause: error },
  )
}
