// Live status: every change of an intent, to every subscriber, on every instance.
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

export type LiveEvents = {
  /**
   * Returns the present intent, then the snapshot of every later event, in order. A change without an event is shown from
   * the row, after the last event. Ends when the signal aborts.
   */
  follow(intentId: string, signal: AbortSignal): AsyncIterable<PaymentIntent>
}
