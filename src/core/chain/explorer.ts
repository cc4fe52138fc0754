// Pages about transactions, for people.

/** The clusters that the explorer knows, as `walletChainOf` names them. */
const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['solana:mainnet', ''],
  ['solana:devnet', '?cluster=devnet'],
  ['solana:testnet', '?cluster=testnet'],
])

/** Returns the page of the explorer about a transaction; null for a chain that it does not know. */
export function explorerUrl(signature: string, chain: string): string | null {
  const cluster = CLUSTERS.get(chain)
  return cluster === undefined ? null : `https://explorer.solana.com/tx/${encodeURIComponent(signature)}${cluster}`
}
