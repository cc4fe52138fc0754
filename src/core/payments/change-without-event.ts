// Changes of a payment that have no event, such as dust and details of the buyer. A marketplace that follows the payments of
// its sellers sees them too.
import type { IntentChange } from '#core/payments/change.ts'
import { intentToJson } from '#core/payments/codec.ts'
import { isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'

/** The type of their entry in the feed of a marketplace. No webhook, list of events or list of event types has it. */
export const INTENT_UPDATED = 'intent.updated'

/** Returns whether two states differ in more than their version and time. */
export function differsInState(later: PaymentIntent, earlier: PaymentIntent): boolean {
  const { version, updatedAt } = earlier
  return JSON.stringify(intentToJson({ ...later, version, updatedAt })) !== JSON.stringify(intentToJson(earlier))
}

/** Returns whether a change of a seller's payment ends in a state that its last event does not show. */
export function endsWithoutEvent({ before, after, events }: IntentChange): boolean {
  const shown = events.at(-1)?.intent ?? before
  return isForSeller(after) && after.version > shown.version && differsInState(after, shown)
}
