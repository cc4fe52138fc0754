// The price feeds that the PRICE_FEEDS setting names.
import type { Decimal } from '#core/money/price.ts'
import type { HttpFeedName, PriceFeedsSetting } from '#core/money/price-feeds.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price, PriceFeed } from '#ports/price-feed.ts'
import { createCoinbaseFeed } from './coinbase.ts'
import { createJupiterFeed, type TimeOfSlot } from './jupiter.ts'
import { createPythFeed } from './pyth.ts'

/**
 * Returns fixed prices that the operator set, for networks without real money. They are always current. An asset without
 * a fixed price has no price. `prices` is keyed by feed key, in any case.
 */
function createFixedFeed(prices: ReadonlyMap<string, Decimal>, clock: Clock): PriceFeed {
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

export type PriceFeedDependencies = {
  /** Real time, never a sandbox's movable clock: the sources outside do not follow it. */
  readonly clock: Clock
  /** Dates a slot of mainnet: Jupiter names the slot of each price. */
  readonly timeOfSlot: TimeOfSlot
  readonly apiKeys?: { readonly pyth?: string | undefined; readonly jupiter?: string | undefined }
}

export function createPriceFeeds(
  setting: PriceFeedsSetting,
  { clock, timeOfSlot, apiKeys = {} }: PriceFeedDependencies,
): readonly PriceFeed[] {
  if (setting.kind === 'fixed') return [createFixedFeed(setting.prices, clock)]
  const create: Record<HttpFeedName, (baseUrl: URL | undefined) => PriceFeed> = {
    pyth: (baseUrl) => createPythFeed({ baseUrl, apiKey: apiKeys.pyth }),
    jupiter: (baseUrl) => createJupiterFeed({ baseUrl, apiKey: apiKeys.jupiter, timeOfSlot }),
    coinbase: (baseUrl) => createCoinbaseFeed({ baseUrl, clock }),
  }
  return setting.feeds.map(({ name, baseUrl }) => create[name](baseUrl))
}
