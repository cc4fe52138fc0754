// What every application has, whatever its routes, and the application of a process without an API.
import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express, type RequestHandler, type Response } from 'express'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import type { OperatorEdge } from '#graphql/operator/builder.ts'
import { challenge, failures, sendError, wrongMethod } from '#http/replies.ts'
import type { Tracing } from '#ports/tracing.ts'
import { clientAddress } from '#server/address.ts'
import { answersPreflight, setCommonHeaders } from '#server/headers.ts'
import { type Handler, messagesOf } from '#server/listening.ts'
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'
import { refusesHead } from '#server/refusals.ts'
import { readHead } from '#server/request-head.ts'
import { loggedOf } from '#server/request-log.ts'
import { endWhenStalled, type Finished, logRequest, setRequestId, whenFinished } from '#server/requests.ts'

/** What every application needs, whatever its routes. */
export type BaseParts = {
  readonly log: Logger
  readonly newId: () => string
  readonly now: () => Date
  /** Keeps a request with an API key for its business. It waits for nothing. */
  readonly keepRequest: (request: ApiRequest) => void
  readonly metrics: Pick<Metrics, 'observe' | 'text' | 'contentType'>
  /** null without a collector of traces. */
  readonly tracing: Pick<Tracing, 'request'> | null
  /** Receives a failure whose cause no caller may see. */
  readonly report: (error: unknown, requestId: string) => void
  readonly settings: {
    readonly trustProxy: boolean
    /** How long a client may leave a waiting reply unread, in milliseconds. */
    readonly writeTimeout: number
  }
}

/** For a process that has no API. */
export type MetricsAppParts = Omit<BaseParts, 'keepRequest'> & Pick<OperatorEdge, 'identify'>

/** Answers the operator for the metrics of its process, and nothing else. */
export function createMetricsApp({ identify, ...parts }: MetricsAppParts): Handler {
  const app = createBase({ ...parts, keepRequest: () => {} })
  addMetrics(app, identify, parts.metrics)
  return handlerOf(app, parts)
}

/** Returns an application with the middleware of every request and no route. */
export function createBase({ log, newId, now, keepRequest, metrics, tracing, settings }: BaseParts): Express {
  const logFinished = logRequest(log)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  const report = (finished: Finished, response: Response): void => {
    logFinished(finished, response.locals.requestId)
    metrics.observe(finished)
    const logged = loggedOf(finished, response, now())
    if (logged !== null) keepRequest(logged)
  }
  // One handler: each handler that express calls costs every request about as much as its work.
  app.use((request, response, next) => {
    setRequestId(request, response, newId)
    const { requestId: id } = response.locals
    const span = tracing?.request({ id, method: request.method, traceparent: request.get('traceparent') })
    whenFinished(request, response, (finished) => {
      report(finished, response)
      span?.end(finished)
    })
    endWhenStalled(response, settings.writeTimeout)
    setCommonHeaders(response)
    response.locals.address = clientAddress(request, settings.trustProxy)
    if (answersPreflight(request, response) || refusesHead(request, response)) return
    if (span === undefined) next()
    else span.run(next)
  })
  return app
}

/**
 * Reads the head of a request first, and answers requests without a route and errors; express would answer them as
 * HTML.
 */
export function handlerOf(app: Express, { report }: Pick<BaseParts, 'report'>): Handler {
  app.use((_request, response) => sendError(response, 404, 'not found'))
  app.use(failures(report))
  const answer: (request: IncomingMessage, response: ServerResponse, done: () => void) => void = app
  return {
    listener(request, response) {
      readHead(request)
      answer(request, response, () => endBroken(response))
    },
    messages: messagesOf(app),
  }
}

/** Ends a reply that failed after it had begun. */
function endBroken(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else sendError(response, 500, 'internal error')
}

/** Answers the operator only: route names and volumes are confidential. */
export function addMetrics(app: Express, identify: OperatorEdge['identify'], metrics: BaseParts['metrics']): void {
  const answer: RequestHandler = async (request, response) => {
    response.locals.route = '/metrics'
    const operator = await identify(request.headers.authorization ?? null, response.locals.address).catch(() => null)
    if (operator === null) {
      challenge(response)
      return sendError(response, 401, 'operator only')
    }
    response.setHeader('Content-Type', metrics.contentType)
    response.end(await metrics.text())
  }
  app
    .route('/metrics')
    .get(answer)
    .all(wrongMethod(['GET']))
}
