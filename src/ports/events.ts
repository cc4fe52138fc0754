// The parts of webhook delivery outside the services: signing secrets, HTTP, and stored deliveries. The log of events.
import type { Tenant } from '#core/accounts/account.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import type { Network } from '#core/chain/types.ts'
import type { Delivery, DeliveryLease, DeliveryOutcome, DeliveryStatus, LeasedDelivery } from '#core/events/delivery.ts'
import type { WebhookEndpoint, WebhookSecretState } from '#core/events/endpoint.ts'
import type { LoggedEvent, LogPage } from '#core/events/envelope.ts'
import type { WebhookAnswer } from '#core/events/retry-schedule.ts'

export type WebhookSecrets = {
  /** Returns 24 to 64 bytes, derived from the master seed and never stored; the same arguments give the same bytes. */
  secret(endpointId: string, version: number): Uint8Array
}

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'eventTypes' | 'disabledAt'>

/** What is left out stays. To enable an endpoint clears the reason why it was disabled. */
export type WebhookEndpointPatch = Partial<Pick<WebhookEndpoint, 'url' | 'description' | 'eventTypes'>> & {
  readonly isEnabled?: boolean
}

/** The endpoints of a business. One that is deleted does not change. Each change has its entry in the audit log. */
export type WebhookEndpointStore = {
  /** Pins the endpoint to the present version. Returns null when the business has `MAX_ENDPOINTS` already. */
  create(tenant: Tenant, endpoint: NewWebhookEndpoint, by: Authorship): Promise<WebhookEndpoint | null>
  /** Finds an endpoint, also one that is deleted. */
  find(tenant: Tenant, id: string): Promise<WebhookEndpoint | null>
  update(tenant: Tenant, id: string, patch: WebhookEndpointPatch, by: Authorship): Promise<WebhookEndpoint | null>
  /** Ends its deliveries, and returns it as it is then. */
  delete(tenant: Tenant, id: string, by: Authorship): Promise<WebhookEndpoint | null>
  /** Replaces the state of its secret. Returns false when the state is no longer `from`, or the endpoint is gone. */
  setSecret(
    tenant: Tenant,
    id: string,
    from: WebhookSecretState,
    to: WebhookSecretState,
    by: Authorship,
  ): Promise<boolean>
}

export type WebhookRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type WebhookSender = {
  /** Posts once, within a bounded time. Never throws: a failure is an answer. */
  send(request: WebhookRequest): Promise<WebhookAnswer>
}

export type DeliveryClaim = {
  readonly now: Date
  readonly leaseMs: number
  readonly limit: number
  readonly perEndpoint: number
  /** The endpoints that may have one delivery in flight only. */
  readonly failing: readonly string[]
  /** The endpoints that get nothing for now. */
  readonly resting: readonly string[]
  /** The id of the worker's heartbeat. */
  readonly worker: string
  /** A worker without a heartbeat for longer counts as dead. */
  readonly deadAfterMs: number
}

/** Deliveries of every business, for workers. No edge gets this store. */
export type DeliveryStore = {
  /**
   * Claims up to `limit` due deliveries without a lease, each with a new fence, until `now + leaseMs`. An endpoint has at
   * most `perEndpoint` deliveries in flight, and endpoints with the fewest come first. An event that was never sent waits
   * while an earlier event of the same subject is unsent at the endpoint. Then it goes to the end of the endpoint's queue,
   * so that subjects take turns; first and later attempts take turns too. A delivery is also free when the worker with
   * its lease is dead, by the clock of the database.
   */
  claim(options: DeliveryClaim): Promise<readonly LeasedDelivery[]>
  /**
   * Writes the outcome of an attempt, which may disable the endpoint. When the endpoint has another address by then, it is
   * not disabled, and the delivery is sent there. Returns false when the lease is lost.
   */
  record(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<boolean>
}

/** Deliveries to one endpoint of events from `since` on, and before `until` where it is given. */
export type DeliveryPart = {
  readonly endpointId: string
  readonly statuses: readonly DeliveryStatus[]
  readonly since: Date
  readonly until: Date | null
}

export type DeliveryLogStore = {
  /** Returns deliveries, the newest first. `accountId` owns the endpoint or is the seller whose event it is. */
  list(filter: { accountId: string | null; status: DeliveryStatus | null; limit: number }): Promise<readonly Delivery[]>
  /**
   * Stages a `webhook.test` with a delivery to every endpoint of the account that is not disabled, or to one of them, whatever
   * types it has chosen. Returns the deliveries.
   */
  stageTest(account: {
    readonly accountId: string
    /** Null for every endpoint. */
    readonly endpointId: string | null
    readonly network: Network
    readonly at: Date
  }): Promise<readonly Delivery[]>
  /** Makes a delivery due now, in any status. Returns null when it does not exist. */
  rearm(id: string, now: Date): Promise<Delivery | null>
  /** Does the same for a business. `isDisabled`: nothing was done, because the endpoint is disabled. */
  rearmOf(tenant: Tenant, id: string, now: Date): Promise<(Delivery & { readonly isDisabled: boolean }) | null>
  /** Makes the oldest `limit` deliveries of a part due now. Returns their number. */
  rearmAll(tenant: Tenant, part: DeliveryPart, options: { now: Date; limit: number }): Promise<number>
  /** Deletes up to `limit` deliveries that ended before `before`. Returns their number. */
  prune(options: { before: Date; limit: number }): Promise<number>
  /**
   * Reads the `limit` oldest events after a place in the log. Deletes the events that were created before `before` and have
   * no delivery left. `next` is the place to continue from; null when all later events are newer.
   */
  pruneEvents(options: {
    before: Date
    after: bigint
    limit: number
  }): Promise<{ readonly deleted: number; readonly next: bigint | null }>
}

/** The stored event log of each business. */
export type EventLog = {
  /**
   * Returns the events that the business receives, those of its sellers included, whose place in the order is certain. An
   * event that is read later has a place behind them. Deleted events are missing.
   */
  read(tenant: Tenant, page: LogPage): Promise<readonly LoggedEvent[]>
  /** Finds an event that the business receives, also one whose place in the order is not certain yet. */
  find(tenant: Tenant, id: string): Promise<LoggedEvent | null>
}
