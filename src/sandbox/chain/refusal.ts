// Names why the chain refused a transaction, when the request is the reason.
import {
  isSolanaError,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT,
} from '@solana/kit'

/** `other` is a refusal of another kind; null is no refusal of the chain at all. */
export type ChainRefusal = 'below_rent' | 'too_much' | 'other'

/**
 * What the system program and both token programs give for a balance that is too small, and for a supply that would
 * overflow.
 */
const TOO_MUCH: ReadonlySet<unknown> = new Set([1, 14])

export function refusalOf(error: unknown): ChainRefusal | null {
  if (!isSolanaError(error)) return null
  const { cause } = error
  if (isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_RENT)) return 'below_rent'
  if (isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM) && TOO_MUCH.has(cause.context.code))
    return 'too_much'
  return 'other'
}
