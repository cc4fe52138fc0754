import { isPlausible } from '#core/money/price.ts'
import type { Price } from '#ports/price-feed.ts'
import { PriceFeedError } from './http-json.ts'

/**
 * Returns the symbol that a feed key names, in capitals: `SOL` for `sol`, `SOL/USD` and `SOL-USD`. Undefined for a key that
 * is not a ticker, such as a Pyth feed id, and for a pair that is not quoted in dollars.
 */
export function tickerOf(feedKey: string): string | undefined {
  return /^([A-Z0-9]{1,20})(?:[/-]USD)?$/.exec(feedKey.trim().toUpperCase())?.[1]
}

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
