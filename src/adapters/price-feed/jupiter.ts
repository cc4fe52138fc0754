// Jupiter Price API v3: the last swap price of a token on Solana markets. Without a key it answers 30 requests a
// minute; with one, more.

import { z } from 'zod'
import { decimalToPrice } from '#core/money/price.ts'
import type { Clock } from '#ports/clock.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { getJson, urlBelow } from './http-json.ts'
import { plausiblePrices, type SourcePrice } from './plausible-prices.ts'

const SOURCE = 'jupiter'
export const JUPITER_URL = new URL('https://api.jup.ag')
const MAX_MINTS_PER_REQUEST = 50

/** Keyed by mint; a token without a reliable price is absent or null. */
const prices = z.record(z.string(), z.object({ usdPrice: z.string().nullish() }).nullable())

export type JupiterOptions = { readonly baseUrl?: URL; readonly apiKey?: string | undefined; readonly clock: Clock }

/** Returns prices by mint; the feed key is not used. 50 assets for each request. */
export function createJupiterFeed({ baseUrl = JUPITER_URL, apiKey, clock }: JupiterOptions): PriceFeed {
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey }

  const ask = async (mints: readonly string[], signal: AbortSignal): Promise<SourcePrice[]> => {
    const askedAt = clock.now().getTime()
    const { body, cachedForMs } = await getJson({
      source: SOURCE,
      url: urlBelow(baseUrl, '/price/v3', [['ids', mints.join(',')]]),
      headers,
      signal,
      schema: prices,
    })
    // The answer has no time. It counts as old as the request, plus the age that a cache on the way reports.
    const publishedAt = new Date(askedAt - cachedForMs)
    return mints.flatMap((mint): SourcePrice[] => {
      const usdPrice = body[mint]?.usdPrice
      if (usdPrice === undefined || usdPrice === null) return []
      const decimal = decimalToPrice(usdPrice)
      return [[mint, decimal && { ...decimal, source: SOURCE, publishedAt }]]
    })
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
