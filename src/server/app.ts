// Assembles the HTTP edge: the middleware of every request, then REST, GraphQL and the operator's routes.
import type { Express, Response } from 'express'
import { createDashboardRouter, createOperatorRouter } from '#dashboard/router.ts'
import type { Caller } from '#graphql/caller.ts'
import { type Context, contextFor, type Edge, type Weight } from '#graphql/context.ts'
import type { Executor } from '#graphql/executor.ts'
import { pausing } from '#graphql/limits.ts'
import type { OperatorEdge } from '#graphql/operator/builder.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import type { OperatorPrincipal, Principal } from '#graphql/principal.ts'
import { Refused } from '#graphql/refused.ts'
import { schema } from '#graphql/schema.ts'
import { declaredImage } from '#http/body.ts'
import { showTallies, wrongMethod } from '#http/replies.ts'
import { createReplyCheck } from '#http/reply-check.ts'
import { createRouter } from '#http/router.ts'
import { createPayRouter } from '#pay/router.ts'
import type { PaySettings } from '#pay/site.ts'
import { ROUTES } from '#rest/routes.ts'
import { addMetrics, type BaseParts, createBase, handlerOf } from '#server/base-app.ts'
import type { Edges } from '#server/edge.ts'
import { type ChargeAddress, graphiql, OPERATOR_PAGE, PUBLIC_PAGE } from '#server/graphiql.ts'
import { createGraphQL, GRAPHQL_PATH, graphqlHandler, OPERATOR_PATH } from '#server/graphql.ts'
import { type AddressTally, IMAGE_ROUTE, serveImage } from '#server/images.ts'
import type { Handler } from '#server/listening.ts'
import { addReference } from '#server/reference.ts'
import { createOperatorCookies, createSessionCookies, type SessionCookies } from '#server/session-cookies.ts'
import { TOKEN_IMAGE_ROUTE, tokenImageHandlers } from '#server/token-image.ts'
import { welcome } from '#server/welcome.ts'
import type { Yoga } from '#server/yoga-over-http.ts'
import type { Services } from '#services/services.ts'
import { KEYS_ROUTE, serveKeys } from './receipt-keys.ts'
import { EventStreams } from './yoga-over-http.ts'

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
