// Live status of recurring billing, on every instance.
import type { BillingSubscription } from '#core/billing/subscription.ts'

/** A wait for changes of subjects. It ends with its signal. */
export type Watch = {
  /**
   * Waits for changes of these subscriptions and checkouts as well. Returns whether one of them is new. Once the signal aborts,
   * it waits for none and returns false.
   */
  include(ids: readonly (string | null)[]): boolean
  /** Resolves after a change, also one from before the call. Resolves to false once the signal aborts. */
  changed(): Promise<boolean>
}

export type LiveSubscriptions = {
  /**
   * Returns the present subscription, then the snapshot of every later event, in order. A change without an event is shown from
   * the row, after the last event. Ends when the signal aborts.
   */
  follow(subscriptionId: string, signal: AbortSignal): AsyncIterable<BillingSubscription>
  watch(signal: AbortSignal): Watch
}
