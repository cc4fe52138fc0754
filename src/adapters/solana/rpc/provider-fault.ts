// Why a provider gave no usable answer. The messages are written here, because the errors of HTTP clients and providers
// can contain the provider's URL, and with it its API key.

/**
 * `refused`: the provider works and says that the request is invalid. `behind`: it has not reached a slot that another
 * provider has shown. Every other kind means that the provider is away or unreliable.
 */
export type ProviderFaultKind =
  | 'timeout'
  | 'rate_limited'
  | 'http_error'
  | 'failed'
  | 'malformed'
  | 'behind'
  | 'refused'

export class ProviderFault extends Error {
  readonly kind: ProviderFaultKind
  /** The HTTP status or JSON-RPC code, 0 where there is none. */
  readonly status: number
  readonly retryAfterMs: number
  /** Whether the chain has processed this transaction before, which is as good as accepting it. */
  readonly alreadyProcessed: boolean

  constructor(
    kind: ProviderFaultKind,
    details: { status?: number; retryAfterMs?: number; alreadyProcessed?: boolean } = {},
  ) {
    super(details.status === undefined ? kind : `${kind} ${details.status}`)
    this.name = 'ProviderFault'
    this.kind = kind
    this.status = details.status ?? 0
    this.retryAfterMs = details.retryAfterMs ?? 0
    this.alreadyProcessed = details.alreadyProcessed ?? false
  }
}

/** The JSON-RPC code of a provider that does not have a method. */
export const METHOD_NOT_FOUND = -32601
