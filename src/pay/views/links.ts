// Addresses and transactions as people see them.

/** The clusters that the explorer knows, by the names of wallets. */
const CLUSTERS: Readonly<Record<string, string>> = {
  'solana:mainnet': '',
  'solana:devnet': '?cluster=devnet',
  'solana:testnet': '?cluster=testnet',
}

/** Returns the page of an explorer for a transaction; null for a chain that it does not know. */
export function explorerUrl(signature: string, chain: string): string | null {
  const cluster = CLUSTERS[chain]
  return cluster === undefined ? null : `https://explorer.solana.com/tx/${encodeURIComponent(signature)}${cluster}`
}

/** Returns both ends of an address or a signature. */
export const shortened = (text: string): string => `${text.slice(0, 6)}…${text.slice(-6)}`
