// Subscriptions and charges as subjects of events: a snapshot of one becomes the payload of webhooks.

import { CHARGE } from '#core/billing/charge-transfer.ts'
import { CHARGE_EVENT_TYPES, SUBSCRIPTION_EVENT_TYPES } from '#core/billing/event-types.ts'
import { chargeEventData, chargeFromJson, subscriptionEventData, subscriptionFromJson } from '#core/billing/payload.ts'
import { SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import type { EventSubject } from '#core/events/subjects.ts'

export const SUBSCRIPTION_EVENTS: EventSubject = {
  kind: SUBSCRIPTION_SUBJECT,
  types: SUBSCRIPTION_EVENT_TYPES,
  render: (data) => subscriptionEventData(subscriptionFromJson(data)),
}

export const CHARGE_EVENTS: EventSubject = {
  kind: CHARGE,
  types: CHARGE_EVENT_TYPES,
  render: (data, chain) => chargeEventData(chargeFromJson(data), chain),
}
