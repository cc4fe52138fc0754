// Assembles the HTTP edge: the middleware of every request, then REST, GraphQL and the operator's routes.
import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express, type RequestHandler, type Response } from 'express'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { createDashboardRouter, createOperatorRouter } from '#dashboard/router.ts'
import type { Caller } from '#graphql/caller.ts'
import { type Context, contextFor, type Edge, type Weight } from '#graphql/context.ts'
import { type Executor, Refused } from '#graphql/executor.ts'
import { pausing } from '#graphql/limits.ts'
import type { OperatorEdge } from '#graphql/operator/builder.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import type { OperatorPrincipal, Principal } from '#graphql/principal.ts'
import { schema } from '#graphql/schema.ts'
import { declaredImage } from '#http/body.ts'
import { challenge, failures, sendError, showTallies, wrongMethod } from '#http/replies.ts'
import { createReplyCheck } from '#http/reply-check.ts'
import { createRouter } from '#http/router.ts'
import { createPayRouter } from '#pay/router.ts'
import type { PaySettings } from '#pay/site.ts'
import type { Tracing } from '#ports/tracing.ts'
import { ROUTES } from '#rest/routes.ts'
import { clientAddress } from '#server/address.ts'
import type { Edges } from '#server/edge.ts'
import { type ChargeAddress, graphiql, OPERATOR_PAGE, PUBLIC_PAGE } from '#server/graphiql.ts'
import { createGraphQL, GRAPHQL_PATH, graphqlHandler, OPERATOR_PATH } from '#server/graphql.ts'
import { answersPreflight, setCommonHeaders } from '#server/headers.ts'
import { type AddressTally, IMAGE_ROUTE, serveImage } from '#server/images.ts'
import type { Handler } from '#server/listening.ts'
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'
import { addReference } from '#server/reference.ts'
import { refusesHead } from '#server/refusals.ts'
import { readHead } from '#server/request-head.ts'
import { loggedOf } from '#server/request-log.ts'
import { endWhenStalled, type Finished, logRequest, setRequestId, whenFinished } from '#server/requests.ts'
import { createOperatorCookies, createSessionCookies, type SessionCookies } from '#server/session-cookies.ts'
import { TOKEN_IMAGE_ROUTE, tokenImageHandlers } from '#server/token-image.ts'
import { welcome } from '#server/welcome.ts'
import type { Yoga } from '#server/yoga-over-http.ts'
import type { Services } from '#services/services.ts'
import { messagesOf } from './listening.ts'
import { KEYS_ROUTE, serveKeys } from './receipt-keys.ts'
import { EventStreams } from './yoga-over-http.ts'

/** What every application needs, whatever its routes. */
type BaseParts = {
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

export type AppParts = BaseParts &
  Edges & {
    /** Runs REST's documents. */
    readonly executor: Executor
    readonly images: Pick<Services['images'], 'read'>
    /** The public halves of the keys that sign receipts. */
    readonly receiptKeys: Services['receipts']['publicKeys']
    readonly settings: {
      readonly graphiql: boolean
      readonly version: string
      readonly pay: PaySettings
      /** Whether the operator's routes have a listener of their own. */
      readonly operatorHasPort: boolean
    }
  }

export type App = {
  readonly handler: Handler
  /** Answers the operator's requests on a listener of their own; null where `handler` answers them. */
  readonly operatorHandler: Handler | null
  readonly yoga: Yoga<Principal, Context>
  readonly eventStreams: EventStreams
  /** Returns what a request was sent with. */
  readonly sentWith: SessionCookies['sentWith']
}

/** Matches the path `/` only; the string '/' would match `//` too. */
const ROOT = /^\/$/

export function createApp(parts: AppParts): App {
  const { edge, operator, executor, settings } = parts
  const { metrics } = parts
  const eventStreams = new EventStreams()
  const tally = addressTally(edge)
  const { charge } = tally
  const cookies = createSessionCookies(settings.pay.publicUrl)
  const endpoint = {
    path: GRAPHQL_PATH,
    schema,
    gate: edge,
    senderOf: cookies.senderOf,
    contextOf: (caller: Caller, weight: Weight) => contextFor(edge, caller, weight),
  }
  const yoga = createGraphQL(endpoint)
  const app = createBase(parts)
  if (settings.graphiql) app.get(GRAPHQL_PATH, graphiql(PUBLIC_PAGE, charge))
  app.all(GRAPHQL_PATH, graphqlHandler({ yoga, eventStreams }, endpoint))
  app
    .route(ROOT)
    .get(welcome(settings.version))
    .all(wrongMethod(['GET']))
  const operatorApp = settings.operatorHasPort ? createBase(parts) : null
  addOperatorRoutes(operatorApp ?? app, operator, { metrics, eventStreams, settings, charge })
  app
    .route(IMAGE_ROUTE)
    .get(serveImage(parts.images, tally))
    .all(wrongMethod(['GET']))
  app
    .route(KEYS_ROUTE)
    .get(serveKeys(parts.receiptKeys))
    .all(wrongMethod(['GET']))
  app.use(createPayRouter(executor, settings.pay))
  app.use(createDashboardRouter(settings.pay))
  addReference(app, charge)
  const check = settings.pay.isSandbox ? createReplyCheck() : null
  app.use(createRouter(ROUTES, { executor, sentWith: cookies.sentWith, check }))
  return {
    handler: handlerOf(app, parts),
    operatorHandler: operatorApp && handlerOf(operatorApp, parts),
    yoga,
    eventStreams,
    sentWith: cookies.sentWith,
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

/** Adds the routes that require the operator's token. */
function addOperatorRoutes(
  app: Express,
  operator: OperatorEdge,
  {
    metrics,
    eventStreams,
    settings,
    charge,
  }: Pick<App, 'eventStreams'> & Pick<AppParts, 'metrics' | 'settings'> & { readonly charge: ChargeAddress },
): void {
  const { services, sessions } = operator
  const endpoint = {
    path: OPERATOR_PATH,
    schema: operatorSchema,
    gate: operator,
    senderOf: createOperatorCookies().senderOf,
    contextOf: (caller: Caller<OperatorPrincipal>) => ({ ...caller, services, sessions }),
  }
  const yoga = createGraphQL(endpoint)
  if (settings.graphiql) app.get(OPERATOR_PATH, graphiql(OPERATOR_PAGE, charge))
  app.all(OPERATOR_PATH, graphqlHandler({ yoga, eventStreams }, endpoint))
  app.use(createOperatorRouter(settings.pay, { hasPort: settings.operatorHasPort }))
  const tokenImage = tokenImageHandlers(operator)
  app
    .route(TOKEN_IMAGE_ROUTE)
    .put(declaredImage, tokenImage.put)
    .delete(tokenImage.remove)
    .all(wrongMethod(['PUT', 'DELETE']))
  addMetrics(app, operator.identify, metrics)
}

/** Returns an application with the middleware of every request and no route. */
function createBase({ log, newId, now, keepRequest, metrics, tracing, settings }: BaseParts): Express {
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
function handlerOf(app: Express, { report }: Pick<BaseParts, 'report'>): Handler {
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

/** Counts against the tally of callers without a key. */
function addressTally({ limits, errors }: Pick<Edge, 'limits' | 'errors'>): AddressTally {
  const shown = ({ locals }: Response, counted: Promise<void>): Promise<void> =>
    counted.catch((error: unknown) => {
      throw new Refused(errors.show(error, locals.requestId), { cause: error })
    })
  const address = pausing(limits.address)
  const requireRoom = pausing(limits.requireRoomOfAddress)
  return {
    charge: (response, points) => shown(response, address(response.locals.address, points, showTallies(response))),
    requireRoom: (response) => shown(response, requireRoom(response.locals.address, showTallies(response))),
  }
}

/** Answers the operator only: route names and volumes are confidential. */
function addMetrics(app: Express, identify: OperatorEdge['identify'], metrics: BaseParts['metrics']): void {
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
