// The REST edge as an express router: it reads, asks the executor, and writes; and every reply that is no 2xx is {error}.
import type { ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express'
import { type Caller, type Executor, Refused } from '#graphql/executor.ts'
import { readJson, UnreadableJson } from '#http/exact-json.ts'
import { isUtf8Type } from '#http/utf8.ts'
import type { Credential, Endpoint, Reply } from '#rest/endpoint.ts'
import { BadInput } from '#rest/input.ts'
import { ROUTES } from '#rest/routes.ts'

const MAX_BODY = '64kb'
const JSON_TYPES = ['application/json', '+json']

export type RestParts = { readonly executor: Executor }

export function createRestRouter({ executor }: RestParts): Router {
  const router = Router({ caseSensitive: true })
  const byPath = Map.groupBy(ROUTES, ({ path }) => path)
  for (const [path, endpoints] of byPath) {
    const route = router.route(path).all((_request, response, next) => {
      response.locals.route = path
      next()
    })
    for (const endpoint of endpoints) {
      if (endpoint.method === 'GET') route.get(answer(endpoint, executor))
      else route.post(jsonBody, readBytes, answer(endpoint, executor))
    }
    route.all(wrongMethod(endpoints.map(({ method }) => method)))
  }
  return router
}

const readBytes = express.raw({ type: () => true, limit: MAX_BODY })

/** Refuses what is not declared as JSON. A request without any body is let through, to be told what is missing. */
const jsonBody: RequestHandler = (request, response, next) => {
  const isJson = request.is(JSON_TYPES) !== false && isUtf8Type(request.headers['content-type'])
  if (isJson) next()
  else sendError(response, 415, 'send the body as application/json, in UTF-8')
}

export function wrongMethod(methods: readonly string[]): RequestHandler {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return (_request, response) => {
    response.setHeader('Allow', allow)
    sendError(response, 405, 'method not allowed')
  }
}

function answer(endpoint: Endpoint, executor: Executor): RequestHandler {
  const run = endpoint.prepare(executor)
  return async (request, response) => {
    const caller = await identify(executor, endpoint.credential, {
      authorization: request.headers.authorization ?? null,
      address: response.locals.address,
      requestId: response.locals.requestId,
      signal: signalOf(response),
    })
    try {
      const read = { query: request.query, body: bodyOf(request), header: (name: string) => request.get(name) }
      send(response, await run(read, caller))
    } catch (error) {
      // What is refused here is counted nowhere else.
      if (isUnreadable(error)) await executor.count(caller)
      throw error
    }
  }
}

/** Aborts when the reply is out or its client is gone. */
function signalOf(response: ServerResponse): AbortSignal {
  const over = new AbortController()
  response.once('close', () => over.abort())
  return over.signal
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

const isUnreadable = (error: unknown): error is BadInput | UnreadableJson =>
  error instanceof BadInput || error instanceof UnreadableJson

const bodyOf = ({ body }: Request): unknown => (body instanceof Uint8Array ? readJson(body) : undefined)

function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

export const sendError = (response: ServerResponse, status: number, error: string, more: object = {}): void =>
  send(response, { status, body: { error, ...more } })

/** Which credential a 401 asks for: RFC 9110, 11.6.1. A client secret is no HTTP credential, and not asked for so. */
export const challenge = (response: ServerResponse): void =>
  void response.setHeader('WWW-Authenticate', 'Bearer realm="payments"')

/** Answers an error that a handler threw. `report` receives a failure whose cause no caller is shown. */
export const failures =
  (report: (error: unknown, requestId: string) => void): ErrorRequestHandler =>
  (error, _request, response, next) => {
    // Once the reply has begun, nothing can be said any more but that it is broken.
    if (response.headersSent) return next(error)
    if (isUnreadable(error)) return sendError(response, 400, error.message)
    if (error instanceof Refused) {
      const { code, status, message, shown, retryAfter } = error.shown
      if (code === 'unauthenticated') challenge(response)
      if (retryAfter !== null) response.setHeader('Retry-After', String(retryAfter))
      return sendError(response, status, message, shown)
    }
    const known = bodyErrorOf(error)
    if (known === null) report(error, response.locals.requestId)
    sendError(response, known?.status ?? 500, known?.message ?? 'internal error')
  }

const BODY_ERRORS: Readonly<Record<number, string>> = {
  400: 'the body could not be read',
  413: 'the body is too large',
  415: 'the encoding of the body is not supported',
}

export type BodyError = { readonly status: number; readonly message: string }

/** What express's body reader or router refuses, in our words; null for any other error. */
export function bodyErrorOf(error: unknown): BodyError | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null
  const { status } = error
  return status >= 400 && status < 500 ? { status, message: BODY_ERRORS[status] ?? 'bad request' } : null
}
