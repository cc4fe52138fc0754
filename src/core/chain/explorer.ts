// Pages about transactions, for people.

/** The clusters that the explorer knows, as `walletChainOf` names them. */
const CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['solana:mainnet', ''],
  ['solana:devnet', '?cluster=devnet'],
  ['solana:testnet', '?cluster=testnet'],
])

/** Returns the page of the explorer about a transaction; null for a chain that it does not know. */
export const explorerUrl = (signature: string, chain: string): string | null => pageOf('tx', signature, chain)

/** Returns the page of the explorer about an address; null for a chain that it does not know. */
export const addressUrl = (address: string, chain: string): string | null => pageOf('address', address, chain)

function pageOf(kind: 'tx' | 'address', name: string, chain: string): string | null {
  const cluster = CLUSTERS.get(chain)
  return cluster === undefined ? null : `https://explorer.solana.com/${kind}/${encodeURIComponent(name)}${cluster}`
}
