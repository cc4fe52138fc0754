// What every request gets: an id, a line in the log, a measurement; none of them holds a query, a header or a body.
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from '#server/log.ts'

const SANE_ID = /^[\w.:-]{1,128}$/

/** Accepts the id that the client sent when it is a plain word, so that both logs can be read together. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>, newId: () => string): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : newId()
}

export const requestIds =
  (newId: () => string): RequestHandler =>
  (request, response, next) => {
    const requestId = requestIdOf(request, newId)
    response.locals.requestId = requestId
    response.setHeader('x-request-id', requestId)
    next()
  }

export type Finished = {
  readonly method: string
  /** The route as it is written in the table, without any parameter. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Tells of each request once its reply is out, or its connection gone. */
export const finishedRequests =
  (tell: (finished: Finished, requestId: string) => void): RequestHandler =>
  (request, response, next) => {
    const start = performance.now()
    response.once('close', () => {
      const finished = {
        method: request.method,
        route: typeof response.locals.route === 'string' ? response.locals.route : 'unmatched',
        // A connection that closed before its reply was whole has no status; 499 is what proxies log for it.
        status: response.writableFinished ? response.statusCode : 499,
        ms: Math.round((performance.now() - start) * 10) / 10,
      }
      tell(finished, response.locals.requestId)
    })
    next()
  }

export const logRequest = (log: Logger): ((finished: Finished, requestId: string) => void) => {
  // Looking for secrets by their fields' names costs ten times the line itself, and no field of these is named so. What
  // is a secret by its form, such as an id that a client sent, is withheld all the same.
  const lines = log.child({}, { redact: [] })
  return (finished, requestId) => lines.info({ requestId, ...finished }, 'request')
}
