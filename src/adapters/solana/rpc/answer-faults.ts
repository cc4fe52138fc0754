// Finds the fault in what a provider has answered, and in what was thrown instead.
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
import { fieldOf } from '#lib/values.ts'
import { ProviderFault } from './provider-fault.ts'

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

/** The JSON-RPC codes with which providers that answer 200 report too many requests. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32429])

/**
 * Returns the fault in a JSON-RPC answer; null when it has no `error`. Kit's own errors fail on unknown codes and on
 * refusals without `data`.
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

/** Returns the fault of a request that was not answered. */
export function faultOf(error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error
  if (isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) {
    return httpFault(error.context.statusCode, error.context.headers)
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') return new ProviderFault('timeout')
  return new ProviderFault(error instanceof SyntaxError ? 'malformed' : 'failed')
}

/** Returns the fault of an HTTP status other than 200. */
export const httpFault = (status: number, headers: Pick<Headers, 'get'>): ProviderFault =>
  status === 429
    ? new ProviderFault('rate_limited', { status, retryAfterMs: retryAfterOf(headers.get('retry-after')) })
    : new ProviderFault('http_error', { status })

/** Returns `Retry-After` in milliseconds; 0 for a date or no header, and then the pool's own backoff decides. */
const retryAfterOf = (header: string | null): number =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0
