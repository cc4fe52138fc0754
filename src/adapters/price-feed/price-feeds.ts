// The price feeds that the PRICE_FEEDS setting names.
import type { HttpFeedName, PriceFeedsSetting } from '#core/money/price-feeds.ts'
import type { Clock } from '#ports/clock.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { createCoinbaseFeed } from './coinbase.ts'
import { createFixedFeed } from './fixed.ts'
import { createJupiterFeed } from './jupiter.ts'
import { createPythFeed } from './pyth.ts'
import type { TimeOfSlot } from './slot-times.ts'

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
