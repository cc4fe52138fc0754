// Reads the price that counts: asks every configured feed in parallel, and core decides whether they agree.

import { ServiceError } from '#core/errors.ts'
import { agreePrice, isPriceRefusal, type PriceRefusal, quorumOf } from '#core/money/price.ts'
import type { Clock } from '#ports/clock.ts'
import type { Price, PricedAsset, PriceFeed } from '#ports/price-feed.ts'
import { type FeedHealth, FeedReader } from './feed-reader.ts'

export type PriceHealth = {
  /** `degraded`: some feeds fail, and enough others remain to agree. `down`: too few remain. */
  readonly status: 'ok' | 'degraded' | 'down'
  readonly feeds: readonly FeedHealth[]
}

export type PriceSource = {
  /**
   * Returns a price, or the reason for none, for each of `assets`, by mint. Answers within the time limit. Never rejects.
   */
  pricesFor(assets: readonly PricedAsset[]): Promise<ReadonlyMap<string, Price | PriceRefusal>>
  /** Throws ServiceError `price_feed_unreachable` or `price_feeds_disagree`, with the mint, feed key and reason. */
  priceOf(asset: PricedAsset): Promise<Price>
  health(): PriceHealth
}

export type PriceSourceOptions = {
  readonly feeds: readonly PriceFeed[]
  /** Real time. By the movable clock of a sandbox, every price from outside would be stale. */
  readonly clock: Clock
  readonly timeoutMs?: number
  readonly cacheMs?: number
  readonly cooldownMs?: number
  readonly probeMs?: number
}

/**
 * Combines feeds into one source. By default it answers within 1.5 seconds, and asks each feed at most 20 times a minute
 * for an asset; the strictest public source allows 30.
 */
export function createPriceSource({
  feeds,
  clock,
  timeoutMs = 1_500,
  cacheMs = 3_000,
  cooldownMs = 10_000,
  probeMs = 1_000,
}: PriceSourceOptions): PriceSource {
  // Two feeds with one name would be one source that agrees with itself.
  if (feeds.length === 0 || new Set(feeds.map((feed) => feed.name)).size < feeds.length) {
    throw new RangeError('a price source takes at least one feed, each of another name')
  }
  const readers = feeds.map((feed) => new FeedReader(feed, { clock, timeoutMs, cacheMs, cooldownMs, probeMs }))

  const pricesFor: PriceSource['pricesFor'] = async (assets) => {
    const readings = await Promise.all(readers.map((reader) => reader.read(assets)))
    const now = clock.now()
    return new Map(
      assets.map(({ mint }) => {
        const observations = readings.flatMap((prices) => prices.get(mint) ?? [])
        return [mint, agreePrice(observations, { now, configured: readers.length })]
      }),
    )
  }

  return {
    pricesFor,
    async priceOf(asset) {
      const outcome = (await pricesFor([asset])).get(asset.mint) ?? { refused: 'unreachable' }
      if (isPriceRefusal(outcome)) throw refusalError(asset, outcome)
      return outcome
    },
    health() {
      const health = readers.map((reader) => reader.health())
      const working = health.filter((feed) => feed.status !== 'failing').length
      const status = working === health.length ? 'ok' : working >= quorumOf(health.length) ? 'degraded' : 'down'
      return { status, feeds: health }
    },
  }
}

/** Returns the refusal as the error that services throw: stale sources count as unreachable. */
export function refusalError({ mint, feedKey }: PricedAsset, { refused }: PriceRefusal): ServiceError {
  const code = refused === 'disagree' ? 'price_feeds_disagree' : 'price_feed_unreachable'
  return new ServiceError(code, { mint, feed_key: feedKey, reason: refused })
}
