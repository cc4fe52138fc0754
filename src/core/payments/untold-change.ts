// Changes of a payment that no event tells, such as dust and details of the buyer. A marketplace that follows the payments
// of its sellers is shown them too.
import { intentToJson } from '#core/payments/codec.ts'
import type { IntentChange } from '#core/payments/machine/change.ts'
import { isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'

/** The type of their entry in the feed of a marketplace. No webhook, list of events or list of event types has it. */
export const INTENT_UPDATED = 'intent.updated'

/** Whether a later state shows more than another version and time. */
export function differsInState(later: PaymentIntent, earlier: PaymentIntent): boolean {
  const { version, updatedAt } = earlier
  return JSON.stringify(intentToJson({ ...later, version, updatedAt })) !== JSON.stringify(intentToJson(earlier))
}

/** Whether a change of a seller's payment leaves a state that its last event does not show. */
export function isUntold({ before, after, events }: IntentChange): boolean {
  const told = events.at(-1)?.intent ?? before
  return isForSeller(after) && after.version > told.version && differsInState(after, told)
}
