// Two price feeds, and the rents. The real price of SOL changes by the hour; feeds exaggerate, become stale and fail.
import type { PriceFeed } from '#ports/price-feed.ts'
import { DAWN, virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

const HOUR_MS = 3_600_000
const STALE_MS = 600_000

/** Returns the real price of one SOL in US cents. A token costs one dollar. */
export function trueSolCents(now: number): bigint {
  const hours = Math.floor((now - DAWN) / HOUR_MS)
  return 15_000n + BigInt((hours * 137) % 900)
}

export function createFeeds({ faults }: Ground): readonly PriceFeed[] {
  return ['first', 'second'].map((source) => ({
    name: source,
    async fetchPrices(assets) {
      if (faults.strikes('price feed down')) throw new Error('the feed is down')
      const exaggeration = source === 'first' && faults.strikes('price spike') ? 15n : 10n
      const publishedAt = new Date(virtualNow() - (faults.strikes('price stale') ? STALE_MS : 0))
      return new Map(
        assets.map(({ mint, feedKey }) => {
          const cents = feedKey === 'SOL' ? trueSolCents(virtualNow()) : 100n
          return [mint, { mantissa: cents * exaggeration, exponent: -3, source, publishedAt }]
        }),
      )
    },
  }))
}

// The rents of the simulated chain, which change during a run.

const RENT = 3_480n
/** In lamports for each byte and year. */
export const RENTS: readonly bigint[] = [RENT / 2n, RENT, RENT * 2n]
/** In lamports, for an account without data: its 128 bytes of overhead for two years. */
export const RENT_MINIMUMS: readonly bigint[] = RENTS.map((rent) => rent * 128n * 2n)
