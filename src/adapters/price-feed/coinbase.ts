// Coinbase Exchange: the last trade of `<ticker>-USD`, with its time. The ticker is the only public endpoint of Coinbase
// that names the time; it takes one request for each asset. The exchange has no USDC-USD market, so it does not price USDC.

import { z } from 'zod'
import { decimalToPrice } from '#core/money/price.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { getJson, PriceFeedError, plausiblePrices, type SourcePrice, tickerOf, urlBelow } from './http-json.ts'

const SOURCE = 'coinbase'
export const COINBASE_URL = new URL('https://api.exchange.coinbase.com')
/** How long a missing market is not asked for again: the rate limit counts requests. */
const UNLISTED_FOR_MS = 60_000

const ticker = z.object({ price: z.string(), time: z.iso.datetime() })

export type CoinbaseOptions = { readonly baseUrl?: URL; readonly clock: Clock }

/** Assets whose request fails are left out while any other succeeds; when none does, the first failure is thrown. */
export function createCoinbaseFeed({ baseUrl = COINBASE_URL, clock }: CoinbaseOptions): PriceFeed {
  const unlistedAt = new Map<string, number>()

  const isUnlisted = (symbol: string): boolean =>
    msSince(unlistedAt.get(symbol) ?? Number.NEGATIVE_INFINITY, clock.now().getTime()) < UNLISTED_FOR_MS

  const ask = async (mint: string, symbol: string, signal: AbortSignal): Promise<SourcePrice[]> => {
    const url = urlBelow(baseUrl, `/products/${symbol}-USD/ticker`)
    try {
      const body = await getJson({ source: SOURCE, url, signal, schema: ticker })
      const decimal = decimalToPrice(body.price)
      return [[mint, decimal && { ...decimal, source: SOURCE, publishedAt: new Date(body.time) }]]
    } catch (error) {
      if (!(error instanceof PriceFeedError && error.status === 404)) throw error
      unlistedAt.set(symbol, clock.now().getTime())
      return []
    }
  }

  return {
    name: SOURCE,
    async fetchPrices(assets, signal) {
      const requests = assets.flatMap(({ feedKey, mint }) => {
        const symbol = tickerOf(feedKey)
        return symbol === undefined || isUnlisted(symbol) ? [] : [ask(mint, symbol, signal)]
      })
      const answers = await Promise.allSettled(requests)
      const failure = answers.find((answer) => answer.status === 'rejected')
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      if (failure !== undefined && found.length === 0) throw failure.reason
      return plausiblePrices(SOURCE, found)
    },
  }
}
