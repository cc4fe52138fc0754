// The events of a marketplace's payments for its sellers, in one order that never changes.
import type { Tenant } from '#core/accounts/account.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** A place between two events. */
export type FeedPosition = {
  /** The number of the database transaction that staged the event before it. */
  readonly transaction: bigint
  /** The number of that event. */
  readonly sequence: bigint
  readonly at: Date
}

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
