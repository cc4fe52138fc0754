import { describe, expect, test } from 'vitest'
import { createJupiterFeed } from '#adapters/price-feed/jupiter.ts'
import type { TimeOfSlot } from '#adapters/price-feed/slot-times.ts'
import { json, NOW, SOL, startSource, USDC, unhurried } from './fake-source.ts'

const SLOT = 348_004_023n
/** Slots of 200 milliseconds. */
const timeOfSlot = async (slot: bigint) => new Date(NOW.getTime() - Number(SLOT - slot) * 200)

const entry = (mint: string, usdPrice: string, slot: bigint | null = SLOT) =>
  `"${mint}":{"createdAt":"2024-06-05T08:55:25.527Z","liquidity":621679197.67,"usdPrice":${usdPrice},"blockId":${slot},"decimals":9,"priceChange24h":-1.29}`

describe('jupiter', () => {
  test('asks for every mint at once and reads each number to its last digit', async () => {
    const { baseUrl, questions } = await startSource(
      json(`{${entry(SOL.mint, '147.47894065497471234')},${entry(USDC.mint, '9.999e-1')}}`),
    )
    const prices = await createJupiterFeed({ baseUrl, timeOfSlot }).fetchPrices([SOL, USDC], unhurried())
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
      expect((await createJupiterFeed({ baseUrl, timeOfSlot }).fetchPrices([SOL], unhurried())).size).toBe(0)
    },
  )

  test('a price is as old as the slot of its swap, however new the answer is', async () => {
    const { baseUrl } = await startSource(json(`{${entry(SOL.mint, '150', SLOT - 301n)},${entry(USDC.mint, '1')}}`))
    const prices = await createJupiterFeed({ baseUrl, timeOfSlot }).fetchPrices([SOL, USDC], unhurried())
    expect(prices.get(SOL.mint)?.publishedAt).toEqual(new Date(NOW.getTime() - 60_200))
    expect(prices.get(USDC.mint)?.publishedAt).toEqual(NOW)
  })

  test('a price whose age is not known is not used', async () => {
    const { baseUrl } = await startSource(json(`{${entry(SOL.mint, '150', null)},${entry(USDC.mint, '1')}}`))
    const ask = async (times: TimeOfSlot) => [
      ...(await createJupiterFeed({ baseUrl, timeOfSlot: times }).fetchPrices([SOL, USDC], unhurried())).keys(),
    ]
    expect(await ask(timeOfSlot)).toEqual([USDC.mint])
    expect(await ask(async () => null)).toEqual([])
  })

  test('more mints than one request may hold go in several, at once', async () => {
    const assets = Array.from({ length: 101 }, (_, index) => ({ feedKey: `T${index}`, mint: `mint${index}` }))
    const { baseUrl, questions } = await startSource((response, { url }) => {
      const mints = (url.searchParams.get('ids') ?? '').split(',')
      json(`{${mints.map((mint) => entry(mint, '2.5'))}}`)(response, { url, headers: {} })
    })
    const prices = await createJupiterFeed({ baseUrl, timeOfSlot }).fetchPrices(assets, unhurried())
    expect(prices.size).toBe(101)
    expect(questions.map(({ url }) => url.searchParams.get('ids')?.split(',').length).sort()).toEqual([1, 50, 50])
  })

  test('the API key travels in its header, and nothing does without one', async () => {
    const { baseUrl, questions } = await startSource(json(`{${entry(SOL.mint, '150')}}`))
    await createJupiterFeed({ baseUrl, timeOfSlot, apiKey: 'abc' }).fetchPrices([SOL], unhurried())
    await createJupiterFeed({ baseUrl, timeOfSlot }).fetchPrices([SOL], unhurried())
    expect(questions.map((question) => question.headers['x-api-key'])).toEqual(['abc', undefined])
  })
})
