// The HTTP edge, put together: what every request passes through, then REST, GraphQL and what is for the operator.
import express, { type Express, type RequestHandler } from 'express'
import type { Edge } from '#graphql/context.ts'
import type { Executor } from '#graphql/executor.ts'
import { schema } from '#graphql/schema.ts'
import { challenge, createRestRouter, sendError } from '#rest/router.ts'
import { clientAddress } from '#server/address.ts'
import { createGraphQL, GRAPHQL_PATH, type GraphQLSettings, graphqlHandler, type Yoga } from '#server/graphql.ts'
import { cors, neverCached, securityHeaders } from '#server/headers.ts'
import type { Logger } from '#server/log.ts'
import { createMetrics, type Metrics } from '#server/metrics.ts'
import { refuseUnanswerable } from '#server/refusals.ts'
import { finishedRequests, logRequest, requestIds } from '#server/requests.ts'
import { welcome } from '#server/welcome.ts'

export type AppParts = {
  readonly edge: Edge
  /** Runs REST's documents. */
  readonly executor: Executor
  readonly log: Logger
  readonly newId: () => string
  /** Told of a failure whose cause no caller is shown. */
  readonly report: (error: unknown, requestId: string) => void
  readonly settings: GraphQLSettings & { readonly trustProxy: boolean; readonly version: string }
}

export type App = { readonly handler: Express; readonly yoga: Yoga; readonly metrics: Metrics }

export function createApp({ edge, executor, log, newId, report, settings }: AppParts): App {
  const metrics = createMetrics()
  const yoga = createGraphQL(schema, edge, settings)
  const tellLog = logRequest(log)
  const handler = express()
  handler.disable('x-powered-by')
  handler.disable('etag')
  handler.use(
    requestIds(newId),
    finishedRequests((finished, requestId) => {
      tellLog(finished, requestId)
      metrics.observe(finished)
    }),
    securityHeaders,
    neverCached,
    cors,
    refuseUnanswerable,
    callerAddress(settings.trustProxy),
  )
  handler.all(GRAPHQL_PATH, graphqlHandler(yoga, edge, settings))
  handler.get('/', welcome(settings.version))
  handler.get('/metrics', metricsHandler(edge, metrics))
  handler.use(createRestRouter({ executor, report }))
  handler.use((_request, response) => sendError(response, 404, 'not found'))
  return { handler, yoga, metrics }
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
