// Prices: the price of one whole unit of an asset in US dollars, from one source, at one time.

import type { Price } from '#core/money/price.ts'

export type { Price }

/** The asset that a feed prices: the part of its allowlist row that feeds need. */
export type PricedAsset = {
  /** The feed key: the operator's `--price`, else the ticker. */
  readonly feedKey: string
  /** The mint; for SOL the wrapped-SOL mint. */
  readonly mint: string
}

/** One source of prices. Rejects with PriceFeedError when it has no price that is recent enough. */
export type PriceFeed = {
  readonly name: string
  /** Returns the prices of the known `assets`, by `mint`, in one request. */
  fetchPrices(assets: readonly PricedAsset[], signal: AbortSignal): Promise<ReadonlyMap<string, Price>>
}
