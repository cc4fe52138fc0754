// Opens the networks of a deployment, and checks that each is the one that its database was first used with.
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { type ChainMonitor, createChain } from '#adapters/solana/chain.ts'
import { createStreams, createWebsocketNotices } from '#adapters/solana/notices/notice-source.ts'
import { loadStreams, type OpenStream } from '#adapters/solana/notices/stream-feed.ts'
import { StreamNotices } from '#adapters/solana/notices/stream-notices.ts'
import type { FaultListener } from '#adapters/solana/rpc/provider.ts'
import type { StreamConfig } from '#config/chain.ts'
import { ConfigError } from '#config/setting.ts'
import { type SettingName, unusable } from '#config/settings.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, Chain, DepositKeys } from '#ports/chain.ts'
import type { NetworkStore } from '#ports/platform.ts'

export type NetworkRuntime = {
  readonly network: Network
  readonly chain: Chain & ChainMonitor
  readonly rpcUrl: string
  readonly genesisHash: string
  /** Whether the service runs this chain itself, and moves its clock with the clock of the sandbox. */
  readonly isEmbedded: boolean
  readonly feePayer: Address
  /** Opened by workers only; an API instance needs no account notices. */
  openNotices(): AccountNotices & FinalityNotices
}

export type Endpoints = {
  readonly rpcUrls: readonly string[]
  readonly wsUrls: readonly string[]
  readonly stream: StreamConfig | null
}

export async function connectNetwork(options: {
  network: Network
  endpoints: Endpoints
  isEmbedded: boolean
  keys: DepositKeys
  computeUnitPrice: bigint
  seedFingerprint: string
  /** The setting of the seed, named in the error when it is not the seed of the database. */
  seedSetting: SettingName
  store: NetworkStore
  /** Receives the faults of providers, except those that stop the start: these are in its error. */
  onFault: FaultListener
  /** Receives why a stream could not be opened, or has ended. */
  onStreamFault: (error: unknown) => void
}): Promise<NetworkRuntime> {
  const { network, endpoints, keys, computeUnitPrice, seedFingerprint } = options
  const faults = createFaults(options.onFault)
  const chain = createChain({
    network,
    rpcUrls: endpoints.rpcUrls,
    depositKeys: keys,
    clock: systemClock,
    computeUnitPrice,
    onFault: faults.add,
  })
  const openStream = streamsOf(endpoints)
  const genesisHash = await chain.genesisHash().catch((error: unknown) => {
    throw options.isEmbedded ? error : notReached(network, error, faults.kept())
  })
  faults.flush()
  const remembered = await options.store.remember(network, { genesisHash, seedFingerprint })
  if (remembered.genesisHash !== genesisHash) throw new ConfigError(otherChain(network))
  if (remembered.seedFingerprint !== seedFingerprint) throw new ConfigError(`${options.seedSetting}: ${OTHER_SEED}`)
  return {
    network,
    chain,
    rpcUrl: endpoints.rpcUrls[0] ?? '',
    genesisHash,
    isEmbedded: options.isEmbedded,
    feePayer: keys.addressOf({ network, branch: 'fee_payer' }),
    openNotices: () => {
      const common = { clock: systemClock, random, newestSlot: chain.reads.newestSlot }
      const websockets = createWebsocketNotices({ ...common, wsUrls: endpoints.wsUrls })
      if (openStream === null) return websockets
      const stream = createStreams({ ...common, openStream, onFault: options.onStreamFault })
      return new StreamNotices(stream, websockets, systemClock)
    },
  }
}

function streamsOf({ stream }: Endpoints): OpenStream | null {
  if (stream === null) return null
  try {
    return loadStreams(stream.url, stream.token)
  } catch {
    throw new ConfigError(
      'STREAM_URL: the client for streams cannot be loaded; run `npm install @triton-one/yellowstone-grpc`, or leave the setting out',
    )
  }
}

type Fault = Parameters<FaultListener>[0]

/**
 * Keeps the faults of the first question back. They are logged when a provider has answered; otherwise the error has them.
 */
function createFaults(onFault: FaultListener) {
  const kept: Fault[] = []
  let isKept = true
  return {
    add: (fault: Fault): void => void (isKept ? kept.push(fault) : onFault(fault)),
    kept: (): readonly Fault[] => kept,
    flush(): void {
      isKept = false
      kept.forEach(onFault)
    },
  }
}

function notReached(network: Network, error: unknown, faults: readonly Fault[]): unknown {
  if (!hasCode(error, 'chain_unavailable')) return error
  if (error.context.reason !== undefined) return unusable(settingOf(network), String(error.context.reason))
  const reports = faults.map(
    ({ provider, fault }) =>
      `${provider}: ${fault.kind === 'failed' && fault.status === 0 ? 'no answer' : fault.message}`,
  )
  return unusable(settingOf(network), `no provider answers as a Solana node does (${reports.join(', ')})`)
}

const settingOf = (network: Network): SettingName => (network === 'live' ? 'SOLANA_RPC_URL' : 'SOLANA_TEST_RPC_URL')

const otherChain = (network: Network): string =>
  `${settingOf(network)}: this database belongs to another chain; ` +
  'point it at the one it was started with, or give the service another database'

const OTHER_SEED =
  'this database was started with another seed, and its deposit addresses are derived from that one; restore it'
