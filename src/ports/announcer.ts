// What an instance tells the others, so that they look again at once instead of in a few seconds. A hint: lost ones
// cost seconds, never correctness.
export type Announcer = {
  /** Accounts, keys or the allowlist changed. */
  directoryChanged(): Promise<void>
  /** The sandbox's clock was moved. */
  clockMoved(): Promise<void>
}
