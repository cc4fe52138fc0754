// The event log of a business: every event that its webhooks can deliver, in one order that never changes.
import type { StoredEvent } from '#core/events/envelope.ts'

/** A place between two events. */
export type EventPosition = {
  /** The number of the database transaction that staged the event before it. */
  readonly transaction: bigint
  /** The number of that event. */
  readonly sequence: bigint
}

export type LoggedEvent = StoredEvent & {
  /** The place after the event. */
  readonly position: EventPosition
  /** The version of its subject after the event. */
  readonly version: number
}

/** A part of the log. `asc` begins with the oldest event behind `after`, `desc` with the newest event before `before`. */
export type LogPage = {
  readonly after: EventPosition | null
  readonly before: EventPosition | null
  readonly order: 'asc' | 'desc'
  readonly limit: number
}
