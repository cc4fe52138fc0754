// The event log of a business: its events in order, each with the body of its webhook.

import type { Tenant } from '#core/accounts/account.ts'
import { CHARGE_EVENTS, SUBSCRIPTION_EVENTS } from '#core/billing/payload.ts'
import type { Network } from '#core/chain/types.ts'
import {
  type LoggedEvent,
  type LogPage,
  renderEnvelope,
  type StoredEvent,
  type WebhookEnvelope,
} from '#core/events/envelope.ts'
import { ACCOUNT_EVENTS, registerEventSubjects } from '#core/events/subjects.ts'
import { PAYMENT_EVENTS } from '#core/payments/payload.ts'
import type { EventLog } from '#ports/events.ts'

// Every subject that this deployment has events about.

export const EVENT_SUBJECTS = registerEventSubjects([
  PAYMENT_EVENTS,
  SUBSCRIPTION_EVENTS,
  CHARGE_EVENTS,
  ACCOUNT_EVENTS,
])

export type EventLogServices = {
  /** Returns events of the business, as `EventLog.read` does. */
  page(tenant: Tenant, page: LogPage): Promise<readonly LoggedEvent[]>
  /** Renders the body of the webhook of an event. Throws RangeError for an event that only a newer version knows. */
  bodyOf(event: StoredEvent): WebhookEnvelope
}

export type EventLogDeps = {
  readonly eventLog: EventLog
  /** Returns the chain of a network, as `walletChainOf` names it; empty for a network that is not configured. */
  readonly chainName: (network: Network) => string
}

export const createEventLogServices = ({ eventLog, chainName }: EventLogDeps): EventLogServices => ({
  page: (tenant, page) => eventLog.read(tenant, page),
  bodyOf: (event) => renderEnvelope(event, EVENT_SUBJECTS, chainName(event.network)),
})
