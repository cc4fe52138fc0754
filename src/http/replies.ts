// Writes the replies of the edges: JSON, with the shape {error} for every status other than 2xx.
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { Caller } from '#graphql/caller.ts'
import { formCodeOf } from '#graphql/error-map.ts'
import { Refused } from '#graphql/refused.ts'
import { BodyRefused, ENCODINGS } from '#http/body.ts'
import { type Reply, TextStream } from '#http/endpoint.ts'
import { UnreadableJson } from '#http/exact-json.ts'
import { BadInput } from '#http/input.ts'
import { codeOf } from '#lib/values.ts'

/** Writes a reply. A stream is written no faster than the client reads; its failure is thrown. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { body } = reply
  if (!(body instanceof TextStream)) return send(response, reply)
  response.statusCode = reply.status ?? 200
  response.setHeader('Content-Type', body.type)
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (response.req.method === 'HEAD') return void response.end()
  try {
    await pipeline(body.parts, response)
  } catch (error) {
    // The client may leave at any time.
    if (codeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

export function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  const text = JSON.stringify(body)
  // A text of ASCII is the same bytes in both, and needs no conversion in one.
  response.end(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
}

/**
 * Returns what shows each tally that a request counts towards in the headers of its answer, a refusal included:
 * draft-ietf-httpapi-ratelimit-headers. A tally that changes in a stream is not shown.
 */
export function showTallies(response: ServerResponse): NonNullable<Caller['onCounted']> {
  const policies = new Map<string, string>()
  const states = new Map<string, string>()
  return ({ limit, quota, windowSeconds, remaining, resetSeconds }) => {
    if (response.headersSent) return
    policies.set(limit, `"${limit}";q=${quota};w=${windowSeconds}`)
    states.set(limit, `"${limit}";r=${remaining};t=${resetSeconds}`)
    response.setHeader('RateLimit-Policy', [...policies.values()].join(', '))
    response.setHeader('RateLimit', [...states.values()].join(', '))
  }
}

/** The header that has the code of a refusal. */
export const ERROR_CODE = 'Error-Code'

/** Refuses a request by its form. */
export const sendError = (response: ServerResponse, status: number, error: string): void =>
  send(response, { status, headers: { [ERROR_CODE]: formCodeOf(status) }, body: { error } })

/** Sets the credential that a 401 asks for (RFC 9110, 11.6.1). A client secret is not an HTTP credential. */
export const challenge = (response: ServerResponse): void =>
  void response.setHeader('WWW-Authenticate', 'Bearer realm="payments"')

/** Answers 405 with the methods that the path has. */
export function wrongMethod(methods: readonly string[]): RequestHandler {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return (_request, response) => {
    response.setHeader('Allow', allow)
    sendError(response, 405, 'method not allowed')
  }
}

export const isUnreadable = (error: unknown): error is BadInput | UnreadableJson =>
  error instanceof BadInput || error instanceof UnreadableJson

/** Answers an error that a handler threw. `report` receives a failure whose cause is not shown to the caller. */
export const failures =
  (report: (error: unknown, requestId: string) => void): ErrorRequestHandler =>
  (error, _request, response, next) => {
    // The reply has begun: express can only close the connection.
    if (response.headersSent) return next(error)
    if (isUnreadable(error)) return sendError(response, 400, error.message)
    if (error instanceof Refused) {
      const { code, status, message, shown, retryAfter } = error.shown
      if (code === 'unauthenticated') challenge(response)
      if (retryAfter !== null) response.setHeader('Retry-After', String(retryAfter))
      return send(response, { status, headers: { [ERROR_CODE]: code }, body: { error: message, ...shown } })
    }
    const known = bodyErrorOf(error)
    if (known === null) report(error, response.locals.requestId)
    sendError(response, known?.status ?? 500, known?.message ?? 'internal error')
  }

const BODY_ERRORS: Readonly<Record<number, string>> = {
  400: 'the body could not be read',
  413: 'the body is too large',
  415: ENCODINGS,
}

export type BodyError = { readonly status: number; readonly message: string }

/** Returns what express's body reader or router refuses, in our words; null for any other error. */
export function bodyErrorOf(error: unknown): BodyError | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null
  const { status } = error
  if (error instanceof BodyRefused) return { status, message: error.message }
  return status >= 400 && status < 500 ? { status, message: BODY_ERRORS[status] ?? 'bad request' } : null
}
