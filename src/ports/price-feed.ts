// The price port: what one whole unit of an asset costs in US dollars, by one source, at one time.

import type { Price } from '#core/money/price.ts'

export type { Price }

/** What a feed needs to know of the asset it prices: the allowlist's row, narrowed. */
export type PricedAsset = {
  /** The feed key: the operator's `--price`, else the ticker. */
  readonly feedKey: string
  /** The mint; for SOL the wrapped-SOL mint. */
  readonly mint: string
}

/** One source of prices. Rejects with PriceFeedError; never invents or caches past its age. */
export type PriceFeed = {
  readonly name: string
  /** Prices for those of `assets` that the source knows, keyed by `mint`; one round trip however many. */
  fetchPrices(assets: readonly PricedAsset[], signal: AbortSignal): Promise<ReadonlyMap<string, Price>>
}
