// What the instances of a deployment store and share about themselves.
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/obstacle.ts'
import type { Token } from '#core/tokens/token.ts'

/** Stored state of the service itself, by key. */
export type SettingStore = {
  read(key: string): Promise<unknown>
  write(key: string, value: unknown): Promise<void>
}

/** The networks that this database belongs to. */
export type NetworkStore = {
  /** Stores a network at the first start. Returns the stored network at later starts. */
  remember(
    network: Network,
    identity: { genesisHash: string; seedFingerprint: string },
  ): Promise<{ genesisHash: string; seedFingerprint: string }>
}

/** Leases on work that one instance does at a time. A lease avoids work that is done twice. No rule of correctness depends on it. */
export type LeaseStore = {
  /** Takes or renews the lease. Returns false while another holder has it. Time is the database's. */
  acquire(name: string, holder: string, forMs: number): Promise<boolean>
  /** Ends the lease of this holder before its time. */
  giveBack(name: string, holder: string): Promise<void>
}

/**
 * Notices to the other instances, which then read again at once instead of in a few seconds. A lost notice costs seconds, never
 * correctness.
 */
export type Announcer = {
  /** Accounts, keys or the allowlist changed. */
  directoryChanged(): Promise<void>
  /** The sandbox's clock was moved. */
  clockMoved(): Promise<void>
}

/** A standby of the database. `isSynchronous`: a commit waits for it. null when the role of the service may not see it. */
type Standby = { readonly name: string; readonly isSynchronous: boolean | null }

/** What the database says about itself. */
export type DatabaseLineage = {
  /**
   * Returns the timeline of the database: another one after a standby took over, or a backup was restored to a point in time. Rows
   * of the last moment may be lost then.
   */
  timeline(): Promise<string>
  /** Returns the standbys that are connected. */
  standbys(): Promise<readonly Standby[]>
}

// The lists that an operator keeps: tokens that are accepted, and wallets to which nothing is returned automatically.

export type TokenStore = {
  /** Stores a token. One that is stored already keeps its image, whatever is given. */
  save(token: Token): Promise<Token>
  /** Changes the image alone: what else is known of the token may change meanwhile. Returns null for an unknown token. */
  saveImage(network: Network, asset: Asset, imageName: string | null): Promise<Token | null>
  list(network: Network | null): Promise<readonly Token[]>
  find(network: Network, asset: Asset): Promise<Token | null>
}

export type CustodianStore = {
  /** Adds wallets, or changes their labels, in one transaction. */
  save(custodians: readonly Custodian[]): Promise<void>
  /** Returns false when the wallet was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
  list(network: Network | null): Promise<readonly Custodian[]>
}
