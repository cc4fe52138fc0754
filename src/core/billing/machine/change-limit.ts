// How often the subscriber may change one subscription: each change emits an event, and a webhook for it. docs/billing.md,
// "The portal".
import type { SubscriptionEventType } from '#core/billing/event-types.ts'

export const MAX_CHANGES = 15
const WITHIN_MS = 5 * 60_000

/** The events of what a person does with a subscription that goes on. */
export const CHANGE_EVENTS: readonly SubscriptionEventType[] = [
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancel_scheduled',
]

/** Returns the milliseconds until another change is possible; 0 when it is now. `newest` has the newest changes first. */
export function waitToChange(newest: readonly Date[], now: Date): number {
  const first = newest[MAX_CHANGES - 1]
  return first === undefined ? 0 : Math.max(0, first.getTime() + WITHIN_MS - now.getTime())
}
