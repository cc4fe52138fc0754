// A delivery: one event on its way to one endpoint, as workers lease it and as people see it.
import type { StoredEvent } from '#core/events/envelope.ts'
import type { DeliveryVerdict } from '#core/events/retry-schedule.ts'
import type { WebhookSecretState } from './endpoint.ts'

/**
 * How long a delivery is kept after it ended, and an event after it was staged, in milliseconds. An event is kept for as
 * long as a delivery of it is. docs/contract.md, "Events and webhooks".
 */
export const RETENTION_MS = 60 * 24 * 60 * 60 * 1_000

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * The right of a worker to send a delivery. Writes name its fence, and find no row after another worker took over. `url` is the
 * address of the endpoint when the delivery was leased.
 */
export type DeliveryLease = { readonly deliveryId: string; readonly fence: bigint; readonly url: string }

export type LeasedDelivery = {
  readonly lease: DeliveryLease
  /** Attempts already made and recorded. */
  readonly attempts: number
  readonly event: StoredEvent
  readonly endpoint: {
    readonly id: string
    readonly url: string
    readonly isDisabled: boolean
    readonly secretState: WebhookSecretState
  }
}

export type DeliveryOutcome = {
  readonly verdict: DeliveryVerdict
  /** Null when nothing was sent, because the endpoint is disabled. */
  readonly attempt: AttemptRecord | null
  readonly at: Date
}

/** A request, and what came back but for its status. */
export type AttemptRecord = {
  readonly startedAt: Date
  readonly durationMs: number
  readonly requestHeaders: Readonly<Record<string, string>>
  /** Null when there was no answer. */
  readonly response: { readonly headers: Readonly<Record<string, string>>; readonly body: string } | null
}

/** The attempts that a delivery keeps: those of the schedule, and the newest after it. */
export const KEPT_ATTEMPTS = 20

export type Delivery = {
  readonly id: string
  readonly eventId: string
  readonly type: string
  /** The account that owns the endpoint. */
  readonly accountId: string
  readonly endpointId: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAttemptAt: Date
  readonly lastStatusCode: number | null
  readonly lastError: string | null
  readonly createdAt: Date
}
