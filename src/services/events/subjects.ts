// Every subject that this deployment has events about.
import { CHARGE_EVENTS, SUBSCRIPTION_EVENTS } from '#core/billing/event-subjects.ts'
import { ACCOUNT_EVENTS, registerEventSubjects } from '#core/events/subjects.ts'
import { PAYMENT_EVENTS } from '#core/payments/payload.ts'

export const EVENT_SUBJECTS = registerEventSubjects([
  PAYMENT_EVENTS,
  SUBSCRIPTION_EVENTS,
  CHARGE_EVENTS,
  ACCOUNT_EVENTS,
])
