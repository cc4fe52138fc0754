// Every subject that this deployment has events about.
import { ACCOUNT_EVENTS, registerEventSubjects } from '#core/events/subjects.ts'
import { PAYMENT_EVENTS } from '#core/payments/event-subject.ts'

export const EVENT_SUBJECTS = registerEventSubjects([PAYMENT_EVENTS, ACCOUNT_EVENTS])
