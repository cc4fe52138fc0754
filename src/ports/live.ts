// Live status, to every subscriber, on every instance.
import type { Tenant } from '#core/accounts/account.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { EventPosition, LoggedEvent } from '#core/events/envelope.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** Every change of an intent. */
export type LiveEvents = {
  /**
   * Returns the present intent, then the snapshot of every later event, in order. A change without an event is shown from
   * the row, after the last event. Ends when the signal aborts.
   */
  follow(intentId: string, signal: AbortSignal): AsyncIterable<PaymentIntent>
}

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

/** Every change of recurring billing. */
export type LiveSubscriptions = {
  /**
   * Returns the present subscription, then the snapshot of every later event, in order. A change without an event is shown from
   * the row, after the last event. Ends when the signal aborts.
   */
  follow(subscriptionId: string, signal: AbortSignal): AsyncIterable<BillingSubscription>
  watch(signal: AbortSignal): Watch
}

/** A place between two events. `at` is the time of the event before it, or of the present when that was read. */
export type FeedPosition = EventPosition & { readonly at: Date }

export type FeedEvent = {
  /** The place after the event. */
  readonly position: FeedPosition
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** The payment after the event. */
  readonly payment: PaymentIntent
}

/** The events of a marketplace's payments for its sellers, in one order that never changes. */
export type MarketplaceFeed = {
  /** Returns the position of the present. Events that are being written at this moment follow it. */
  present(): Promise<FeedPosition>
  /** Returns whether every event after the position is certainly still stored. */
  reaches(position: FeedPosition): boolean
  /** Returns every event after the position: first the stored ones, then each new one. Ends when the signal aborts. */
  follow(marketplace: Tenant, after: FeedPosition, signal: AbortSignal): AsyncIterable<FeedEvent>
}

/** The event log of each business as it grows. */
export type LiveEventLog = {
  /** Returns a place that every later event follows. */
  present(): Promise<EventPosition>
  /** Returns every event after a place, in the order of the log, and then each new one. Ends when the signal aborts. */
  follow(tenant: Tenant, after: EventPosition, signal: AbortSignal): AsyncIterable<LoggedEvent>
}
