// Jupiter Price API v3: the price of the last swap of a token on Solana markets, with the slot of the swap. Without a key it answers
// 30 requests a minute; with one, more.

import { z } from 'zod'
import { decimalToPrice } from '#core/money/price.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { getJson, plausiblePrices, type SourcePrice, urlBelow } from './http-json.ts'
import type { TimeOfSlot } from './slot-times.ts'

const SOURCE = 'jupiter'
export const JUPITER_URL = new URL('https://api.jup.ag')
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

export type JupiterOptions = {
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
      const requests: Promise<SourcePrice[]>[] = []
      for (let start = 0; start < mints.length; start += MAX_MINTS_PER_REQUEST) {
        requests.push(ask(mints.slice(start, start + MAX_MINTS_PER_REQUEST), signal))
      }
      return plausiblePrices(SOURCE, (await Promise.all(requests)).flat())
    },
  }
}
