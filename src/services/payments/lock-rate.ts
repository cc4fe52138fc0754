// The amount of an asset that pays a price, locked at the present rate.
import { hasCode, ServiceError } from '#core/errors.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import { selectableAssets } from '#core/payments/machine/deposits.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { ReadLeastPayable } from './payability.ts'

/**
 * Returns the selection of a token at the present rate. Throws `amount_too_large` when the token cannot express the price,
 * `amount_too_small` when so little of it could not be paid, or not settle, and `asset_not_usable` while nothing can be paid in it.
 */
export type LockRate = (
  intent: Pick<PaymentIntent, 'priceUsdCents' | 'marketplaceFeeBps'>,
  token: Token,
) => Promise<Selection>

export const createLockRate =
  (prices: Pick<PriceSource, 'priceOf'>, readLeastPayable: ReadLeastPayable): LockRate =>
  async ({ priceUsdCents, marketplaceFeeBps }, token) => {
    const { asset, decimals } = token
    const expected = usdCentsToBaseUnits(priceUsdCents, await prices.priceOf(token), decimals)
    if (typeof expected !== 'bigint') throw new ServiceError('amount_too_large', { asset })
    const leastPayable = await readLeastPayable(token)
    if (expected < leastPayable(marketplaceFeeBps)) throw new ServiceError('amount_too_small', { asset })
    return { asset, decimals, expected }
  }

/**
 * Returns the selection that arrived deposits lock at the present rate: the first asset in which the price can be paid. null
 * when they select no token, or only tokens in which it cannot be paid or that are not allowed. Throws while there is no price.
 */
export async function arrivalSelection(
  lockRate: LockRate,
  facts: IntentFacts,
  arrived: readonly ObservedDeposit[],
  { tokens }: Pick<DecisionContext, 'tokens'>,
): Promise<Selection | null> {
  for (const token of selectableAssets(facts, arrived).flatMap((asset) => tokens.get(asset) ?? [])) {
    try {
      return await lockRate(facts.intent, token)
    } catch (error) {
      if (!UNSELECTABLE.some((code) => hasCode(error, code))) throw error
    }
  }
  return null
}

const UNSELECTABLE = ['amount_too_large', 'amount_too_small', 'asset_not_usable'] as const
