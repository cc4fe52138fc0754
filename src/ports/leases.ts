// What only one instance does at a time.

/** What only one instance should do at a time. A lease saves work; nothing that must hold rests on it. */
export type LeaseStore = {
  /** Takes or renews; false while somebody else holds it. Time is the database's. */
  hold(name: string, holder: string, forMs: number): Promise<boolean>
  release(name: string, holder: string): Promise<void>
}
