// Puts the whole service together: settings → adapters → services → edges → workers. No other room builds adapters.
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { announceService } from '#adapters/node/running-service.ts'
import { createLiveSubscriptions } from '#adapters/prisma/billing/live-subscriptions.ts'
import { isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createLiveEventLog, createLiveEvents } from '#adapters/prisma/events/live-events.ts'
import { createMarketplaceFeed } from '#adapters/prisma/events/marketplace-feed.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { serviceSecretsOf } from '#adapters/solana/keys/seed.ts'
import type { Config } from '#config/config.ts'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import type { PaySettings } from '#pay/site.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import type { RunningServer } from '#server/server.ts'
import { RequestLog } from '#services/platform/request-log.ts'
import { keepPrices, startWork } from './background.ts'
import { usesDataDir } from './data-dir.ts'
import { demoDashboard, prepareDemo } from './demo-business.ts'
import { explainListenErrors, listenAt } from './listening.ts'
import { openParts, type Parts, type ServiceOptions } from './parts.ts'
import { type BuiltServices, buildServices, chainNameOf } from './services.ts'

export type RunningService = {
  /** Where it listens; null for a worker. */
  readonly url: string | null
  /** Where the operator's dashboard is on this machine; null for a worker. */
  readonly operatorDashboard: string | null
  /** Set on the embedded chain. */
  readonly demo: DemoFacts | null
  /** Returns where the dashboard of the demo business begins; null without one. */
  readonly dashboard: () => Promise<string | null>
  readonly remarks: readonly string[]
  /** Finishes running work and stops; nothing is lost. It can be repeated. */
  close(): Promise<void>
  /** Resolves to a sentence when a part that the service needs has ended by itself. */
  readonly lost: Promise<string>
}

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export async function startService(config: Config, options: ServiceOptions): Promise<RunningService> {
  await using cleanup = new AsyncDisposableStack()
  // A worker has no GraphQL. With an API, it is loaded while the database and the chain start.
  const [parts, api] = await Promise.all([
    openParts(config, options, cleanup),
    config.role === 'worker' ? null : import('#server/server.ts'),
  ])
  const built = buildServices(parts)
  await listenToOthers(parts, built)
  if (config.role !== 'api') await startWork(parts, built, options, cleanup)
  await keepPrices(parts, built, options, cleanup)
  // Before the server listens: a start script waits for GET /health, and then reads the demo business's keys.
  const demo = await makeDemo(parts, built)
  const requestLog = new RequestLog(parts.stores.requestLog)
  cleanup.defer(() => requestLog.close())
  const server = api === null ? null : await serve(api, parts, built, requestLog, options)
  if (server !== null) cleanup.defer(() => server.close())
  if (server === null) await serveMetrics(parts, options, cleanup)
  if (server !== null && usesDataDir(config))
    cleanup.defer(await announceService(config.dataDir, config.server.operatorUrl))
  const running = cleanup.move()
  return {
    url: server?.url ?? null,
    operatorDashboard: server === null ? null : `${config.server.operatorUrl}/operator/dashboard`,
    demo,
    dashboard: async () => (demo === null ? null : await demoDashboard(built.services, demo)),
    remarks: parts.remarks,
    lost: parts.lost,
    close: () => running.disposeAsync(),
  }
}

async function listenToOthers({ db, reloadClock }: Parts, { forgetDirectory }: BuiltServices): Promise<void> {
  await db.listen(DIRECTORY_CHANGED, forgetDirectory, forgetDirectory)
  const reload = () => void reloadClock().catch(() => {})
  await db.listen(CLOCK_MOVED, reload, reload)
}

async function serve(
  { startServer }: typeof import('#server/server.ts'),
  parts: Parts,
  { services }: BuiltServices,
  requestLog: RequestLog,
  options: ServiceOptions,
): Promise<RunningServer> {
  const { config, db, seed, operatorToken, version, clock } = parts
  const settings = {
    operatorToken,
    version,
    introspection: config.server.introspection,
    graphiql: config.server.introspection,
    pay: paySettings(parts),
    cursorSecret: serviceSecretsOf(seed)('cursor'),
    rateLimits: config.server.rateLimits
      ? { ...DEFAULT_RATE_LIMITS, sellersPerTenSeconds: config.server.sellersPerTenSeconds }
      : null,
    trustProxy: config.server.trustProxy,
  }
  const edge = {
    services,
    live: await createLiveEvents(db),
    liveSubscriptions: await createLiveSubscriptions(db),
    feed: await createMarketplaceFeed(db, clock),
    liveLog: await createLiveEventLog(db),
    reads: createTenantReads(db.prisma),
    outage: (error: unknown) => (isDatabaseUnavailable(error) ? ('database_unavailable' as const) : null),
    log: options.log,
    newId: random.uuid,
    keepRequest: (request: ApiRequest) => requestLog.add(request),
    tracing: parts.tracing,
    metrics: parts.metrics,
    now: systemClock.now,
    settings,
  }
  return await explainListenErrors(listenAt(config), () => startServer(edge, config.server))
}

/** A worker alone answers at the operator's port, where it has one. */
async function serveMetrics(
  { config, operatorToken, metrics, tracing }: Parts,
  { log }: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const { host, operatorPort: port, trustProxy } = config.server
  if (port === null) return
  const { startWorkerServer } = await import('#server/worker-server.ts')
  const settings = { operatorToken, trustProxy }
  const parts = { metrics, tracing, log, newId: random.uuid, now: systemClock.now, settings }
  const server = await explainListenErrors(listenAt(config), () => startWorkerServer(parts, { host, port }))
  cleanup.defer(() => server.close())
}

/** Returns what the pages know of this service. */
const paySettings = ({ config, networks }: Parts): PaySettings => ({
  publicUrl: config.server.publicUrl,
  payUrl: config.server.payUrl,
  isSandbox: config.sandbox,
  chains: { live: chainNameOf(networks, 'live'), test: chainNameOf(networks, 'test') },
})

async function makeDemo({ config, demoChain }: Parts, { services }: BuiltServices): Promise<DemoFacts | null> {
  if (demoChain === null) return null
  const { publicUrl: baseUrl, operatorUrl } = config.server
  return await prepareDemo({ dataDir: config.dataDir, baseUrl, operatorUrl, chain: demoChain, services })
}
