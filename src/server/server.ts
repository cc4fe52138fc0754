// The listening server: bounded in every direction, and stopped without cutting off what it has begun.
import { createServer, type Server } from 'node:http'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Edge } from '#graphql/context.ts'
import { createCursors } from '#graphql/cursor.ts'
import { createAdmit } from '#graphql/documents/admission.ts'
import { createKnownDocuments } from '#graphql/documents/known.ts'
import { DOCUMENT_LIMITS, DOCUMENT_MEMORY } from '#graphql/documents/limits.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { createLimits, NO_LIMITS, type RateLimitSettings } from '#graphql/limits.ts'
import { createStreams, DEFAULT_STREAM_LIMITS, type StreamLimits } from '#graphql/payments/live/streams.ts'
import { createIdentify } from '#graphql/principal.ts'
import { createErrors, type Outage } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import type { LiveEvents } from '#ports/live-events.ts'
import { createApp } from '#server/app.ts'
import type { GraphQLSettings } from '#server/graphql.ts'
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'
import { refuseBroken, refuseTunnel } from '#server/refusals.ts'
import { DEFAULT_WEBSOCKET_LIMITS, type WebSocketLimits } from '#server/websocket/limits.ts'
import { createReports } from '#server/websocket/reports.ts'
import { attachWebSockets, offersWebSocket } from '#server/websocket.ts'
import type { Services } from '#services/services.ts'

export type ServerSettings = GraphQLSettings & {
  readonly operatorToken: string
  /** Signs page cursors; the same on every instance. */
  readonly cursorSecret: Uint8Array
  /** null counts nothing. */
  readonly rateLimits: RateLimitSettings | null
  /** Believe the last X-Forwarded-For entry: only behind a proxy of one's own. */
  readonly trustProxy: boolean
  readonly version: string
  readonly streams?: Partial<StreamLimits>
  readonly patience?: Patience
  readonly webSockets?: Partial<WebSocketLimits>
}

export type ServerParts = {
  readonly services: Services
  readonly live: LiveEvents
  readonly reads: (tenant: Tenant) => TenantReads
  /** Tells a database or a chain that is away from a defect. */
  readonly outage: Outage
  readonly log: Logger
  readonly newId: () => string
  readonly settings: ServerSettings
}

export type RunningServer = {
  readonly port: number
  readonly url: string
  /** Takes nothing new, ends live streams, lets replies under way finish, and cuts what is left after `graceMs`. */
  close(graceMs?: number): Promise<void>
}

const GRACE_MS = 5_000
const SWEEP_MS = 20

export async function startServer(parts: ServerParts, at: { port: number; host: string }): Promise<RunningServer> {
  const { log, newId, settings } = parts
  const report = (error: unknown, requestId: string) => log.error({ requestId, err: error }, 'unexpected failure')
  const edge = edgeOf(parts, report)
  const executor = createExecutor(schema, edge)
  const { writeTimeout, ...patience } = settings.patience ?? DEFAULT_PATIENCE
  const appSettings = { ...settings, writeTimeout }
  const { handler, yoga, metrics, eventStreams } = createApp({
    edge,
    executor,
    log,
    newId,
    report,
    settings: appSettings,
  })
  const server = createServer({ ...OPTIONS, ...patience }, handler)
  server.maxHeadersCount = 100
  server.on('clientError', refuseBroken(newId, log))
  server.on('checkExpectation', handler)
  server.on('connect', refuseTunnel(newId, log))
  const sockets = attachWebSockets(server, settings.trustProxy, {
    yoga,
    edge,
    newId,
    limits: { ...DEFAULT_WEBSOCKET_LIMITS, ...settings.webSockets },
    reports: createReports({ metrics, log, report, newId }),
  })
  metrics.gauge('websocket_connections', 'Open websockets.', sockets.count)
  metrics.gauge('websocket_buffered_bytes', 'Bytes that wait for clients to read them.', sockets.bufferedBytes)
  metrics.gauge('live_streams_open', 'Live streams that hold a place.', edge.streams.count)
  gaugeWaiting(metrics, parts.services)
  const port = await listen(server, at)
  return {
    port,
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`,
    async close(graceMs = GRACE_MS) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // First the connections, then what they carry: no client is sent that its subscription is complete.
      eventStreams.cut()
      const socketsClosed = sockets.close()
      edge.streams.endAll()
      await socketsClosed
      // A kept-alive connection falls idle when its reply is out, and nothing but this would end it.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}

const MOST_COUNTED = 100

/** What waits for a person, up to a hundred of each. */
function gaugeWaiting(metrics: Pick<Metrics, 'gauge'>, { audit, held }: Services): void {
  const all = { network: null, limit: MOST_COUNTED }
  metrics.gauge('halted_addresses', 'Addresses that nothing is sent from: ledger and chain differ.', async () => {
    return (await audit.halts({ ...all, open: true })).length
  })
  metrics.gauge('held_payments', 'Payments with money that waits for a person.', async () => {
    return (await held.payments({ ...all, accountId: null })).length
  })
}

function edgeOf(
  { services, live, reads, outage, settings }: ServerParts,
  report: (error: unknown, requestId: string) => void,
): Edge {
  const limits = settings.rateLimits === null ? NO_LIMITS : createLimits(settings.rateLimits)
  const { introspection } = settings
  const known = createKnownDocuments({
    schema,
    introspection,
    limits: DOCUMENT_LIMITS,
    memory: DOCUMENT_MEMORY,
  })
  return {
    services,
    live,
    reads,
    errors: createErrors(outage, report, { suggestions: introspection }),
    identify: createIdentify(services.accounts, settings.operatorToken, limits),
    cursors: createCursors(settings.cursorSecret),
    limits,
    admit: createAdmit({ known, limits, documentLimits: DOCUMENT_LIMITS }),
    heavyWork: createHeavyWork(HEAVY_WORK_LIMITS),
    streams: createStreams({ ...DEFAULT_STREAM_LIMITS, ...settings.streams }),
  }
}

const OPTIONS = {
  maxHeaderSize: 16 * 1024,
  shouldUpgradeCallback: offersWebSocket,
  // Looked at by the application, which has an answer for it; Node's own is empty.
  requireHostHeader: false,
}

/** How long a client may take, in milliseconds: one that dribbles is cut off, not waited for. */
export type Patience = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** How long it may take no byte of a reply that waits for it. */
  readonly writeTimeout: number
}

export const DEFAULT_PATIENCE: Patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute after which proxies let an idle connection go, so that it is they who close it.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  writeTimeout: 20_000,
}

function listen(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
