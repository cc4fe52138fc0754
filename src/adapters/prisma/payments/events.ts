// A payment's events, as the outbox takes them: the snapshot of the payment with what the outbox has to know of it.
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { endsWithoutEvent, INTENT_UPDATED, type IntentChange } from '#core/payments/change.ts'
import { intentToJson } from '#core/payments/codec.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'

/** Returns the events of a change. An entry for the feed of a marketplace follows when the last event does not show all of it. */
export function stagedEvents(change: IntentChange): readonly StagedEvent[] {
  const events = change.events.map(({ type, intent }) => stagedEvent(type, intent))
  return endsWithoutEvent(change) ? [...events, stagedEvent(INTENT_UPDATED, change.after)] : events
}

/**
 * Deletes the entry of a payment that a new entry replaces. So a payment has one entry at most, however often a stranger sends
 * dust or a buyer changes their details.
 */
export const deleteReplacedEntry = (tx: Tx, intentId: string) =>
  tx.$executeRaw`DELETE FROM events WHERE intent_id = ${intentId}::uuid AND type = ${INTENT_UPDATED}`

/** An event of a seller's payment is the seller's, and goes to the endpoints of its marketplace, which made the payment. */
const stagedEvent = (type: IntentEventType | typeof INTENT_UPDATED, intent: PaymentIntent): StagedEvent => ({
  network: intent.network,
  accountId: intent.accountId,
  receiverAccountId: intent.callerAccountId,
  type,
  subject: { kind: PAYMENT_SUBJECT, id: intent.id },
  version: intent.version,
  data: intentToJson(intent),
  at: intent.updatedAt,
})
