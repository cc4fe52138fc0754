// The PRICE_FEEDS setting: what it may say, and the feeds that it names.
//
//   fixed:SOL=150,USDC=1.0001            fixed prices, in dollars for a whole unit, by feed key
//   pyth,jupiter,coinbase                sources over HTTP, any of them, each at most once
//   pyth=https://hermes.example,jupiter  a source at another address

import { type Decimal, decimalToPrice } from '#core/money/price.ts'

const HTTP_FEEDS = ['pyth', 'jupiter', 'coinbase'] as const
export type HttpFeedName = (typeof HTTP_FEEDS)[number]

/**
 * The setting on a real network when the operator names no feed. Feeds that are added later are used only when they are
 * named.
 */
export const DEFAULT_PRICE_FEEDS = 'pyth,jupiter,coinbase'

export type PriceFeedsSetting =
  | { readonly kind: 'fixed'; readonly prices: ReadonlyMap<string, Decimal> }
  | { readonly kind: 'http'; readonly feeds: readonly { readonly name: HttpFeedName; readonly baseUrl?: URL }[] }

/** Throws an Error of one line that names PRICE_FEEDS and shows no address. */
export function parsePriceFeeds(text: string): PriceFeedsSetting {
  const [, fixed] = /^\s*fixed:(.*)$/is.exec(text) ?? []
  const entries = (fixed ?? text).split(',').map((entry) => entry.trim())
  if (entries.includes('')) throw complaint('an entry is empty; write for example pyth,jupiter or fixed:SOL=150')
  return fixed === undefined ? parseHttpFeeds(entries) : parseFixedPrices(entries)
}

/** Returns whether prices are fixed; the caller refuses them on mainnet. */
export const hasFixedFeed = (setting: PriceFeedsSetting): boolean => setting.kind === 'fixed'

function parseFixedPrices(entries: readonly string[]): PriceFeedsSetting {
  const prices = new Map<string, Decimal>()
  for (const [index, entry] of entries.entries()) {
    const [, key, value = ''] = /^([^=\s]+)\s*=\s*(.*)$/.exec(entry) ?? []
    if (key === undefined)
      throw complaint(`fixed price ${index + 1} is not KEY=PRICE; other feeds do not mix with fixed ones`)
    const price = decimalToPrice(value)
    if (price === undefined) throw complaint(`the price of ${key} is not one; write dollars, for example ${key}=0.9998`)
    if (prices.has(key.toUpperCase())) throw complaint(`${key} has two prices`)
    prices.set(key.toUpperCase(), price)
  }
  return { kind: 'fixed', prices }
}

function parseHttpFeeds(entries: readonly string[]): PriceFeedsSetting {
  const feeds = new Map<HttpFeedName, { name: HttpFeedName; baseUrl?: URL }>()
  for (const entry of entries) {
    const [, word = '', address] = /^([^=:]*)(?:=(.*))?/.exec(entry) ?? []
    const name = HTTP_FEEDS.find((known) => known === word.trim().toLowerCase())
    if (name === undefined) throw strangeFeed(word.trim())
    // One source that is asked twice would agree with itself.
    if (feeds.has(name)) throw complaint(`${name} is named twice`)
    feeds.set(name, address === undefined ? { name } : { name, baseUrl: parseAddress(name, address.trim()) })
  }
  return { kind: 'http', feeds: [...feeds.values()] }
}

function strangeFeed(word: string): Error {
  if (word.toLowerCase() === 'fixed')
    return complaint('fixed prices stand alone; write fixed:SOL=150,USDC=1 and no other feed, or leave fixed out')
  return complaint(
    `${JSON.stringify(word)} is no feed; write any of ${HTTP_FEEDS.join(', ')}, or fixed:SOL=150 and no other`,
  )
}

function parseAddress(name: HttpFeedName, address: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) throw complaint(`${name} needs an http or https address`)
  if (url.username !== '' || url.password !== '') throw complaint(`the address of ${name} must not hold a user name`)
  return url
}

const complaint = (what: string): Error => new Error(`PRICE_FEEDS: ${what}`)
