import { systemClock } from '#adapters/node/clock.ts'
import { createTimeOfSlot } from '#adapters/price-feed/jupiter.ts'
import { createPriceFeeds } from '#adapters/price-feed/price-feeds.ts'
import type { Config } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { hasFixedFeed } from '#core/money/price-feeds.ts'
import { createPriceSource, type PriceSource } from '#services/prices/price-source.ts'
import type { NetworkRuntime } from './networks.ts'

/** Throws ConfigError for fixed prices on mainnet. */
export function createPrices({ feeds, apiKeys }: Config['prices'], networks: readonly NetworkRuntime[]): PriceSource {
  const isMainnet = networks.some(({ genesisHash }) => genesisHash === MAINNET_GENESIS_HASH)
  if (isMainnet && hasFixedFeed(feeds)) {
    throw new ConfigError('PRICE_FEEDS: fixed prices are refused on mainnet; write for example pyth,jupiter,coinbase')
  }
  const live = networks.find(({ network }) => network === 'live')
  const timeOfSlot = live === undefined ? async () => null : createTimeOfSlot(live.chain, systemClock)
  return createPriceSource({
    feeds: createPriceFeeds(feeds, { clock: systemClock, timeOfSlot, apiKeys }),
    clock: systemClock,
  })
}
