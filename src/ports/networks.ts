// The networks that this database belongs to.
import type { Network } from '#core/chain/types.ts'

export type NetworkStore = {
  /** Stores a network at the first start. Returns the stored network at later starts. */
  remember(
    network: Network,
    identity: { genesisHash: string; seedFingerprint: string },
  ): Promise<{ genesisHash: string; seedFingerprint: string }>
}
