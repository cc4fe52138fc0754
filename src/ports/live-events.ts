// Live status: every change of an intent, to whoever watches it, on whichever instance.
import type { PaymentIntent } from '#core/intents/intent.ts'

export type LiveEvents = {
  /**
   * The intent as it stands, then every later state in order, none skipped: each event's own snapshot, not the row as
   * it happens to be when read. Ends when the signal aborts.
   */
  follow(intentId: string, signal: AbortSignal): AsyncIterable<PaymentIntent>
}
