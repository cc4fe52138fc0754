// The parts of an instance: settings → adapters → stores, chains, clock and prices.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '#adapters/node/clock.ts'
import type { TracingSettings } from '#adapters/opentelemetry/tracing.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createIntentChanges } from '#adapters/prisma/payments/payment-changes.ts'
import { createAddressDeriver } from '#adapters/solana/keys/address-deriver.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { seedFingerprint } from '#adapters/solana/keys/seed.ts'
import { watchStores } from '#adapters/watched-stores.ts'
import type { Config } from '#config/config.ts'
import { type Address, NETWORKS, type Network } from '#core/chain/types.ts'
import { highestSolFee } from '#core/payments/settlement/settlement-plan.ts'
import type { DepositKeys, ProviderHealth } from '#ports/chain.ts'
import type { Tracing } from '#ports/tracing.ts'
import { prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import type { EmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { createMovableClock } from '#sandbox/movable-clock.ts'
import type { Logger } from '#server/log.ts'
import { createMetrics, type Metrics } from '#server/metrics.ts'
import { createRepeatedLines, OUTAGE_LINES } from '#server/repeated-lines.ts'
import { watchWork } from '#server/work-metrics.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { type Chains, openChains } from './chains.ts'
import { prepareDataDir } from './data-dir.ts'
import { openMigrated } from './database.ts'
import type { DemoChain } from './demo-business.ts'
import { listenAt, tryListening } from './listening.ts'
import { remarksOnMainnet } from './mainnet.ts'
import { connectNetwork, type NetworkRuntime } from './networks.ts'
import { judgePlatformWallet } from './platform-wallet.ts'
import { createPrices } from './prices.ts'
import { loadSecrets } from './secrets.ts'
import { runtimesOf, type ServiceParts } from './services.ts'
import { createStores } from './stores.ts'

export type ServiceOptions = {
  readonly version: string
  readonly log: Logger
  /** Receives the step of the start that is running, for people. */
  readonly progress: (line: string) => void
}

/** What every role of an instance is built from. */
export type Parts = ServiceParts & {
  readonly db: Database
  readonly operatorToken: string
  readonly remarks: readonly string[]
  readonly reloadClock: () => Promise<void>
  readonly tracing: Tracing | null
  readonly metrics: Metrics
  /** null when every network is remote. */
  readonly demoChain: DemoChain | null
  readonly lost: Promise<string>
}

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export async function openParts(
  config: Config,
  options: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<Parts> {
  const { log, progress, version } = options
  await tryListening(listenAt(config))
  const closed = await prepareDataDir(config)
  const { seed, operatorToken, remarks } = await loadSecrets(config.secrets)
  const keys = createDepositKeys(seed)
  let stopping = false
  const stop = (embedded: EmbeddedChain | null) => {
    stopping = true
    return embedded?.stop()
  }
  const { db, chains, demoChain } = await openStorageAndChains(config, { keys, progress, cleanup, stop })
  const { embedded } = chains
  const tracing = config.tracing === null ? null : await openTracing({ ...config.tracing, version }, cleanup)
  const metrics = createMetrics()
  const watchers = [watchWork(metrics), ...(tracing === null ? [] : [tracing.watcher])]
  const stores = watchStores(createStores(db), watchers, systemClock)
  const faults = createRepeatedLines(log, OUTAGE_LINES)
  cleanup.defer(() => faults.close())
  const deriver = createAddressDeriver(seed)
  cleanup.defer(() => deriver.close())
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
      onFault: (fault) =>
        faults.warn(`${network} ${fault.provider} ${fault.fault.kind}`, { network, fault }, 'a provider failed'),
      onStreamFault: (error) => faults.warn(`${network} stream`, { network, err: error }, 'the stream has ended'),
    })
  }
  const networks = { live: await connect('live'), test: await connect('test') }
  gaugeNetworks(metrics, networks)
  await judgePlatformWallet(config.fees.platformWallet, createJudgeSweepDestination(networks, stores.depositAddresses))
  const clock = createMovableClock({ realTime: systemClock, settings: stores.settings })
  if (config.sandbox) await clock.reload()
  return {
    config,
    version,
    seed,
    operatorToken,
    remarks: [...closed, ...remarks, ...remarksOnNetworkFee(config), ...remarksOnMainnet(config, runtimesOf(networks))],
    db,
    stores,
    tracing,
    metrics,
    keys,
    deriveAddresses: deriver.derive,
    networks,
    clock,
    changes: await createIntentChanges(db),
    subscriptionMint: config.subscriptions === null ? null : subscriptionMintOf(config.subscriptions, demoChain),
    demoChain,
    prices: createPrices(config.prices, runtimesOf(networks)),
    reloadClock: clock.reload,
    lost: chainLost(embedded, () => stopping),
  }
}

/** Adds what this process knows of the networks by itself: it has them also while no provider answers. */
function gaugeNetworks(metrics: Metrics, networks: ServiceParts['networks']): void {
  const served = NETWORKS.flatMap((network) => {
    const rpc = networks[network]?.chain.rpc
    return rpc === undefined ? [] : [{ network, rpc }]
  })
  metrics.table('network_served', 'A network that this service has.', ['network'], async () =>
    served.map(({ network }) => ({ of: { network }, value: 1 })),
  )
  metrics.totals('rpc_calls_total', 'Calls of this process to its providers.', ['network', 'method'], async () =>
    served.flatMap(({ network, rpc }) => [...rpc.calls].map(([method, value]) => ({ of: { network, method }, value }))),
  )
  const ofProviders = (figureOf: (health: ProviderHealth) => number | null) => async () =>
    served.flatMap(({ network, rpc }) =>
      rpc.health().flatMap((one) => {
        const value = figureOf(one)
        return value === null ? [] : [{ of: { network, provider: String(one.provider) }, value }]
      }),
    )
  const labels = ['network', 'provider'] as const
  metrics.totals(
    'rpc_failures_total',
    'Failures of a provider, as this process found them.',
    labels,
    ofProviders(({ failures }) => failures),
  )
  metrics.table(
    'rpc_latency_seconds',
    'How long the answers of a provider took lately.',
    labels,
    ofProviders(({ latencyMs }) => (latencyMs === null ? null : latencyMs / 1_000)),
  )
}

/** Loads the packages of OpenTelemetry, which no other service needs. */
async function openTracing(settings: TracingSettings, cleanup: AsyncDisposableStack): Promise<Tracing> {
  const { createTracing } = await import('#adapters/opentelemetry/tracing.ts')
  const tracing = createTracing(settings)
  cleanup.defer(() => tracing.close())
  return tracing
}

type Opened = { readonly db: Database; readonly chains: Chains; readonly demoChain: DemoChain | null }

/** Opens the database and the chains, the embedded ones at the same time: at a first start, each of them takes seconds. */
async function openStorageAndChains(
  config: Config,
  own: {
    readonly keys: DepositKeys
    readonly progress: (line: string) => void
    readonly cleanup: AsyncDisposableStack
    readonly stop: (embedded: EmbeddedChain | null) => Promise<void> | undefined
  },
): Promise<Opened> {
  const { keys, progress, cleanup, stop } = own
  const opening = openMigrated(config.database, progress)
  // A server that cannot be reached, or a directory that another process uses, is refused before a chain is started.
  await (config.database.kind === 'embedded' ? Promise.race([opening, nextTurn()]) : opening)
  const starting = openChains(config, progress)
  const preparing = starting.then(({ embedded }) => prepareChain(config, { embedded, keys, progress }))
  const [db, chains, demoChain] = await Promise.allSettled([opening, starting, preparing])
  if (db.status === 'fulfilled') cleanup.defer(() => db.value.close())
  if (chains.status === 'fulfilled') cleanup.defer(() => stop(chains.value.embedded))
  return { db: outcomeOf(db), chains: outcomeOf(chains), demoChain: outcomeOf(demoChain) }
}

function outcomeOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** Prepares the embedded chain for the demo, with money for the fee payer of each network on it. */
async function prepareChain(
  { chains, dataDir }: Config,
  own: { embedded: EmbeddedChain | null; keys: DepositKeys; progress: (line: string) => void },
): Promise<DemoChain | null> {
  if (own.embedded === null) return null
  const { rpcUrl } = own.embedded
  const feePayers = NETWORKS.filter((network) => chains[network]?.kind === 'embedded').map((network) =>
    own.keys.addressOf({ network, branch: 'fee_payer' }),
  )
  const { mints } = await prepareDemoChain({ rpcUrl, dataDir, feePayers, onProgress: own.progress })
  return { rpcUrl, mints }
}

const subscriptionMintOf = (
  { mint }: NonNullable<Config['subscriptions']>,
  demoChain: DemoChain | null,
): Address | null => mint ?? demoChain?.mints.usd.mint ?? null

/** Resolves when the embedded chain ends without having been stopped. A remote chain that is away comes back by itself. */
function chainLost(embedded: EmbeddedChain | null, isStopping: () => boolean): Promise<string> {
  return new Promise((resolve) => {
    void embedded?.exited.then(() => {
      if (!isStopping()) resolve('The embedded Solana chain ended by itself; start the service again.')
    })
  })
}

/** Returns a warning when NETWORK_FEE_LAMPORTS is less than a settlement in SOL can cost the fee payer; none otherwise. */
export function remarksOnNetworkFee({ fees, settlement }: Pick<Config, 'fees' | 'settlement'>): readonly string[] {
  const cost = highestSolFee(settlement.computeUnitPrice)
  if (fees.networkFee >= cost) return []
  return [
    `Warning: NETWORK_FEE_LAMPORTS is ${fees.networkFee}, and a settlement in SOL costs the fee payer up to ${cost}: you pay the rest.`,
  ]
}
