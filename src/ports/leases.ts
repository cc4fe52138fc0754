// Leases on work that one instance does at a time.

/** A lease avoids work that is done twice. No rule of correctness depends on it. */
export type LeaseStore = {
  /** Takes or renews the lease. Returns false while another holder has it. Time is the database's. */
  acquire(name: string, holder: string, forMs: number): Promise<boolean>
  /** Ends the lease of this holder before its time. */
  giveBack(name: string, holder: string): Promise<void>
}
