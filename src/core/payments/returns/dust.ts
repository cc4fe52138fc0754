// Payments that are too small to return. They cost a stranger hardly anything, so they must not cost the service an event,
// an entry of a list and a transfer each. docs/contract.md, "Dust".
import { type Asset, SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { largestWorthAtMost, worthInLamports } from '#core/money/conversion.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { highestFeeOf } from '#core/transfers/plan.ts'

/** The legs of a refund of SOL to one wallet: the refund, and the network fee. */
const LEGS_OF_ONE_REFUND = 2

/**
 * Returns the largest payment of SOL that is too small to return alone, in lamports: without the network fee, it is worth
 * no more than the highest fee of its transaction.
 */
export const largestDust = ({ networkFee, computeUnitPrice }: ReturnTerms): bigint =>
  networkFee + highestFeeOf(LEGS_OF_ONE_REFUND, computeUnitPrice)

/**
 * Returns the largest amount of each asset that is too small to return, in its base units. An asset whose worth is not known has
 * none.
 */
export function largestDustByAsset({ tokens, prices, terms }: DustContext): ReadonlyMap<Asset, bigint> {
  const solPrice = prices.get(SOL)
  const fee = highestFeeOf(1, terms.computeUnitPrice)
  const ofTokens = [...tokens.values()].flatMap(({ asset, decimals }): readonly [Asset, bigint][] => {
    const price = prices.get(asset)
    if (asset === SOL || price === undefined || solPrice === undefined) return []
    return [[asset, largestWorthAtMost(fee, decimals, price, solPrice)]]
  })
  return new Map([[SOL, largestDust(terms)], ...ofTokens])
}

export type ReturnTerms = Pick<FeeTerms, 'networkFee' | 'computeUnitPrice'>

/** Returns what an amount is worth in lamports, rounded down; null while no price is known. */
function worthOf(
  asset: Asset,
  amount: BaseUnits,
  { tokens, prices }: Pick<DustContext, 'tokens' | 'prices'>,
): bigint | null {
  if (asset === SOL) return amount
  const [token, price, solPrice] = [tokens.get(asset), prices.get(asset), prices.get(SOL)]
  if (token === undefined || price === undefined || solPrice === undefined) return null
  return worthInLamports(amount, token.decimals, price, solPrice)
}

/**
 * Returns whether an amount is worth no more than the highest fee of a transaction with this number of legs. No, without a
 * price.
 */
export function isBelowFee(asset: Asset, amount: BaseUnits, legs: number, context: DustContext): boolean {
  const worth = worthOf(asset, amount, context)
  return worth !== null && worth <= highestFeeOf(legs, context.terms.computeUnitPrice)
}

/** Returns whether the worth of the asset is known. */
export const hasPrice = (asset: Asset, { prices }: Pick<DustContext, 'prices'>): boolean =>
  asset === SOL || (prices.has(asset) && prices.has(SOL))

export type DustContext = Pick<DecisionContext, 'tokens' | 'prices'> & { readonly terms: ReturnTerms }

/**
 * Returns whether a payment is too small to return. A token without a price is too small when this was found for each of its
 * senders, by a price of that time.
 */
export const isDust = ({ asset, amount, senders }: Deposit, context: DustContext): boolean =>
  asset === SOL
    ? amount <= largestDust(context.terms)
    : isBelowFee(asset, amount, 1, context) ||
      (senders.length > 0 && senders.every(({ obstacle }) => obstacle === 'too_small'))
