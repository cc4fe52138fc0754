// Jupiter Price API v3: the price of the last swap of a token on Solana markets, with the slot of the swap. Without a key it answers
// 30 requests a minute; with one, more.
import { z } from 'zod'
import { hasCode } from '#core/errors.ts'
import { decimalToPrice } from '#core/money/price.ts'
import { createCache } from '#lib/cache.ts'
import { inGroups } from '#lib/values.ts'
import type { ChainClock, PaceReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { getJson, plausiblePrices, type SourcePrice, urlBelow } from './http-json.ts'

// Dates the slots of a chain by its own clock and its measured pace.

/** Returns about when a slot was; null while the pace of the chain is not measured, and while the chain does not answer. */
export type TimeOfSlot = (slot: bigint) => Promise<Date | null>

/** From one reading of the chain's clock, the time of later slots follows by their pace. */
const READING_LASTS_MS = 10_000

export function createTimeOfSlot(chain: ChainClock & PaceReader, clock: Clock): TimeOfSlot {
  const readings = createCache(
    clock,
    async (_: 'newest') => await Promise.all([chain.blockTime(), chain.pace()]),
    READING_LASTS_MS,
  )
  return async (slot) => {
    try {
      const [newest, { slotMs }] = await readings.get('newest')
      return slotMs === null ? null : new Date(newest.time.getTime() - Number(newest.slot - slot) * slotMs)
    } catch (error) {
      if (hasCode(error, 'chain_unavailable')) return null
      throw error
    }
  }
}

const SOURCE = 'jupiter'
const JUPITER_URL = new URL('https://api.jup.ag')
const MAX_MINTS_PER_REQUEST = 50

/** Keyed by mint; a token without a reliable price is absent or null. */
const prices = z.record(
  z.string(),
  z
    .object({
      usdPrice: z.string().nullish(),
      blockId: z
        .string()
        .regex(/^\d{1,15}$/)
        .nullish(),
    })
    .nullable(),
)

type JupiterOptions = {
  readonly baseUrl?: URL
  readonly apiKey?: string | undefined
  readonly timeOfSlot: TimeOfSlot
}

/**
 * Returns prices by mint; the feed key is not used. 50 assets for each request. A price is as old as its swap, and is left out while
 * the time of its slot is not known.
 */
export function createJupiterFeed({ baseUrl = JUPITER_URL, apiKey, timeOfSlot }: JupiterOptions): PriceFeed {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey }

  const ask = async (mints: readonly string[], signal: AbortSignal): Promise<SourcePrice[]> => {
    const body = await getJson({
      source: SOURCE,
      url: urlBelow(baseUrl, '/price/v3', [['ids', mints.join(',')]]),
      headers,
      signal,
      schema: prices,
    })
    const found = await Promise.all(
      mints.map(async (mint): Promise<SourcePrice[]> => {
        const { usdPrice, blockId } = body[mint] ?? {}
        if (usdPrice == null || blockId == null) return []
        const publishedAt = await timeOfSlot(BigInt(blockId))
        if (publishedAt === null) return []
        const decimal = decimalToPrice(usdPrice)
        return [[mint, decimal && { ...decimal, source: SOURCE, publishedAt }]]
      }),
    )
    return found.flat()
  }

  return {
    name: SOURCE,
    async fetchPrices(assets, signal) {
      const mints = [...new Set(assets.map((asset) => asset.mint))]
      const requests = inGroups(mints, MAX_MINTS_PER_REQUEST).map((group) => ask(group, signal))
      return plausiblePrices(SOURCE, (await Promise.all(requests)).flat())
    },
  }
}
