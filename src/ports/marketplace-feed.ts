// The events of a marketplace's payments for its sellers, in one order that never changes.
import type { Tenant } from '#core/accounts/account.ts'
import type { EventPosition } from '#core/events/log.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

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

export type MarketplaceFeed = {
  /** Returns the position of the present. Events that are being written at this moment follow it. */
  present(): Promise<FeedPosition>
  /** Returns whether every event after the position is certainly still stored. */
  reaches(position: FeedPosition): boolean
  /** Returns every event after the position: first the stored ones, then each new one. Ends when the signal aborts. */
  follow(marketplace: Tenant, after: FeedPosition, signal: AbortSignal): AsyncIterable<FeedEvent>
}
