// Serves endpoints: finds the endpoint of a request, reads the request, calls the executor, writes the reply. Express is
// not between: it gives each request another prototype, which costs every later use of the request and its response.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { Caller } from '#graphql/context.ts'
import { type Executor, Refused } from '#graphql/executor.ts'
import { BodyRefused, imageOf, readBytes, requireImageType, requireJsonType } from '#http/body.ts'
import type { BodyKind, Credential, Endpoint, EndpointRequest } from '#http/endpoint.ts'
import { readJson } from '#http/exact-json.ts'
import type { EdgeResponse } from '#http/locals.ts'
import { createPaths } from '#http/paths.ts'
import { isUnreadable, send, wrongMethod } from '#http/replies.ts'

/** Answers a request; returns null when its path is not one of the endpoints'. Rejects with what `failures` answers. */
export type Router = (request: IncomingMessage, response: EdgeResponse) => Promise<void> | null

type Params = Readonly<Record<string, string>>
type Handler = (request: IncomingMessage, response: EdgeResponse, params: Params) => Promise<void>

/** Paths with parameters are matched in the order of `endpoints`. */
export function createRouter(endpoints: readonly Endpoint[], executor: Executor): Router {
  const routes = [...Map.groupBy(endpoints, ({ path }) => path)].map(
    ([path, ofPath]) => [path, { path, handle: createRoute(ofPath, executor) }] as const,
  )
  const find = createPaths(new Map(routes))
  return (request, response) => {
    const found = find(pathOf(request))
    if (found === null) return null
    const { route, params } = found
    response.locals.route = route.path
    return route.handle(request, response, params)
  }
}

/** Returns a handler for the methods of one path. */
function createRoute(endpoints: readonly Endpoint[], executor: Executor): Handler {
  const handlers = new Map<string, Handler>(endpoints.map((one) => [one.method, createHandler(one, executor)]))
  const refuse = wrongMethod(endpoints.map(({ method }) => method))
  return async (request, response, params) => {
    const handle = handlers.get(request.method === 'HEAD' ? 'GET' : (request.method ?? ''))
    if (handle === undefined) refuse(request, response)
    else await handle(request, response, params)
  }
}

function createHandler(endpoint: Endpoint, executor: Executor): Handler {
  const run = endpoint.prepare(executor)
  const take = TAKE[endpoint.takes]
  return async (request, response, params) => {
    const bytes = await take(request)
    const caller = await identify(executor, endpoint.credential, {
      authorization: request.headers.authorization ?? null,
      address: response.locals.address,
      requestId: response.locals.requestId,
      signal: signalOf(response),
    })
    try {
      send(response, await run(endpointRequest(request, params, bytes), caller))
    } catch (error) {
      // No resolver ran, so the call has not been counted yet.
      if (isUnreadable(error) || error instanceof BodyRefused) await executor.count(caller)
      throw error
    }
  }
}

const NO_BYTES = new Uint8Array()

/**
 * Checks the form of a body before its sender is looked up, and reads JSON. A request without a body passes: its input is
 * refused later. Throws BodyRefused.
 */
const TAKE: Readonly<Record<BodyKind, (request: IncomingMessage) => Promise<Uint8Array>>> = {
  async json(request) {
    requireJsonType(request)
    return await readBytes(request)
  },
  async image(request) {
    requireImageType(request)
    return NO_BYTES
  },
  nothing: async () => NO_BYTES,
}

/** Aborts when the client disconnects before its reply is written. */
function signalOf(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  return left.signal
}

async function identify(
  executor: Executor,
  credential: Credential,
  request: Parameters<Executor['identify']>[0],
): Promise<Caller> {
  const anonymous = { ...request, authorization: null }
  if (credential === 'none') return await executor.identify(anonymous, false)
  try {
    return await executor.identify(request, credential === 'key')
  } catch (error) {
    if (credential === 'counted_key' && error instanceof Refused) return await executor.identify(anonymous, false)
    throw error
  }
}

const endpointRequest = (request: IncomingMessage, params: Params, bytes: Uint8Array): EndpointRequest => ({
  params,
  get query() {
    return parse(queryOf(request))
  },
  /** An empty body is none. */
  get body() {
    return bytes.length > 0 ? readJson(bytes) : undefined
  },
  image: () => imageOf(request),
  header: (name) => request.headers[name]?.toString(),
})

const pathOf = ({ url = '' }: IncomingMessage): string => {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

const queryOf = ({ url = '' }: IncomingMessage): string => {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
