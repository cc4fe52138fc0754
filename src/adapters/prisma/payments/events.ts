// A payment's events, as the outbox takes them: the snapshot of the payment with what the outbox has to know of it.
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import { intentToJson } from '#core/payments/codec.ts'
import type { IntentEventType } from '#core/payments/event-types.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'

/** An event of a seller's payment is the seller's, and goes to the endpoints of its marketplace, which made the payment. */
export const stagedEvent = (type: IntentEventType, intent: PaymentIntent): StagedEvent => ({
  network: intent.network,
  accountId: intent.accountId,
  receiverAccountId: intent.callerAccountId,
  type,
  subject: { kind: PAYMENT_SUBJECT, id: intent.id },
  version: intent.version,
  data: intentToJson(intent),
  at: intent.updatedAt,
})
