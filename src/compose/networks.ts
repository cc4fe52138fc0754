// The networks that a deployment serves, each proved to be the one that its database has met before.

import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { type ChainMonitor, createChain } from '#adapters/solana/chain.ts'
import { createTouchSource } from '#adapters/solana/touch-source.ts'
import { ConfigError, type SettingName } from '#config.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { Chain, DepositKeys, TouchSource } from '#ports/chain.ts'
import type { NetworkStore } from '#ports/stores.ts'

export type NetworkRuntime = {
  readonly network: Network
  readonly chain: Chain & ChainMonitor
  readonly rpcUrl: string
  readonly genesisHash: string
  /** Whether it is the chain that the service runs itself, whose clock moves with the sandbox's. */
  readonly isEmbedded: boolean
  readonly feePayer: Address
  /** Opened by a worker; an API instance listens to nothing. */
  openTouches(): TouchSource & FinalityNotices
}

export type Endpoints = { readonly rpcUrls: readonly string[]; readonly wsUrls: readonly string[] }

export async function connectNetwork(options: {
  network: Network
  endpoints: Endpoints
  isEmbedded: boolean
  keys: DepositKeys
  computeUnitPrice: bigint
  seedFingerprint: string
  /** Where the seed comes from: to be named when it is not the database's. */
  seedSetting: SettingName
  store: NetworkStore
  onFault: (fault: unknown) => void
}): Promise<NetworkRuntime> {
  const { network, endpoints, keys, computeUnitPrice, seedFingerprint } = options
  const chain = createChain({
    network,
    rpcUrls: endpoints.rpcUrls,
    depositKeys: keys,
    clock: systemClock,
    computeUnitPrice,
    onFault: options.onFault,
  })
  const genesisHash = await chain.genesisHash()
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
    openTouches: () => createTouchSource({ wsUrls: endpoints.wsUrls, clock: systemClock, random }),
  }
}

const otherChain = (network: Network): string =>
  `${network === 'live' ? 'SOLANA_RPC_URL' : 'SOLANA_TEST_RPC_URL'}: this database belongs to another chain; ` +
  'point it at the one it was started with, or give the service another database'

const OTHER_SEED =
  'this database was started with another seed, and its deposit addresses are derived from that one; restore it'
