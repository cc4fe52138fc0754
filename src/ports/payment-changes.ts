// Waits for a payment to change, on any instance, without a query in a loop.

export type IntentChanges = {
  /** Begins to watch an intent: a change after this is not missed. Ends when the signal aborts. */
  watch(intentId: string, signal?: AbortSignal): IntentWatch
}

export type IntentWatch = {
  /**
   * Resolves soon after a change that came since the last call, at the latest after `ms` milliseconds, and at once when
   * the watch has ended. Returns for how many milliseconds it waited. A notice can be lost, so read the payment in any case.
   */
  next(ms: number): Promise<number>
  close(): void
}
