import { isPlausible } from '#core/money/price.ts'
import type { Price } from '#ports/price-feed.ts'
import { PriceFeedError } from './price-feed-error.ts'

/** What a source says about one asset: its mint and the price; undefined when the source gave no usable price. */
export type SourcePrice = readonly [mint: string, price: Price | undefined]

/**
 * Returns the plausible prices of a source, keyed by mint: one impossible price does not discard the others. Throws
 * PriceFeedError when all prices are impossible, because then the source is broken.
 */
export function plausiblePrices(source: string, found: readonly SourcePrice[]): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>()
  for (const [mint, price] of found) {
    if (price !== undefined && isPlausible(price)) prices.set(mint, price)
  }
  if (found.length > 0 && prices.size === 0) {
    throw new PriceFeedError(source, 'malformed', { detail: 'no price that can be true' })
  }
  return prices
}
