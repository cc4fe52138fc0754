// The HTTP edge, put together: what every request passes through, then REST, GraphQL and what is for the operator.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type RequestHandler } from 'express'
import type { Edge } from '#graphql/context.ts'
import type { Executor } from '#graphql/executor.ts'
import { schema } from '#graphql/schema.ts'
import { challenge, failures, sendError, wrongMethod } from '#http/replies.ts'
import { createRestRouter } from '#rest/router.ts'
import { clientAddress } from '#server/address.ts'
import { EventStreams } from '#server/event-streams.ts'
import { graphiql } from '#server/graphiql.ts'
import { createGraphQL, GRAPHQL_PATH, type GraphQLSettings, graphqlHandler, type Yoga } from '#server/graphql.ts'
import { cors, neverCached, securityHeaders } from '#server/headers.ts'
import type { Logger } from '#server/log.ts'
import { createMetrics, type Metrics } from '#server/metrics.ts'
import { refuseUnanswerable } from '#server/refusals.ts'
import { readHead } from '#server/request-head.ts'
import { finishedRequests, logRequest, requestIds } from '#server/requests.ts'
import { endStalledReplies } from '#server/slow-readers.ts'
import { welcome } from '#server/welcome.ts'

export type AppParts = {
  readonly edge: Edge
  /** Runs REST's documents. */
  readonly executor: Executor
  readonly log: Logger
  readonly newId: () => string
  /** Told of a failure whose cause no caller is shown. */
  readonly report: (error: unknown, requestId: string) => void
  readonly settings: GraphQLSettings & {
    readonly trustProxy: boolean
    readonly version: string
    /** How long a client may take no byte of a reply that waits for it, in milliseconds. */
    readonly writeTimeout: number
  }
}

export type App = {
  readonly handler: RequestListener
  readonly yoga: Yoga
  readonly metrics: Metrics
  readonly eventStreams: EventStreams
}

/** The path `/` alone: as text it would match `//` too. */
const ROOT = /^\/$/

export function createApp({ edge, executor, log, newId, report, settings }: AppParts): App {
  const metrics = createMetrics()
  const eventStreams = new EventStreams()
  const yoga = createGraphQL(schema, edge)
  const tellLog = logRequest(log)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.use(
    requestIds(newId),
    finishedRequests((finished, requestId) => {
      tellLog(finished, requestId)
      metrics.observe(finished)
    }),
    endStalledReplies(settings.writeTimeout),
    securityHeaders,
    neverCached,
    cors,
    refuseUnanswerable,
    callerAddress(settings.trustProxy),
  )
  if (settings.graphiql) app.get(GRAPHQL_PATH, graphiql())
  app.all(GRAPHQL_PATH, graphqlHandler({ yoga, eventStreams }, edge))
  app
    .route(ROOT)
    .get(welcome(settings.version))
    .all(wrongMethod(['GET']))
  app
    .route('/metrics')
    .get(metricsHandler(edge, metrics))
    .all(wrongMethod(['GET']))
  app.use(createRestRouter({ executor }))
  app.use((_request, response) => sendError(response, 404, 'not found'))
  app.use(failures(report))
  return { handler: listener(app), yoga, metrics, eventStreams }
}

/** Reads the head first, and has the last word, which express would give as a page of HTML. */
const listener =
  (app: (request: IncomingMessage, response: ServerResponse, done: () => void) => void): RequestListener =>
  (request, response) => {
    readHead(request)
    app(request, response, () => endBroken(response))
  }

/** Ends a reply that broke off after it had begun. */
function endBroken(response: ServerResponse): void {
  if (response.headersSent) response.destroy()
  else sendError(response, 500, 'internal error')
}

const callerAddress =
  (trustProxy: boolean): RequestHandler =>
  (request, response, next) => {
    response.locals.address = clientAddress(request, trustProxy)
    next()
  }

/** For the operator only: route names and volumes are nobody else's business. */
function metricsHandler({ identify }: Edge, metrics: Metrics): RequestHandler {
  return async (request, response) => {
    response.locals.route = '/metrics'
    const caller = await identify(request.headers.authorization ?? null, response.locals.address).catch(() => null)
    if (caller?.kind !== 'operator') {
      challenge(response)
      return sendError(response, 401, 'operator only')
    }
    response.setHeader('Content-Type', metrics.contentType)
    response.end(await metrics.text())
  }
}
