// Gives every request an id, a line in the log and a measurement. None of them contains a query, a header or a body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'
import type { Logger } from '#server/log.ts'

const SANE_ID = /^[\w.:-]{1,128}$/

/** Accepts the id that the client sent when it is a plain word, so that the logs of both sides can be compared. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>, newId: () => string): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : newId()
}

/** Gives the request its id, for the log and for the client. */
export function setRequestId(request: Request, response: Response, newId: () => string): void {
  const requestId = requestIdOf(request, newId)
  response.locals.requestId = requestId
  response.setHeader('x-request-id', requestId)
}

export type Finished = {
  readonly method: string
  /** The route as the table of routes contains it, without parameter values. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Calls `report` when the reply is sent or the connection is closed. */
export function whenFinished(
  request: Request,
  response: Response,
  report: (finished: Finished, response: Response) => void,
): void {
  const start = performance.now()
  response.on('close', () => {
    const finished = {
      method: request.method,
      route: typeof response.locals.route === 'string' ? response.locals.route : 'unmatched',
      // A connection that closed before its reply was whole has no status; 499 is what proxies log for it.
      status: response.writableFinished ? response.statusCode : 499,
      ms: Math.round((performance.now() - start) * 10) / 10,
    }
    report(finished, response)
  })
}

export const logRequest = (log: Logger): ((finished: Finished, requestId: string) => void) => {
  // Searching for secrets by the names of fields costs ten times as much as the line itself, and no field here has such
  // a name. Secrets are still censored by their form, such as in an id that a client sent.
  const lines = log.child({}, { redact: [] })
  return (finished, requestId) => lines.info({ requestId, ...finished }, 'request')
}

/**
 * Destroys the connection when a reply waits to be written and its client reads no byte for this time. A reply that
 * waits for its handler, a silent stream, and a reply that is read slowly all continue.
 */
export function endWhenStalled(response: ServerResponse, milliseconds: number): void {
  response.setTimeout(milliseconds, () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) socket.destroy()
  })
}
