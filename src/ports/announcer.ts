// Notices to the other instances, which then read again at once instead of in a few seconds. A lost notice costs seconds,
// never correctness.
export type Announcer = {
  /** Accounts, keys or the allowlist changed. */
  directoryChanged(): Promise<void>
  /** The sandbox's clock was moved. */
  clockMoved(): Promise<void>
}
