// The networks that this database has met.
import type { Network } from '#core/chain/types.ts'

export type NetworkStore = {
  /** Remembers a network at its first start; afterwards returns what was remembered. */
  remember(
    network: Network,
    identity: { genesisHash: string; seedFingerprint: string },
  ): Promise<{ genesisHash: string; seedFingerprint: string }>
}
