// Payments as a subject of events: a snapshot of a payment becomes the payload of webhooks.
import type { EventSubject } from '#core/events/subjects.ts'
import { intentFromJson } from '#core/payments/codec.ts'
import { INTENT_EVENT_TYPES } from '#core/payments/event-types.ts'
import { intentEventData } from '#core/payments/payload.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'

export const PAYMENT_EVENTS: EventSubject = {
  kind: PAYMENT_SUBJECT,
  types: INTENT_EVENT_TYPES,
  render: (data) => intentEventData(intentFromJson(data)),
}
