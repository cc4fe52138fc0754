// Tokens that the operator does not allow. Anyone can make such a token, and mint, burn and take it back at will. So these
// tokens stay out of deposits, ledger, sums and halts; a bounded record shows which arrived. docs/contract.md,
// "Tokens that are not allowed".
import { type Asset, SOL } from '#core/chain/types.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'

/** Mints of one payment that are recorded separately. Arrivals of all other mints are only counted. */
export const MAX_UNACCEPTED_MINTS = 20

type Allowlist = ReadonlyMap<Asset, Pick<Token, 'enabled'>>

/** Returns whether money of an asset is a deposit: SOL, an asset that the payment accepts, or an allowed token. */
export const isTaken = (
  asset: Asset,
  { acceptedAssets }: Pick<PaymentIntent, 'acceptedAssets'>,
  tokens: Allowlist,
): boolean => asset === SOL || acceptedAssets.includes(asset) || tokens.get(asset)?.enabled === true

/** Divides arrivals into deposits and arrivals that are only recorded. */
export function divideArrivals(
  seen: readonly ObservedDeposit[],
  intent: Pick<PaymentIntent, 'acceptedAssets'>,
  tokens: Allowlist,
): { readonly taken: readonly ObservedDeposit[]; readonly unaccepted: readonly ObservedDeposit[] } {
  const { taken = [], unaccepted = [] } = Object.groupBy(seen, ({ asset }) =>
    isTaken(asset, intent, tokens) ? 'taken' : 'unaccepted',
  )
  return { taken, unaccepted }
}
