// Payments that are too small to return. They cost a stranger hardly anything, so they must not cost the service an event,
// an entry of a list and a transfer each. docs/contract.md, "Dust".
import { type Asset, SOL } from '#core/chain/types.ts'
import { largestWorthAtMost } from '#core/money/conversion.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { highestFeeOf } from '#core/transfers/plan.ts'

export type DustContext = Pick<DecisionContext, 'tokens' | 'prices'> & {
  readonly terms: Pick<FeeTerms, 'networkFee' | 'computeUnitPrice'>
}

/** The legs of a refund of SOL to one wallet: the refund, and the network fee. */
const LEGS_OF_ONE_REFUND = 2

/**
 * Returns the largest amount of an asset that is too small to return alone, in its base units: it is worth no more than the highest
 * fee of its transaction, and SOL the network fee besides. null while the worth of the asset is not known.
 */
export function largestDust(asset: Asset, { tokens, prices, terms }: DustContext): bigint | null {
  if (asset === SOL) return terms.networkFee + highestFeeOf(LEGS_OF_ONE_REFUND, terms.computeUnitPrice)
  const [token, price, solPrice] = [tokens.get(asset), prices.get(asset), prices.get(SOL)]
  if (token === undefined || price === undefined || solPrice === undefined) return null
  return largestWorthAtMost(highestFeeOf(1, terms.computeUnitPrice), token.decimals, price, solPrice)
}

/** Returns the same of each asset whose worth is known. */
export function largestDustByAsset(context: DustContext): ReadonlyMap<Asset, bigint> {
  const assets: readonly Asset[] = [SOL, ...context.tokens.keys()]
  const known = assets.flatMap((asset): readonly (readonly [Asset, bigint])[] => {
    const largest = largestDust(asset, context)
    return largest === null ? [] : [[asset, largest]]
  })
  return new Map(known)
}

/** Returns whether an amount is known to be too small to return alone. */
export function isTooSmall({ asset, amount }: Pick<Deposit, 'asset' | 'amount'>, context: DustContext): boolean {
  const largest = largestDust(asset, context)
  return largest !== null && amount <= largest
}

/** Returns whether a payment is too small to return. A token is also when this was found for each of its senders, by a price of that time. */
export const isDust = (deposit: Deposit, context: DustContext): boolean =>
  isTooSmall(deposit, context) ||
  (deposit.asset !== SOL &&
    deposit.senders.length > 0 &&
    deposit.senders.every(({ obstacle }) => obstacle === 'too_small'))
