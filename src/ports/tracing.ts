// Spans of requests, and of what happens to payments and charges. docs/runbook.md, "Traces".
import type { DeliveryStore } from './events.ts'
import type { IntentStore, IntentWorkStore } from './payments.ts'
import type { TransferStore } from './transfers.ts'

/** The stores through which everything about the money of a payment goes. */
export type WatchedStores = {
  readonly intents: IntentStore
  readonly work: IntentWorkStore
  readonly transfers: TransferStore
  readonly deliveries: DeliveryStore
}

export type RequestSpan = {
  /** Calls what handles the request. What it does for a payment gets a link to this span. */
  run(handle: () => void): void
  end(finished: { readonly route: string; readonly status: number }): void
}

export type Tracing = {
  /** `traceparent`: the span of the caller, as W3C writes it. One that cannot be read counts as none. */
  request(head: { readonly id: string; readonly method: string; readonly traceparent: string | undefined }): RequestSpan
  /** Returns the stores, with a span for each write, in the trace of its payment or charge. */
  watch<Stores extends WatchedStores>(stores: Stores): Stores
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>
}
