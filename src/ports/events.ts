// What sending webhooks needs of the world: the secrets that sign, the wire, and the deliveries as they are kept.
import type { Delivery, DeliveryLease, DeliveryOutcome, DeliveryStatus, LeasedDelivery } from '#core/events/delivery.ts'
import type { WebhookAnswer } from '#core/events/retry-schedule.ts'

export type WebhookSecrets = {
  /** 24 to 64 bytes, derived from the master seed and never stored; the same arguments give the same bytes. */
  secret(accountId: string, version: number): Uint8Array
}

export type WebhookRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type WebhookSender = {
  /** Posts once, within a bounded time. Never throws: whatever goes wrong is an answer. */
  send(request: WebhookRequest): Promise<WebhookAnswer>
}

export type DeliveryClaim = {
  readonly now: Date
  readonly leaseMs: number
  readonly limit: number
  readonly perEndpoint: number
  /** The id under which the worker beats. */
  readonly worker: string
  /** In real time, as heartbeats are. */
  readonly aliveSince: Date
}

/** What workers do with deliveries, every business's; no edge is given one. */
export type DeliveryStore = {
  /**
   * Takes up to `limit` due deliveries that nobody holds, each with a new fence, until `now + leaseMs`. No endpoint
   * has more than `perEndpoint` in flight, and those with the fewest come first. An event that was never sent waits
   * while an earlier one of the same intent is still unsent there, and then goes to the end of the endpoint's queue, so
   * intents take turns; first attempts and later ones do as well. A delivery is free, too, when another worker holds it
   * whose last heartbeat is older than `aliveSince`.
   */
  claim(options: DeliveryClaim): Promise<readonly LeasedDelivery[]>
  /** Writes what became of an attempt, and disables the endpoint when told to. False when the lease is lost. */
  record(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<boolean>
}

export type DeliveryLogStore = {
  /** Newest first. `accountId` owns the endpoint or is the seller whose event it is. */
  list(filter: { accountId: string | null; status: DeliveryStatus | null; limit: number }): Promise<readonly Delivery[]>
  /** Makes a delivery due now, whatever became of it; null when there is none. */
  rearm(id: string, now: Date): Promise<Delivery | null>
  /** Deletes up to `limit` deliveries that ended before `before`; how many. */
  prune(options: { before: Date; limit: number }): Promise<number>
  /**
   * Looks at the `limit` oldest events after a place in the log, and deletes those that were created before `before` and
   * have no delivery left. `next` is the place to go on from; null where everything behind it is newer.
   */
  pruneEvents(options: {
    before: Date
    after: bigint
    limit: number
  }): Promise<{ readonly deleted: number; readonly next: bigint | null }>
}
