// Renders the body of every webhook: the data with its type, time and account. docs/contract.md, "Events and webhooks".
import type { Network } from '#core/chain/types.ts'
import { API_VERSION, type EventSubjects } from './subjects.ts'

/** An event as it was staged. `data` is the snapshot of its subject. */
export type StoredEvent = {
  /** Which room's payload it has. */
  readonly subjectKind: string
  /** UUID. Also `webhook-id`, and so the same in every attempt and at every endpoint. */
  readonly id: string
  readonly type: string
  readonly network: Network
  readonly createdAt: Date
  readonly data: unknown
  /** Whose event it is: the business, or a marketplace's seller. */
  readonly account: {
    readonly id: string
    readonly name: string
    readonly isSeller: boolean
    readonly externalId: string | null
  }
}

export type WebhookEnvelope = {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly api_version: string
  readonly livemode: boolean
  readonly account: {
    readonly id: string
    readonly name: string
    readonly is_seller: boolean
    readonly external_id: string | null
  }
  readonly data: object
}

/**
 * Renders an event. Throws RangeError when this version does not know its type, or the shape of its data. `chain` is the chain of
 * its network, as `walletChainOf` names it.
 */
export const renderEnvelope = (
  event: StoredEvent,
  subjects: Pick<EventSubjects, 'render'>,
  chain: string,
): WebhookEnvelope => ({
  id: event.id,
  type: event.type,
  timestamp: event.createdAt.toISOString(),
  api_version: API_VERSION,
  livemode: event.network === 'live',
  account: {
    id: event.account.id,
    name: event.account.name,
    is_seller: event.account.isSeller,
    external_id: event.account.externalId,
  },
  data: subjects.render(event, chain),
})

// The event log of a business: every event that its webhooks can deliver, in one order that never changes.

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

/** Which events of a log are read. */
export type LogFilter = {
  /** The type of the events; null for all. */
  readonly type: string | null
  /** Events at this time or later; null for all. */
  readonly from: Date | null
  /** Events before this time; null for all. */
  readonly to: Date | null
  /** The seller that the events are about; null for all of them, and for the business itself. */
  readonly sellerId: string | null
  /** The subscription that the events are about, itself or by a charge; null for all events. */
  readonly subscriptionId: string | null
}

/** A part of the log. `asc` begins with the oldest event behind `after`, `desc` with the newest event before `before`. */
export type LogPage = LogFilter & {
  readonly after: EventPosition | null
  readonly before: EventPosition | null
  readonly order: 'asc' | 'desc'
  readonly limit: number
}
