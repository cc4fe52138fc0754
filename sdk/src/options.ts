// The options of the client, and of single calls.

export type ClientOptions = {
  /** An API key, `sk_live_…` or `sk_test_…`, which stays on your backend. The pages of buyers need none. */
  readonly apiKey?: string | undefined
  /** Where the service is. `http://127.0.0.1:4000` when left out. */
  readonly baseUrl?: string | undefined
  /** How long a request may take, in milliseconds. 60,000 when left out: `POST /sweep` waits for up to 30 seconds. */
  readonly timeoutMs?: number | undefined
  /** How often a request that is safe to repeat is sent again. 4 when left out. */
  readonly retries?: number | undefined
  /** What sends requests. The global `fetch` when left out. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** What opens websockets; null for none. The global `WebSocket` when left out. */
  readonly WebSocket?: typeof globalThis.WebSocket | null | undefined
}

export type RequestOptions = {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
}

export type CreateOptions = RequestOptions & {
  /** The key that makes a repeat safe. The client draws one for each call when it is left out. */
  readonly idempotencyKey?: string | undefined
}

export type SellerOptions = {
  /** The id of the seller for which a marketplace acts. */
  readonly onBehalfOf?: string | undefined
}
