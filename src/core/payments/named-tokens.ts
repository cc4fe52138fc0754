// The assets that the answer to a buyer names, with their tickers and decimals. A token stays among them when the operator
// takes it off the allowlist.
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'

type Named = Pick<PaymentIntent, 'selection' | 'refunds' | 'tokenRefunds' | 'latePayments' | 'held'>

/** Returns the token that was selected, and the tokens of money that is returned or held. */
export function namedTokens<T extends Pick<Token, 'asset' | 'mint'>>(intent: Named, known: readonly T[]): readonly T[] {
  const { selection, refunds, tokenRefunds, latePayments, held } = intent
  const entries = [...refunds, ...tokenRefunds, ...latePayments, ...held]
  const mints = new Set(entries.map(({ mint }) => mint ?? WRAPPED_SOL_MINT))
  return known.filter(({ asset, mint }) => asset === selection?.asset || mints.has(mint))
}
