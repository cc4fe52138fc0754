// Live status: every change of an intent, to whoever watches it, on whichever instance.
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

export type LiveEvents = {
  /**
   * The intent as it stands, then the state of every later event in order, none skipped: each event's own snapshot, not
   * the row as it happens to be when read. A change without an event is shown as the row has it after the last event.
   * Ends when the signal aborts.
   */
  follow(intentId: string, signal: AbortSignal): AsyncIterable<PaymentIntent>
}
