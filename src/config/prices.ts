// Settings of the price feeds.
import { z } from 'zod'
import { DEFAULT_PRICE_FEEDS, type PriceFeedsSetting, parsePriceFeeds } from '#core/money/price-feeds.ts'
import { ConfigError, secretSetting, setting, type Values } from './setting.ts'

export const PRICE_SETTINGS = {
  PRICE_FEEDS: setting(z.string(), 'pyth,jupiter,coinbase or fixed:SOL=150'),
  PYTH_API_KEY: secretSetting(z.string(), 'the key'),
  JUPITER_API_KEY: secretSetting(z.string(), 'the key'),
}

export type PricesConfig = {
  readonly feeds: PriceFeedsSetting
  readonly apiKeys: { readonly pyth: string | undefined; readonly jupiter: string | undefined }
}

/** The default prices on the embedded chain: those of its own tokens. */
const SANDBOX_PRICE_FEEDS = 'fixed:SOL=150,USDC=1,USDT=1,USDD=1,DEMO=0.25'

/** Throws ConfigError when the feeds cannot be parsed. */
export function pricesOf(settings: Values<typeof PRICE_SETTINGS>, embedded: boolean): PricesConfig {
  return {
    feeds: feedsOf(settings.PRICE_FEEDS ?? (embedded ? SANDBOX_PRICE_FEEDS : DEFAULT_PRICE_FEEDS)),
    apiKeys: { pyth: settings.PYTH_API_KEY, jupiter: settings.JUPITER_API_KEY },
  }
}

function feedsOf(text: string): PriceFeedsSetting {
  try {
    return parsePriceFeeds(text)
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
