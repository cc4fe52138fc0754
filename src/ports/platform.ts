// What the instances of a deployment store and share about themselves.
import type { Network } from '#core/chain/types.ts'

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
export type Standby = { readonly name: string; readonly isSynchronous: boolean | null }

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
