// The event log of a business: its events in order, each with the body of its webhook.

import type { Tenant } from '#core/accounts/account.ts'
import { PAYOUT_EVENTS } from '#core/accounts/payout-change.ts'
import { CHARGE_EVENTS, SUBSCRIPTION_EVENTS } from '#core/billing/payload.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import {
  type LoggedEvent,
  type LogPage,
  renderEnvelope,
  type StoredEvent,
  type WebhookEnvelope,
} from '#core/events/envelope.ts'
import { ACCOUNT_EVENTS, registerEventSubjects } from '#core/events/subjects.ts'
import { PAYMENT_EVENTS } from '#core/payments/payload.ts'
import { REFUND_EVENTS } from '#core/refunds/refund.ts'
import type { EventLog } from '#ports/events.ts'
import { isUuid } from '#services/requests.ts'

// Every subject that this deployment has events about.

export const EVENT_SUBJECTS = registerEventSubjects([
  PAYMENT_EVENTS,
  SUBSCRIPTION_EVENTS,
  CHARGE_EVENTS,
  REFUND_EVENTS,
  PAYOUT_EVENTS,
  ACCOUNT_EVENTS,
])

export type EventLogServices = {
  /**
   * Returns events of the business, as `EventLog.read` does. Throws `invalid_request` on a type that no event has, and
   * `seller_not_found` or `subscription_not_found` on a malformed id.
   */
  page(tenant: Tenant, page: LogPage): Promise<readonly LoggedEvent[]>
  /** Returns an event of the business. Throws `event_not_found`. */
  find(tenant: Tenant, id: string): Promise<LoggedEvent>
  /** Renders the body of the webhook of an event. Throws RangeError for an event that only a newer version knows. */
  bodyOf(event: StoredEvent): WebhookEnvelope
}

export type EventLogDeps = {
  readonly eventLog: EventLog
  /** Returns the chain of a network, as `walletChainOf` names it; empty for a network that is not configured. */
  readonly chainName: (network: Network) => string
}

export const createEventLogServices = ({ eventLog, chainName }: EventLogDeps): EventLogServices => ({
  async page(tenant, page) {
    if (page.type !== null) requireEventType(page.type)
    if (page.sellerId !== null && !isUuid(page.sellerId)) throw new ServiceError('seller_not_found')
    if (page.subscriptionId !== null && !isUuid(page.subscriptionId)) throw new ServiceError('subscription_not_found')
    return await eventLog.read(tenant, page)
  },
  async find(tenant, id) {
    const event = isUuid(id) ? await eventLog.find(tenant, id) : null
    if (event === null) throw new ServiceError('event_not_found')
    return event
  },
  bodyOf: (event) => renderEnvelope(event, EVENT_SUBJECTS, chainName(event.network)),
})

/** Throws `invalid_request` on a type that no event has. */
export function requireEventType(type: string): void {
  if (!EVENT_SUBJECTS.types.includes(type))
    throw new ServiceError('invalid_request', { field: 'type', rule: 'is not a type of event' })
}
