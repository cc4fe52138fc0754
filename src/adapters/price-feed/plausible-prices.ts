import { isPlausible } from '#core/money/price.ts'
import type { Price } from '#ports/price-feed.ts'
import { PriceFeedError } from './price-feed-error.ts'

/** What a source said of one asset: its mint, and the price, undefined where what it said is no price at all. */
export type Said = readonly [mint: string, price: Price | undefined]

/**
 * The prices among what a source said that can be true, keyed by mint: one impossible price does not take the others
 * with it. Throws PriceFeedError when all of it is impossible, for then the source is broken.
 */
export function plausiblePrices(source: string, said: readonly Said[]): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>()
  for (const [mint, price] of said) {
    if (price !== undefined && isPlausible(price)) prices.set(mint, price)
  }
  if (said.length > 0 && prices.size === 0) {
    throw new PriceFeedError(source, 'malformed', { detail: 'no price that can be true' })
  }
  return prices
}
