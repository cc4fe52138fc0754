import { describe, expect, test } from 'vitest'
import { createJupiterFeed } from '#adapters/price-feed/jupiter.ts'
import { clock, json, NOW, SOL, startSource, USDC, unhurried } from './fake-source.ts'

const entry = (mint: string, usdPrice: string) =>
  `"${mint}":{"createdAt":"2024-06-05T08:55:25.527Z","liquidity":621679197.67,"usdPrice":${usdPrice},"blockId":348004023,"decimals":9,"priceChange24h":-1.29}`

describe('jupiter', () => {
  test('asks for every mint at once and reads each number to its last digit', async () => {
    const { baseUrl, questions } = await startSource(
      json(`{${entry(SOL.mint, '147.47894065497471234')},${entry(USDC.mint, '9.999e-1')}}`),
    )
    const prices = await createJupiterFeed({ baseUrl, clock }).fetchPrices([SOL, USDC], unhurried())
    expect(prices.get(SOL.mint)).toEqual({
      mantissa: 14747894065497471234n,
      exponent: -17,
      source: 'jupiter',
      publishedAt: NOW,
    })
    expect(prices.get(USDC.mint)).toMatchObject({ mantissa: 9999n, exponent: -4 })
    expect(questions).toHaveLength(1)
    expect(questions[0]?.url.pathname).toBe('/price/v3')
    expect(questions[0]?.url.searchParams.get('ids')).toBe(`${SOL.mint},${USDC.mint}`)
  })

  test.each(['{}', `{"${SOL.mint}":null}`, `{${entry(SOL.mint, 'null')}}`, `{${entry(USDC.mint, '1')}}`])(
    'a mint without a price of its own is not priced: %s',
    async (text) => {
      const { baseUrl } = await startSource(json(text))
      expect((await createJupiterFeed({ baseUrl, clock }).fetchPrices([SOL], unhurried())).size).toBe(0)
    },
  )

  test('an answer is as old as the question, and older by what a cache says of it', async () => {
    const { baseUrl } = await startSource(json(`{${entry(SOL.mint, '150')}}`, { headers: { age: '90' } }))
    const prices = await createJupiterFeed({ baseUrl, clock }).fetchPrices([SOL], unhurried())
    expect(prices.get(SOL.mint)?.publishedAt).toEqual(new Date(NOW.getTime() - 90_000))
  })

  test('more mints than one request may hold go in several, at once', async () => {
    const assets = Array.from({ length: 101 }, (_, index) => ({ feedKey: `T${index}`, mint: `mint${index}` }))
    const { baseUrl, questions } = await startSource((response, { url }) => {
      const mints = (url.searchParams.get('ids') ?? '').split(',')
      json(`{${mints.map((mint) => entry(mint, '2.5'))}}`)(response, { url, headers: {} })
    })
    const prices = await createJupiterFeed({ baseUrl, clock }).fetchPrices(assets, unhurried())
    expect(prices.size).toBe(101)
    expect(questions.map(({ url }) => url.searchParams.get('ids')?.split(',').length).sort()).toEqual([1, 50, 50])
  })

  test('the API key travels in its header, and nothing does without one', async () => {
    const { baseUrl, questions } = await startSource(json(`{${entry(SOL.mint, '150')}}`))
    await createJupiterFeed({ baseUrl, clock, apiKey: 'abc' }).fetchPrices([SOL], unhurried())
    await createJupiterFeed({ baseUrl, clock }).fetchPrices([SOL], unhurried())
    expect(questions.map((question) => question.headers['x-api-key'])).toEqual(['abc', undefined])
  })
})
