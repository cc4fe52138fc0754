// The price port: what one whole unit of an asset costs in US dollars, by one source, at one time.

/**
 * An exact positive decimal price: `usd = mantissa × 10^exponent` dollars per whole unit.
 * The exponent may be negative; no float is ever involved.
 */
export type Price = {
  readonly mantissa: bigint
  readonly exponent: number
  readonly source: string
  /** When the source says that the price was true, not when it was fetched. */
  readonly publishedAt: Date
}

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
