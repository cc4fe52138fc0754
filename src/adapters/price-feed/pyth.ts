// Pyth through Hermes: an oracle that gives a confidence and a time with each price. Its hosted endpoints need an API key.

import { z } from 'zod'
import type { Price, PricedAsset, PriceFeed } from '#ports/price-feed.ts'
import { getJson, plausiblePrices, type SourcePrice, tickerOf, urlBelow } from './http-json.ts'

const SOURCE = 'pyth'
export const PYTH_URL = new URL('https://hermes.pyth.network')

/** Pyth's ids for `<ticker>/USD`. Any other feed is named by its id, 64 hexadecimal digits, as the feed key. */
const FEED_IDS: ReadonlyMap<string, string> = new Map([
  ['BTC', 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43'],
  ['BONK', '72b021217ca3fe68922a19aaf990109cb9d84e9ad004b4d2025ad6f529314419'],
  ['ETH', 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace'],
  ['EURC', '76fa85158bf14ede77087fe3ae472f66213f6ea2f5b411cb2de472794990fa5c'],
  ['JITOSOL', '67be9f519b95cf24338801051f9a808eff0a578ccb388db73b7f6fe1de019ffb'],
  ['JUP', '0a0408d619e9380abad35060f9192039ed5042fa6f82301d0e48bb52be830996'],
  ['MSOL', 'c2289a6a43d2ce91c6f55caec370f4acc38a2ed477f58813334c6d03749ff2a4'],
  ['PYTH', '0bbf28e9a841a1cc788f6a361b17ca072d0ea3098a1e5df1c3922d06719579ff'],
  ['PYUSD', 'c1da1b73d7f01e7ddd54b3766cf7fcd644395ad14f70aa706ec5384c59e76692'],
  ['SOL', 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'],
  ['USDC', 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a'],
  ['USDT', '2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b'],
])

const integer = z.string().regex(/^-?\d{1,20}$/)

const latestUpdates = z.object({
  parsed: z.array(
    z.object({
      id: z.string(),
      price: z.object({ price: integer, conf: integer, expo: integer, publish_time: integer }),
    }),
  ),
})
type Update = z.infer<typeof latestUpdates>['parsed'][number]

export type PythOptions = { readonly baseUrl?: URL; readonly apiKey?: string | undefined }

/** Reads every asset in one request. An id that Pyth does not serve leaves out that asset only. */
export function createPythFeed({ baseUrl = PYTH_URL, apiKey }: PythOptions = {}): PriceFeed {
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  return {
    name: SOURCE,
    async fetchPrices(assets, signal) {
      const idsByMint = feedIdsOf(assets)
      if (idsByMint.size === 0) return new Map()
      const body = await getJson({
        source: SOURCE,
        url: urlBelow(baseUrl, '/v2/updates/price/latest', [
          ...[...new Set(idsByMint.values())].map((id) => ['ids[]', id] as const),
          ['parsed', 'true'],
          ['ignore_invalid_price_ids', 'true'],
        ]),
        headers,
        signal,
        schema: latestUpdates,
      })
      const updates = new Map(body.parsed.map((update) => [normalizeId(update.id), update]))
      const found: SourcePrice[] = []
      for (const [mint, id] of idsByMint) {
        const update = updates.get(id)
        if (update !== undefined) found.push([mint, priceOf(update)])
      }
      return plausiblePrices(SOURCE, found)
    },
  }
}

function feedIdsOf(assets: readonly PricedAsset[]): ReadonlyMap<string, string> {
  const idsByMint = new Map<string, string>()
  for (const { feedKey, mint } of assets) {
    const id = isFeedId(feedKey) ? normalizeId(feedKey) : FEED_IDS.get(tickerOf(feedKey) ?? '')
    if (id !== undefined) idsByMint.set(mint, id)
  }
  return idsByMint
}

const isFeedId = (feedKey: string): boolean => /^(0x)?[0-9a-f]{64}$/i.test(feedKey)
const normalizeId = (id: string): string => id.toLowerCase().replace(/^0x/, '')

function priceOf({ price: { price, conf, expo, publish_time } }: Update): Price {
  return {
    mantissa: BigInt(price),
    exponent: Number(expo),
    uncertainty: BigInt(conf),
    source: SOURCE,
    publishedAt: new Date(Number(publish_time) * 1000),
  }
}
