// Why a provider gave no usable answer. Reasons are made here, word by word, because what HTTP clients and providers
// write into their errors may hold the provider's URL, and the URL holds its API key.
import {
  isSolanaError,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__INVALID_REQUEST,
  SOLANA_ERROR__JSON_RPC__PARSE_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
} from '@solana/kit'

/**
 * `refused`: the provider is well and says that what we sent is invalid. `behind`: it has not reached a slot that we
 * have already seen. Everything else means that it is away or not to be relied on.
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
  /** The chain has had this very transaction before: as good as taking it. */
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

const REFUSALS: ReadonlySet<number> = new Set([
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__INVALID_REQUEST,
  SOLANA_ERROR__JSON_RPC__PARSE_ERROR,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_PRECOMPILE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_LEN_MISMATCH,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
])

/** Providers that answer 200 write "too many requests" as one of these JSON-RPC codes. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32429])

/**
 * What a JSON-RPC answer with an `error` means; null for one without. Kit would make an error of it as well, but trips
 * over codes that it does not know and over refusals without `data`.
 */
export function faultInAnswer(answer: unknown): ProviderFault | null {
  const error = fieldOf(answer, 'error')
  if (error === undefined || error === null) return null
  const status = Number(fieldOf(error, 'code'))
  if (!Number.isInteger(status)) return new ProviderFault('malformed')
  if (status === SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED) return new ProviderFault('behind')
  if (RATE_LIMIT_CODES.has(status)) return new ProviderFault('rate_limited', { status })
  const alreadyProcessed = fieldOf(fieldOf(error, 'data'), 'err') === 'AlreadyProcessed'
  return new ProviderFault(REFUSALS.has(status) ? 'refused' : 'failed', { status, alreadyProcessed })
}

/** What it means when a question was not answered at all. */
export function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) {
    return httpFault(error.context.statusCode, error.context.headers)
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') return new ProviderFault('timeout')
  return new ProviderFault(error instanceof SyntaxError ? 'malformed' : 'failed')
}

/** What an HTTP status other than 200 means. */
export const httpFault = (status: number, headers: Pick<Headers, 'get'>): ProviderFault =>
  status === 429
    ? new ProviderFault('rate_limited', { status, retryAfterMs: retryAfterOf(headers.get('retry-after')) })
    : new ProviderFault('http_error', { status })

/** `Retry-After` in seconds; a date or nothing gives 0, and the pool's own backoff decides. */
const retryAfterOf = (header: string | null): number =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
