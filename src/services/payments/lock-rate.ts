// The amount of an asset that pays a price, locked at the present rate.
import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import { decimalText, type Price } from '#core/money/price.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import { selectableAssets } from '#core/payments/machine/deposits.ts'
import { leastExpected, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { leastSettlement } from '#core/payments/settlement/settlement-plan.ts'
import type { Token } from '#core/tokens/token.ts'
import type { RentReader } from '#ports/chain.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'

// The least amount of an asset that a payment can have: it can be paid to a fresh deposit address, and can settle to an empty
// wallet. docs/contract.md, "Quotes and selections".

/** What decides how much of a payment settles at least. */
export type Settling = Pick<PaymentIntent, 'marketplaceFeeBps' | 'underpaymentToleranceBps'>

/** Returns the least expected amount: also what counts as paid can settle. */
export type LeastPayable = (payment: Settling) => BaseUnits

/** Throws `asset_not_usable` while no payment can be made in the token. */
export type ReadLeastPayable = (token: Token) => Promise<LeastPayable>

/** The bytes of a wallet's account: none. Its rent minimum is what the chain asks for an account without data. */
const WALLET_BYTES = 0

const ONE = makeBaseUnits(1n)

/** The chain refuses SOL below the rent minimum in an account. Tokens pay their account's rent apart, and settle without fees. */
export function createLeastPayable(deps: {
  readonly chainOf: (network: Network) => RentReader
  readonly terms: (network: Network) => FeeTerms
  readonly mintGuard: Pick<MintGuard, 'requireUsable'>
}): ReadLeastPayable {
  return async (token) => {
    const { network, isNative } = token
    await deps.mintGuard.requireUsable(token)
    if (!isNative) return () => ONE
    const rentMinimum = await deps.chainOf(network).minimumBalance(WALLET_BYTES)
    return ({ marketplaceFeeBps, underpaymentToleranceBps }) =>
      leastExpected(leastSettlement(marketplaceFeeBps, deps.terms(network), rentMinimum), underpaymentToleranceBps)
  }
}

/**
 * Returns the selection of a token at the present rate. Throws `amount_too_large` when the token cannot express the price,
 * `amount_too_small` when so little of it could not be paid, or not settle, and `asset_not_usable` while nothing can be paid in it.
 */
export type LockRate = (intent: Pick<PaymentIntent, 'priceUsdCents'> & Settling, token: Token) => Promise<Selection>

export const createLockRate =
  (prices: Pick<PriceSource, 'priceOf'>, readLeastPayable: ReadLeastPayable): LockRate =>
  async (intent, token) => {
    const { asset, decimals } = token
    const price = await prices.priceOf(token)
    const expected = usdCentsToBaseUnits(intent.priceUsdCents, price, decimals)
    if (typeof expected !== 'bigint') throw new ServiceError('amount_too_large', { asset })
    const leastPayable = await readLeastPayable(token)
    if (expected < leastPayable(intent)) throw new ServiceError('amount_too_small', { asset })
    return { asset, decimals, expected, rate: rateOf(price) }
  }

/** Returns the price as it is kept with what it locks. */
const rateOf = (price: Price): Selection['rate'] => ({
  usd: decimalText(price),
  sources: (price.medianOf ?? [price]).map((one) => ({
    name: one.source,
    usd: decimalText(one),
    at: one.publishedAt,
  })),
})

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
