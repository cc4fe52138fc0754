import { describe, expect, test } from 'vitest'
import { createPriceFeeds } from '#adapters/price-feed/price-feeds.ts'
import { parsePriceFeeds } from '#core/money/price-feeds.ts'
import { clock, json, NOW, SOL, startSource, USDC, unhurried } from './fake-source.ts'

const timeOfSlot = async () => NOW

describe('the feeds of a setting', () => {
  test('a fixed feed prices what it knows, in any case, as of now, and nothing else', async () => {
    const [feed, ...others] = createPriceFeeds(parsePriceFeeds('fixed:SOL=150,usdc=1.0001'), { clock, timeOfSlot })
    expect(others).toEqual([])
    const assets = [{ ...SOL, feedKey: 'sol' }, USDC, { feedKey: 'DEMO', mint: 'demo' }]
    expect(await feed?.fetchPrices(assets, unhurried())).toEqual(
      new Map([
        [SOL.mint, { mantissa: 15n, exponent: 1, source: 'fixed', publishedAt: NOW }],
        [USDC.mint, { mantissa: 10001n, exponent: -4, source: 'fixed', publishedAt: NOW }],
      ]),
    )
  })

  test('each goes to its own address with its own key', async () => {
    const { baseUrl, questions } = await startSource(json('{}', { status: 404 }))
    const text = `pyth=${baseUrl}p,jupiter=${baseUrl}j,coinbase=${baseUrl}c`
    const apiKeys = { pyth: 'pyth-key', jupiter: 'jupiter-key' }
    const feeds = createPriceFeeds(parsePriceFeeds(text), { clock, timeOfSlot, apiKeys })
    expect(feeds.map((feed) => feed.name)).toEqual(['pyth', 'jupiter', 'coinbase'])

    await Promise.allSettled(feeds.map((feed) => feed.fetchPrices([SOL], unhurried())))
    const seen = questions.map(({ url, headers }) => [
      url.pathname,
      headers.authorization ?? headers['x-api-key'] ?? 'no key',
    ])
    expect(seen.sort()).toEqual([
      ['/c/products/SOL-USD/ticker', 'no key'],
      ['/j/price/v3', 'jupiter-key'],
      ['/p/v2/updates/price/latest', 'Bearer pyth-key'],
    ])
  })
})
