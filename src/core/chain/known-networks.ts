// Solana's public clusters, identified by the hash of their first block.

export const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

const CLUSTERS: ReadonlyMap<string, string> = new Map([
  [MAINNET_GENESIS_HASH, 'mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
])

/** Returns `mainnet-beta`, `devnet` or `testnet`; any other chain is `localnet`. */
export const clusterOf = (genesisHash: string): string => CLUSTERS.get(genesisHash) ?? 'localnet'

/** Returns the chain as the Wallet Standard names it, such as `solana:mainnet`. */
export const walletChainOf = (genesisHash: string): string =>
  `solana:${clusterOf(genesisHash) === 'mainnet-beta' ? 'mainnet' : clusterOf(genesisHash)}`
