// Puts the whole service together: settings → adapters → services → edges → workers. Nothing else builds adapters.

import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { CLOCK_MOVED, DIRECTORY_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createLiveEvents } from '#adapters/prisma/events/live-events.ts'
import { createIntentChanges } from '#adapters/prisma/payments/payment-changes.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { deriveServiceSecret, seedFingerprint } from '#adapters/solana/keys/seed.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { createWebhookSender } from '#adapters/webhook-http/sender.ts'
import type { Config } from '#config.ts'
import type { Network } from '#core/chain/types.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import type { EmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import { createMovableClock } from '#sandbox/movable-clock.ts'
import type { Logger } from '#server/log.ts'
import { type RunningServer, startServer } from '#server/server.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { createPruner } from '#services/events/prune.ts'
import { createStatsCompactor } from '#services/marketplace/compact-stats.ts'
import { createLockRate } from '#services/payments/select-token.ts'
import { createHeartbeat } from '#services/platform/heartbeat.ts'
import { openChains } from './chains.ts'
import { prepareDataDir } from './data-dir.ts'
import { openMigrated } from './database.ts'
import { prepareDemo } from './demo-business.ts'
import { toldBySetting, tryListening } from './listening.ts'
import { remarksOnMainnet } from './mainnet.ts'
import { connectNetwork, type NetworkRuntime } from './networks.ts'
import { judgePlatformWallet } from './platform-wallet.ts'
import { createPrices } from './prices.ts'
import { loadSecrets } from './secrets.ts'
import { type BuiltServices, buildServices, runtimesOf, type ServiceParts } from './services.ts'
import { createStores } from './stores.ts'
import { startWorkers } from './workers.ts'

export type RunningService = {
  readonly url: string
  /** Set on the embedded chain. */
  readonly demo: DemoFacts | null
  readonly remarks: readonly string[]
  /** Finishes running work and stops; nothing is lost. It can be repeated. */
  close(): Promise<void>
  /** Resolves to a sentence when a part that the service needs has ended by itself. */
  readonly lost: Promise<string>
}

export type ServiceOptions = {
  readonly version: string
  readonly log: Logger
  /** Receives the step of the start that is running, for people. */
  readonly progress: (line: string) => void
}

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export async function startService(config: Config, options: ServiceOptions): Promise<RunningService> {
  await using cleanup = new AsyncDisposableStack()
  const parts = await openParts(config, options, cleanup)
  const built = buildServices(parts)
  await listenToOthers(parts, built)
  if (config.role !== 'api') await startWork(parts, built, options, cleanup)
  if (config.role !== 'worker') await keepPriceRanges(parts, built, options, cleanup)
  // Before the server listens: a start script waits for GET /health, and then reads the demo business's keys.
  const demo = parts.embeddedRpcUrl === null ? null : await makeDemo(parts, built, options)
  const server = config.role === 'worker' ? null : await serve(parts, built, options)
  if (server !== null) cleanup.defer(() => server.close())
  const running = cleanup.move()
  return {
    url: server?.url ?? config.server.publicUrl,
    demo,
    remarks: parts.remarks,
    lost: parts.lost,
    close: () => running.disposeAsync(),
  }
}

type Parts = ServiceParts & {
  readonly db: Database
  readonly operatorToken: string
  readonly remarks: readonly string[]
  readonly reloadClock: () => Promise<void>
  readonly lost: Promise<string>
}

async function openParts(config: Config, options: ServiceOptions, cleanup: AsyncDisposableStack): Promise<Parts> {
  const { log, progress, version } = options
  if (config.role !== 'worker') await tryListening(config.server)
  const closed = await prepareDataDir(config)
  const { seed, operatorToken, remarks } = await loadSecrets(config.secrets)
  const db = await openMigrated(config.database, progress)
  cleanup.defer(() => db.close())
  const stores = createStores(db)
  const chains = await openChains(config, progress)
  const { embedded } = chains
  let stopping = false
  if (embedded !== null) {
    cleanup.defer(() => {
      stopping = true
      return embedded.stop()
    })
  }
  const keys = createDepositKeys(seed)
  const connect = async (network: Network): Promise<NetworkRuntime | null> => {
    const endpoints = chains.endpoints[network]
    if (endpoints === null) return null
    return await connectNetwork({
      network,
      endpoints,
      isEmbedded: config.chains[network]?.kind === 'embedded',
      keys,
      computeUnitPrice: config.settlement.computeUnitPrice,
      seedFingerprint: seedFingerprint(seed),
      seedSetting: config.secrets.masterSeed.from,
      store: stores.networks,
      onFault: (fault) => log.warn({ network, fault }, 'a provider failed'),
    })
  }
  const networks = { live: await connect('live'), test: await connect('test') }
  await judgePlatformWallet(config.fees.platformWallet, createJudgeSweepDestination(networks, stores.depositAddresses))
  const clock = createMovableClock({ realTime: systemClock, settings: stores.settings })
  if (config.sandbox) await clock.reload()
  const embeddedRpcUrl = embedded?.rpcUrl ?? null
  return {
    config,
    version,
    seed,
    operatorToken,
    remarks: [...closed, ...remarks, ...remarksOnMainnet(config, runtimesOf(networks))],
    db,
    stores,
    keys,
    networks,
    clock,
    changes: await createIntentChanges(db),
    embeddedRpcUrl,
    prices: createPrices(config.prices, runtimesOf(networks)),
    reloadClock: clock.reload,
    lost: chainLost(embedded, () => stopping),
  }
}

/** Resolves when the embedded chain ends without having been stopped. A remote chain that is away comes back by itself. */
function chainLost(embedded: EmbeddedChain | null, isStopping: () => boolean): Promise<string> {
  return new Promise((resolve) => {
    void embedded?.exited.then(() => {
      if (!isStopping()) resolve('The embedded Solana chain ended by itself; start the service again.')
    })
  })
}

async function listenToOthers({ db, reloadClock }: Parts, { forgetDirectory }: BuiltServices): Promise<void> {
  await db.listen(DIRECTORY_CHANGED, forgetDirectory, forgetDirectory)
  const reload = () => void reloadClock().catch(() => {})
  await db.listen(CLOCK_MOVED, reload, reload)
}

async function startWork(
  parts: Parts,
  { directory, decisionContext, webhookSecrets, probeNetworks }: BuiltServices,
  { log }: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const { config, clock, db, keys, networks, stores } = parts
  const instanceId = random.uuid()
  const heartbeat = createHeartbeat({ store: stores.workers, clock: systemClock, id: instanceId, role: config.role })
  const sender = createWebhookSender({ allowPrivate: config.webhooks.allowPrivate })
  const deliverer = createDeliverer({
    worker: instanceId,
    store: stores.deliveries,
    sender,
    secrets: webhookSecrets,
    clock,
    wallClock: systemClock,
    random,
  })
  const pruner = createPruner({ store: stores.deliveries, clock })
  const workers = await startWorkers({
    db,
    instanceId,
    networks: runtimesOf(networks),
    intents: stores.work,
    transfers: stores.transfers,
    sources: stores.sources,
    leases: stores.leases,
    audit: stores.audit,
    halts: stores.halts,
    settings: stores.settings,
    directory,
    keys,
    signer: createSigner(parts.seed),
    decisionContext,
    lockRate: createLockRate(parts.prices),
    prices: parts.prices,
    refundBudget: config.settlement.refundBudget,
    commitment: config.settlement.commitment,
    depositSource: config.depositSource,
    clock,
    random,
    deliver: deliverer.runOnce,
    heartbeat: heartbeat.beat,
    probeNetworks,
    prune: pruner.runOnce,
    compactStats: createStatsCompactor(stores.statsRollups),
    onHalt: (halt) => log.error(halt, 'nothing is sent from this address: its books are not what the chain says'),
    onError: (error, context) => log.error({ err: error, ...context }, 'a job failed and will be tried again'),
  })
  cleanup.defer(() => sender.close())
  cleanup.defer(() => heartbeat.stop())
  cleanup.defer(() => workers.stop())
}

const PRICE_RANGES_EVERY_MS = 60_000

/** Reads the prices in advance by which a create is judged, so that it waits for no feed. */
async function keepPriceRanges(
  { db }: Parts,
  { refreshPriceRanges }: BuiltServices,
  { log }: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const report = (err: unknown) => log.warn({ err }, 'prices could not be read in advance')
  let last = Promise.resolve()
  const refresh = () => {
    last = refreshPriceRanges().catch(report)
  }
  // A token that was just allowed is known immediately.
  const unlisten = await db.listen(DIRECTORY_CHANGED, refresh, refresh)
  const timer = setInterval(refresh, PRICE_RANGES_EVERY_MS)
  cleanup.defer(async () => {
    clearInterval(timer)
    await unlisten()
    await last
  })
  refresh()
}

async function serve(parts: Parts, { services }: BuiltServices, options: ServiceOptions): Promise<RunningServer> {
  const { config, db, seed, operatorToken, version } = parts
  const settings = {
    operatorToken,
    version,
    introspection: config.server.introspection,
    graphiql: config.server.introspection,
    cursorSecret: deriveServiceSecret(seed, 'cursor'),
    rateLimits: config.server.rateLimits
      ? { ...DEFAULT_RATE_LIMITS, sellersPerTenSeconds: config.server.sellersPerTenSeconds }
      : null,
    trustProxy: config.server.trustProxy,
  }
  const edge = {
    services,
    live: await createLiveEvents(db),
    reads: createTenantReads(db.prisma),
    outage: (error: unknown) => (isDatabaseUnavailable(error) ? ('database_unavailable' as const) : null),
    log: options.log,
    newId: random.uuid,
    settings,
  }
  return await toldBySetting(config.server, () => startServer(edge, config.server))
}

const makeDemo = (parts: Parts, { services }: BuiltServices, { progress }: ServiceOptions): Promise<DemoFacts> =>
  prepareDemo({
    dataDir: parts.config.dataDir,
    baseUrl: parts.config.server.publicUrl,
    operatorUrl: parts.config.server.operatorUrl,
    networks: runtimesOf(parts.networks),
    services,
    progress,
  })
