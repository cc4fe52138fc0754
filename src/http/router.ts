// Serves endpoints as an express router: reads the request, calls the executor, writes the reply.
import type { ServerResponse } from 'node:http'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { API_VERSION } from '#core/events/subjects.ts'
import type { Caller } from '#graphql/caller.ts'
import type { Executor } from '#graphql/executor.ts'
import { Refused } from '#graphql/refused.ts'
import { declaredImage, imageOf, readBytes } from '#http/body.ts'
import type { BodyKind, Credential, Endpoint, EndpointRequest, Method, Reply } from '#http/endpoint.ts'
import { readJson } from '#http/exact-json.ts'
import {
  bodyErrorOf,
  ERROR_CODE,
  isUnreadable,
  send,
  sendError,
  sendReply,
  showTallies,
  wrongMethod,
} from '#http/replies.ts'
import type { ReplyCheck } from '#http/reply-check.ts'
import { isUtf8Type } from './exact-json.ts'

const USUAL_TYPE = 'application/json'
const JSON_TYPES = [USUAL_TYPE, '+json']

/** Returns what a request was sent with, where the cookie of a session is a credential. */
export type SentWith = (request: Request) => Caller['sent']

/** What a router has in addition to its endpoints. */
export type RouterParts = {
  readonly executor: Executor
  readonly sentWith: SentWith
  /** A reply that it has something to say of is an internal error. */
  readonly check: ReplyCheck | null
}

/** Paths are matched in the order of `endpoints`, so a fixed path goes before one with a parameter in its place. */
export function createRouter(endpoints: readonly Endpoint[], parts: RouterParts): Router {
  const router = Router({ caseSensitive: true })
  for (const [path, ofPath] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const route = router.route(path).all((request, response, next) => {
      response.locals.route = path
      response.setHeader('Api-Version', API_VERSION)
      const { 'api-version': asked = API_VERSION } = request.headers
      if (asked === API_VERSION) next()
      else send(response, UNKNOWN_VERSION)
    })
    for (const endpoint of ofPath) {
      route[VERBS[endpoint.method]](...FORMS[endpoint.takes], answer(endpoint, parts))
    }
    route.all(wrongMethod(ofPath.map(({ method }) => method)))
  }
  return router
}

const UNKNOWN_VERSION: Reply = {
  status: 400,
  headers: { [ERROR_CODE]: 'unknown_api_version' },
  body: { error: `the header Api-Version must be ${API_VERSION}` },
}

const VERBS = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Method, string>

/** Refuses a body that is not declared as JSON. A request without a body passes: its input is refused later. */
const jsonBody: RequestHandler = (request, response, next) => {
  const { 'content-type': type, 'content-length': length } = request.headers
  // A client that has nothing to send can say so, and then names no type.
  const isEmpty = length === '0' && type === undefined
  const isJson = type === USUAL_TYPE || (request.is(JSON_TYPES) !== false && isUtf8Type(type))
  if (isEmpty || isJson) next()
  else sendError(response, 415, 'send the body as application/json, in UTF-8')
}

/** What checks the form of a body. JSON is read here as well. */
const FORMS: Readonly<Record<BodyKind, readonly RequestHandler[]>> = {
  json: [jsonBody, readBytes],
  image: [declaredImage],
  nothing: [],
}

function answer(endpoint: Endpoint, { executor, sentWith, check }: RouterParts): RequestHandler {
  const run = endpoint.prepare(executor)
  const { credential, shownAs = (error: unknown) => error } = endpoint
  const replyTo = async (request: Request, response: Response): Promise<Reply> => {
    const caller = await identify(executor, credential, {
      sent: credential === 'key_or_session' ? sentWith(request) : (request.headers.authorization ?? null),
      address: response.locals.address,
      requestId: response.locals.requestId,
      onCounted: showTallies(response),
      onRepeat: () => void response.setHeader('Idempotent-Replayed', 'true'),
      signal: signalOf(response),
    })
    response.locals.principal = caller.principal
    try {
      return await run(new ReadRequest(request, response), caller)
    } catch (error) {
      // No resolver ran, so the call has not been counted yet.
      if (isUnreadable(error) || bodyErrorOf(error) !== null) await executor.count(caller)
      throw error
    }
  }
  return async (request, response) => {
    let reply: Reply
    try {
      reply = await replyTo(request, response)
    } catch (error) {
      throw shownAs(error)
    }
    const fault = check?.(endpoint, { status: 200, headers: {}, ...reply }) ?? null
    if (fault !== null) throw new Error(`a reply is not what openapi.json says: ${fault}`)
    await sendReply(response, reply)
  }
}

/** Aborts when the client disconnects before its reply is written. */
function signalOf(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) left.abort()
  })
  return left.signal
}

async function identify(
  executor: Executor,
  credential: Credential,
  request: Parameters<Executor['identify']>[0],
): Promise<Caller> {
  const anonymous = { ...request, sent: null }
  if (credential === 'none') return await executor.identify(anonymous, false)
  try {
    return await executor.identify(request, credential === 'key' || credential === 'key_or_session')
  } catch (error) {
    if (credential === 'counted_key' && error instanceof Refused) return await executor.identify(anonymous, false)
    throw error
  }
}

/**
 * Reads the parts of a request that an endpoint asks for. It is a class because V8 makes a hidden class of its own for each
 * object that is written with a getter, and such a class keeps the request and its reply in memory until the next full
 * collection.
 */
class ReadRequest implements EndpointRequest {
  readonly #request: Request
  readonly #response: Response

  constructor(request: Request, response: Response) {
    this.#request = request
    this.#response = response
  }

  get params() {
    return this.#request.params
  }

  get query(): unknown {
    return this.#request.query
  }

  get body(): unknown {
    return bodyOf(this.#request)
  }

  image(): Promise<Uint8Array> {
    return imageOf(this.#request, this.#response)
  }

  header(name: string): string | undefined {
    return this.#request.get(name)
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value)
  }
}

/** An empty body is none. */
const bodyOf = ({ body }: Request): unknown =>
  body instanceof Uint8Array && body.length > 0 ? readJson(body) : undefined
