import { systemClock } from '#adapters/node/clock.ts'
import {
  createPriceFeeds,
  DEFAULT_PRICE_FEEDS,
  hasFixedFeed,
  parsePriceFeeds,
} from '#adapters/price-feed/price-feeds.ts'
import { type Config, ConfigError, settingFrom } from '#config.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { createPriceSource, type PriceSource } from '#services/prices/price-source.ts'
import type { NetworkRuntime } from './networks.ts'

/** Throws ConfigError on feeds that cannot be read, and on prices by decree where money is real. */
export function createPrices({ feeds, apiKeys }: Config['prices'], networks: readonly NetworkRuntime[]): PriceSource {
  const setting = settingFrom('PRICE_FEEDS', () => parsePriceFeeds(feeds ?? DEFAULT_PRICE_FEEDS))
  const isMainnet = networks.some(({ genesisHash }) => genesisHash === MAINNET_GENESIS_HASH)
  if (isMainnet && hasFixedFeed(setting)) {
    throw new ConfigError('PRICE_FEEDS: fixed prices are refused on mainnet; write for example pyth,jupiter,coinbase')
  }
  return createPriceSource({ feeds: createPriceFeeds(setting, { clock: systemClock, apiKeys }), clock: systemClock })
}
