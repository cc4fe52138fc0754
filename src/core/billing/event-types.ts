// The event types of recurring billing, listed by GET /config. docs/contract.md, "Events and webhooks".

export const SUBSCRIPTION_EVENT_TYPES = [
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.past_due',
  'subscription.renewal_required',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancel_scheduled',
  'subscription.canceled',
  'subscription.revoked',
  'subscription.exhausted',
  'subscription.failed',
] as const
export type SubscriptionEventType = (typeof SUBSCRIPTION_EVENT_TYPES)[number]

export const CHARGE_EVENT_TYPES = ['charge.created', 'charge.succeeded', 'charge.failed'] as const
export type ChargeEventType = (typeof CHARGE_EVENT_TYPES)[number]

/** The events of what a person does with a subscription that goes on. */
export const CHANGE_EVENTS: readonly SubscriptionEventType[] = [
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancel_scheduled',
]
