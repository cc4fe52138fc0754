// A payment's events, as the outbox takes them: the snapshot of the payment with what the outbox has to know of it.
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Tx } from '#adapters/prisma/transfers/records.ts'
import { intentToJson } from '#core/payments/codec.ts'
import type { IntentEventType } from '#core/payments/event-types.ts'
import type { IntentChange } from '#core/payments/machine/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import { INTENT_UPDATED, isUntold } from '#core/payments/untold-change.ts'

/** The events of a change, and the entry for what they do not tell. */
export function stagedEvents(change: IntentChange): readonly StagedEvent[] {
  const told = change.events.map(({ type, intent }) => stagedEvent(type, intent))
  return isUntold(change) ? [...told, stagedEvent(INTENT_UPDATED, change.after)] : told
}

/**
 * Deletes the entry for an untold change that another one replaces. So a payment has one at most, however often a
 * stranger sends dust or a buyer types.
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
