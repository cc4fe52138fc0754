// Spans of requests, and of what happens to payments and charges. docs/runbook.md, "Traces".
import type { Watcher } from './watching.ts'

export type RequestSpan = {
  /** Calls what handles the request. What it does for a payment gets a link to this span. */
  run(handle: () => void): void
  end(finished: { readonly route: string; readonly status: number }): void
}

export type Tracing = {
  /** `traceparent`: the span of the caller, as W3C writes it. One that cannot be read counts as none. */
  request(head: { readonly id: string; readonly method: string; readonly traceparent: string | undefined }): RequestSpan
  readonly watcher: Watcher
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>
}
