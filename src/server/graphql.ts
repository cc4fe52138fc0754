// /graphql over HTTP: yoga behind express. It parses and validates nothing: each document is admitted first.
import type { Request, RequestHandler } from 'express'
import { GraphQLError, type GraphQLSchema } from 'graphql'
import { createYoga, type GraphiQLOptions, type YogaServerInstance } from 'graphql-yoga'
import { type Caller, type Context, contextFor, type Edge } from '#graphql/context.ts'
import type { Admitted } from '#graphql/documents/admission.ts'
import { challenge } from '#rest/router.ts'
import { isUtf8Type } from '#rest/utf8.ts'
import { admitted, admittedOverHttp } from '#server/admitted.ts'
import { GRAPHIQL_POLICY } from '#server/headers.ts'
import { maskErrors } from '#server/mask-errors.ts'
import { utf8Only } from '#server/utf8-only.ts'

export const GRAPHQL_PATH = '/graphql'
const MAX_BODY_BYTES = 64 * 1024

export type GraphQLSettings = {
  readonly introspection: boolean
  readonly graphiql: boolean
}

/** What a transport hands over: who asks. Found out before yoga is entered, so that a wrong credential is a 401. */
export type ServerContext = {
  readonly caller: Caller
  /** Set before anything is executed. */
  admitted?: Admitted
}
export type Yoga = YogaServerInstance<ServerContext, Context>

export function createGraphQL(schema: GraphQLSchema, edge: Edge, settings: GraphQLSettings): Yoga {
  return createYoga<ServerContext, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ caller }) => contextFor(edge, caller),
    plugins: [utf8Only, admittedOverHttp(edge), admitted, maskErrors(edge.errors)],
    parserAndValidationCache: false,
    // Errors are made public by the plugin above, which knows the request. What comes from elsewhere is yoga's own.
    maskedErrors: { maskError: (error) => (isPublic(error) ? withCode(error) : edge.errors.showGraphQL(error, '')) },
    logging: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    graphiql: settings.graphiql && { title: 'Payments', subscriptionsProtocol: 'WS', defaultQuery: WELCOME },
    renderGraphiQL,
  })
}

/** The page with everything in it, where yoga's own loads its scripts from a CDN. 9 MB, so read when first asked for. */
const renderGraphiQL = async (options?: GraphiQLOptions): Promise<string> =>
  (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options)

const isPublic = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError && error.originalError === undefined

/** Gives an error of yoga's own, which has none, a code that stays. */
function withCode(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error
  if (extensions.code !== undefined) return error
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { code: 'invalid_request', ...extensions },
  })
}

/** The express side: who asks, and whether a page may have been made to ask. */
export function graphqlHandler(yoga: Yoga, edge: Edge, settings: GraphQLSettings): RequestHandler {
  return async (request, response) => {
    response.locals.route = GRAPHQL_PATH
    if (settings.graphiql && request.method === 'GET' && request.accepts(['json', 'html']) === 'html') {
      response.setHeader('Content-Security-Policy', GRAPHIQL_POLICY)
    }
    const refuse = (status: number, errors: readonly unknown[]) => {
      response.status(status).setHeader('Content-Type', 'application/json; charset=utf-8')
      response.end(JSON.stringify({ errors }))
    }
    if (!isDeliberate(request) || !isUtf8Type(request.headers['content-type'])) {
      const message = 'send the request as application/json, in UTF-8'
      return refuse(415, [{ message, extensions: { code: 'invalid_request' } }])
    }
    if (!hasReadableParameters(request)) {
      const message = 'variables and extensions are JSON objects'
      return refuse(400, [{ message, extensions: { code: 'invalid_request' } }])
    }
    const requestId: string = response.locals.requestId
    const authorization = request.headers.authorization ?? null
    const address: string = response.locals.address
    const over = new AbortController()
    response.once('close', () => over.abort())
    try {
      const principal = await edge.identify(authorization, address)
      await yoga.handle(request, response, {
        caller: { principal, authorization, address, requestId, signal: over.signal },
      })
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      const { status, code, message } = edge.errors.show(error, requestId)
      if (code === 'unauthenticated') challenge(response)
      refuse(status, [{ message, extensions: { code } }])
    }
  }
}

/** A form on another site can post, but not as JSON and not with a header of its own. */
const isDeliberate = (request: Request): boolean =>
  request.method !== 'POST' ||
  request.headers['graphql-preflight'] !== undefined ||
  request.is(['application/json', 'application/graphql-response+json']) !== false

/** Of a document in the query string. */
const hasReadableParameters = ({ query: { variables, extensions } }: Request): boolean =>
  [variables, extensions].every((text) => text === undefined || (typeof text === 'string' && isJson(text)))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const WELCOME = `# A business sends its API key, the operator its token: {"authorization": "Bearer …"} under Headers.
# A checkout needs only the client secret of its payment, as a variable.

query Welcome {
  config {
    network
    checkoutWindowSeconds
  }
  allowedTokens {
    ticker
    mint
    decimals
  }
}
`
