import type { Decimal } from '#core/money/price.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price, PriceFeed } from '#ports/price-feed.ts'

/**
 * Returns fixed prices that the operator set, for networks without real money. They are always current. An asset without
 * a fixed price has no price. `prices` is keyed by feed key, in any case.
 */
export function createFixedFeed(prices: ReadonlyMap<string, Decimal>, clock: Clock): PriceFeed {
  const byKey = new Map([...prices].map(([key, price]) => [key.toUpperCase(), price]))
  return {
    name: 'fixed',
    async fetchPrices(assets) {
      const priced = new Map<string, Price>()
      for (const { feedKey, mint } of assets) {
        const price = byKey.get(feedKey.toUpperCase())
        if (price !== undefined) priced.set(mint, { ...price, source: 'fixed', publishedAt: clock.now() })
      }
      return priced
    },
  }
}
