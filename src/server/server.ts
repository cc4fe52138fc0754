// The listening server. It has a limit for everything that clients can use, and stops after the replies under way. The
// operator's API may have a port of its own.
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { createExecutor } from '#graphql/executor.ts'
import { schema } from '#graphql/schema.ts'
import type { PaySettings } from '#pay/site.ts'
import type { Tracing } from '#ports/tracing.ts'
import { createApp } from '#server/app.ts'
import { createEdges, type EdgeParts, type EdgeSettings } from '#server/edge.ts'
import { closeServer, DEFAULT_TIMEOUTS, listen, openServer, type ServerTimeouts } from '#server/listening.ts'
import type { Logger } from '#server/log.ts'
import { createMetrics, type Metrics } from '#server/metrics.ts'
import { DEFAULT_WEBSOCKET_LIMITS, type WebSocketLimits } from '#server/websocket/limits.ts'
import { createReports } from '#server/websocket/reports.ts'
import { attachWebSockets, offersWebSocket } from '#server/websocket.ts'
import { gaugeStatus } from '#server/work-metrics.ts'
import type { Services } from '#services/services.ts'
import { createFailures } from './repeated-lines.ts'

export type ServerSettings = EdgeSettings & {
  readonly graphiql: boolean
  /** Trust the last X-Forwarded-For entry. Set it only behind a proxy of the operator. */
  readonly trustProxy: boolean
  readonly version: string
  readonly pay: PaySettings
  readonly timeouts?: ServerTimeouts
  readonly webSockets?: Partial<WebSocketLimits>
}

export type ServerParts = Omit<EdgeParts, 'settings'> & {
  readonly log: Logger
  readonly newId: () => string
  /** Keeps a request with an API key for its business. It waits for nothing. */
  readonly keepRequest: (request: ApiRequest) => void
  /** Left out without a collector of traces. */
  readonly tracing?: Pick<Tracing, 'request'> | null
  /** Where other parts of the process add their series; left out where none does. */
  readonly metrics?: Metrics
  readonly settings: ServerSettings
}

export type RunningServer = {
  readonly port: number
  readonly url: string
  /** The URL of the operator's API: `url`, unless it has a port of its own. */
  readonly operatorUrl: string
  /**
   * Accepts no new connection, ends live streams, lets replies under way finish, and cuts connections left after
   * `graceMs`.
   */
  close(graceMs?: number): Promise<void>
}

/** `operatorPort` gives the operator's API a port of its own; null serves it on the public port. */
export type At = { readonly host: string; readonly port: number; readonly operatorPort: number | null }

const GRACE_MS = 5_000

export async function startServer(parts: ServerParts, at: At): Promise<RunningServer> {
  const { log, newId, settings } = parts
  const failures = createFailures(log, parts.outage)
  const report = (error: unknown, requestId: string) => failures.write(error, { requestId }, 'unexpected failure')
  const { edge, operator } = createEdges(parts, report)
  const executor = createExecutor(schema, edge)
  const { writeTimeout, ...timeouts } = settings.timeouts ?? DEFAULT_TIMEOUTS
  const appSettings = { ...settings, writeTimeout, operatorHasPort: at.operatorPort !== null }
  const metrics = parts.metrics ?? createMetrics()
  const app = createApp({
    edge,
    operator,
    keepRequest: parts.keepRequest,
    tracing: parts.tracing ?? null,
    metrics,
    now: parts.now,
    executor,
    images: parts.services.images,
    receiptKeys: parts.services.receipts.publicKeys,
    log,
    newId,
    report,
    settings: appSettings,
  })
  const { eventStreams } = app
  const listening = { timeouts, newId, log }
  const server = openServer(app.handler, { ...listening, upgrades: offersWebSocket })
  const sockets = attachWebSockets(server, settings.trustProxy, {
    yoga: app.yoga,
    edge,
    newId,
    sentWith: app.sentWith,
    limits: { ...DEFAULT_WEBSOCKET_LIMITS, ...settings.webSockets },
    reports: createReports({ metrics, log, report, newId }),
  })
  metrics.gauge('websocket_connections', 'Open websockets.', sockets.count)
  metrics.gauge('websocket_buffered_bytes', 'Bytes that wait for clients to read them.', sockets.bufferedBytes)
  metrics.gauge('live_streams_open', 'Live streams that hold a place.', edge.streams.count)
  gaugeWaiting(metrics, parts.services)
  gaugeStatus(metrics, parts.services, parts.now)
  metrics.gauges('approval_ends', 'How approves of the last 24 hours have ended.', 'end', () =>
    parts.services.operatorBilling.approvalEnds(),
  )
  const operatorServer = app.operatorHandler && openServer(app.operatorHandler, { ...listening, upgrades: () => false })
  const { host } = at
  const operatorPort = operatorServer && (await listen(operatorServer, { host, port: at.operatorPort ?? 0 }))
  const close = async (graceMs = GRACE_MS): Promise<void> => {
    const closing = [server, operatorServer].map((one) => one && closeServer(one, graceMs))
    // Closes the connections before their subscriptions end, so that no client receives `complete`.
    eventStreams.cut()
    const socketsClosed = sockets.close()
    edge.streams.endAll()
    await Promise.all([socketsClosed, ...closing])
    failures.close()
  }
  try {
    const port = await listen(server, at)
    return { port, url: urlOf(host, port), operatorUrl: urlOf(host, operatorPort ?? port), close }
  } catch (error) {
    await close()
    throw error
  }
}

const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const MAX_COUNTED = 100

/** Items that wait for a person, at most a hundred of each kind. */
function gaugeWaiting(metrics: Pick<Metrics, 'gauge'>, { audit, held }: Pick<Services, 'audit' | 'held'>): void {
  const all = { network: null, limit: MAX_COUNTED }
  metrics.gauge('halted_addresses', 'Addresses that nothing is sent from: ledger and chain differ.', async () => {
    return (await audit.halts({ ...all, open: true })).length
  })
  metrics.gauge('held_payments', 'Payments with money that waits for a person, without dust.', async () => {
    return (await held.payments({ ...all, accountId: null, afterIndex: null, includeDust: false })).payments.length
  })
}
