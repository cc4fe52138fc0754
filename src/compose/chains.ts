// Opens the chains that the settings name. The embedded chain is started first, once for both networks.
import type { Config } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { NETWORKS, type Network } from '#core/chain/types.ts'
import { type EmbeddedChain, startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import type { Endpoints } from './networks.ts'

export type Chains = {
  readonly endpoints: Readonly<Record<Network, Endpoints | null>>
  /** null when every network is remote. */
  readonly embedded: EmbeddedChain | null
}

export async function openChains(config: Config, progress: (line: string) => void): Promise<Chains> {
  const setting = NETWORKS.map((network) => config.chains[network]).find((chain) => chain?.kind === 'embedded')
  const embedded = setting?.kind === 'embedded' ? await startEmbedded(config, setting.slotMs, progress) : null
  const endpointsOf = (network: Network): Endpoints | null => {
    const chain = config.chains[network]
    if (chain === null) return null
    if (chain.kind === 'remote') return chain
    return embedded === null ? null : { rpcUrls: [embedded.rpcUrl], wsUrls: [embedded.wsUrl], stream: null }
  }
  return { embedded, endpoints: { live: endpointsOf('live'), test: endpointsOf('test') } }
}

async function startEmbedded(
  config: Config,
  slotTimeMs: number,
  progress: (line: string) => void,
): Promise<EmbeddedChain> {
  progress('starting the embedded Solana chain')
  try {
    return await startEmbeddedChain({ dataDir: config.dataDir, slotTimeMs, onProgress: progress })
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
