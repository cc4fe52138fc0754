// The parts of an instance: settings → adapters → stores, chains, clock and prices.
import { systemClock } from '#adapters/node/clock.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createIntentChanges } from '#adapters/prisma/payments/payment-changes.ts'
import { createAddressDeriver } from '#adapters/solana/keys/address-deriver.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { seedFingerprint } from '#adapters/solana/keys/seed.ts'
import type { Config } from '#config/config.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { demoDollar } from '#sandbox/chain/demo-chain.ts'
import type { EmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { createMovableClock } from '#sandbox/movable-clock.ts'
import type { Logger } from '#server/log.ts'
import { createRepeatedLines, OUTAGE_LINES } from '#server/repeated-lines.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { openChains } from './chains.ts'
import { prepareDataDir } from './data-dir.ts'
import { openMigrated } from './database.ts'
import { tryListening } from './listening.ts'
import { remarksOnMainnet } from './mainnet.ts'
import { remarksOnNetworkFee } from './network-fee.ts'
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
  readonly lost: Promise<string>
}

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export async function openParts(
  config: Config,
  options: ServiceOptions,
  cleanup: AsyncDisposableStack,
): Promise<Parts> {
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
  const faults = createRepeatedLines(log, OUTAGE_LINES)
  cleanup.defer(() => faults.close())
  const deriver = createAddressDeriver(seed)
  cleanup.defer(() => deriver.close())
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
      onFault: (fault) =>
        faults.warn(`${network} ${fault.provider} ${fault.fault.kind}`, { network, fault }, 'a provider failed'),
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
    remarks: [...closed, ...remarks, ...remarksOnNetworkFee(config), ...remarksOnMainnet(config, runtimesOf(networks))],
    db,
    stores,
    keys,
    deriveAddresses: deriver.derive,
    networks,
    clock,
    changes: await createIntentChanges(db),
    subscriptionMint: await subscriptionMintOf(config, embeddedRpcUrl),
    embeddedRpcUrl,
    prices: createPrices(config.prices, runtimesOf(networks)),
    reloadClock: clock.reload,
    lost: chainLost(embedded, () => stopping),
  }
}

async function subscriptionMintOf(
  { subscriptions, dataDir }: Config,
  embeddedRpcUrl: string | null,
): Promise<Address | null> {
  if (subscriptions === null) return null
  return subscriptions.mint ?? (embeddedRpcUrl === null ? null : await demoDollar(dataDir))
}

/** Resolves when the embedded chain ends without having been stopped. A remote chain that is away comes back by itself. */
function chainLost(embedded: EmbeddedChain | null, isStopping: () => boolean): Promise<string> {
  return new Promise((resolve) => {
    void embedded?.exited.then(() => {
      if (!isStopping()) resolve('The embedded Solana chain ended by itself; start the service again.')
    })
  })
}
