// Writes the replies of the edges: JSON, with the shape {error} for every status other than 2xx.
import type { ServerResponse } from 'node:http'
import { Refused } from '#graphql/executor.ts'
import { BodyRefused } from '#http/body.ts'
import type { Reply } from '#http/endpoint.ts'
import { UnreadableJson } from '#http/exact-json.ts'
import { BadInput } from '#http/input.ts'
import type { EdgeResponse } from '#http/locals.ts'

export function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

export const sendError = (response: ServerResponse, status: number, error: string, more: object = {}): void =>
  send(response, { status, body: { error, ...more } })

/** Sets the credential that a 401 asks for (RFC 9110, 11.6.1). A client secret is not an HTTP credential. */
export const challenge = (response: ServerResponse): void =>
  void response.setHeader('WWW-Authenticate', 'Bearer realm="payments"')

/** Answers 405 with the methods that the path has. */
export function wrongMethod(methods: readonly string[]): (request: unknown, response: ServerResponse) => void {
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
  (report: (error: unknown, requestId: string) => void) =>
  (error: unknown, response: EdgeResponse): void => {
    // The reply has begun, and cannot be completed.
    if (response.headersSent) response.destroy()
    else if (isUnreadable(error)) sendError(response, 400, error.message)
    else if (error instanceof BodyRefused) sendError(response, error.status, error.message)
    else if (error instanceof Refused) sendRefusal(response, error)
    else {
      report(error, response.locals.requestId)
      sendError(response, 500, 'internal error')
    }
  }

function sendRefusal(response: ServerResponse, refused: Refused): void {
  const { code, status, message, shown, retryAfter } = refused.shown
  if (code === 'unauthenticated') challenge(response)
  if (retryAfter !== null) response.setHeader('Retry-After', String(retryAfter))
  sendError(response, status, message, shown)
}
