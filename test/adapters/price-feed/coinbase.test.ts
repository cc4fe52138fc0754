import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createCoinbaseFeed } from '#adapters/price-feed/coinbase.ts'
import { clock, json, NOW, type Question, SOL, startSource, USDC, unhurried } from './fake-source.ts'

const USDT = { feedKey: 'USDT', mint: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }

const ticker = (price: string, time = '2026-03-01T11:59:50.123456Z') =>
  json(
    `{"ask":"142.36","bid":"142.34","volume":"845123.1","trade_id":86326522,"price":"${price}","size":"0.1","time":"${time}"}`,
  )
const notFound = json('{"message":"NotFound"}', { status: 404 })

/** Answers by product, as the exchange does; a product it does not have is 404. */
const exchange =
  (tickers: Record<string, ReturnType<typeof json>>) => (response: ServerResponse, question: Question) => {
    const product = question.url.pathname.split('/')[2] ?? ''
    const answer = tickers[product] ?? notFound
    answer(response, question)
  }

describe('coinbase', () => {
  test('asks for each asset in dollars and carries price and trade time over exactly', async () => {
    const { baseUrl, questions } = await startSource(
      exchange({ 'SOL-USD': ticker('142.3500'), 'USDT-USD': ticker('0.99987') }),
    )
    const prices = await createCoinbaseFeed({ baseUrl, clock }).fetchPrices([SOL, USDT], unhurried())
    expect(prices.get(SOL.mint)).toEqual({
      mantissa: 14235n,
      exponent: -2,
      source: 'coinbase',
      publishedAt: new Date('2026-03-01T11:59:50.123Z'),
    })
    expect(prices.get(USDT.mint)).toMatchObject({ mantissa: 99987n, exponent: -5 })
    expect(questions.map(({ url }) => url.pathname).sort()).toEqual([
      '/products/SOL-USD/ticker',
      '/products/USDT-USD/ticker',
    ])
  })

  test('an asset without a dollar market is not priced, and not asked for again within a minute', async () => {
    let now = NOW.getTime()
    const { baseUrl, questions } = await startSource(exchange({ 'SOL-USD': ticker('142.35') }))
    const feed = createCoinbaseFeed({ baseUrl, clock: { now: () => new Date(now) } })
    const asked = () => questions.filter(({ url }) => url.pathname.includes('USDC')).length

    expect([...(await feed.fetchPrices([SOL, USDC], unhurried())).keys()]).toEqual([SOL.mint])
    now += 59_999
    await feed.fetchPrices([SOL, USDC], unhurried())
    expect(asked()).toBe(1)
    now += 1
    await feed.fetchPrices([SOL, USDC], unhurried())
    expect(asked()).toBe(2)
  })

  test('only unknown assets is no failure', async () => {
    const { baseUrl } = await startSource(exchange({}))
    expect((await createCoinbaseFeed({ baseUrl, clock }).fetchPrices([USDC], unhurried())).size).toBe(0)
  })

  test('one asset that fails takes no other with it', async () => {
    const { baseUrl } = await startSource(
      exchange({ 'SOL-USD': ticker('142.35'), 'USDT-USD': json('{}', { status: 500 }) }),
    )
    const prices = await createCoinbaseFeed({ baseUrl, clock }).fetchPrices([USDT, SOL], unhurried())
    expect([...prices.keys()]).toEqual([SOL.mint])
  })

  test('where nothing is priced, a failure is thrown though another asset is merely unknown', async () => {
    const { baseUrl } = await startSource(exchange({ 'SOL-USD': json('{}', { status: 429 }) }))
    await expect(createCoinbaseFeed({ baseUrl, clock }).fetchPrices([USDC, SOL], unhurried())).rejects.toMatchObject({
      reason: 'http_status',
      status: 429,
    })
  })

  test('a market that stopped trading keeps the date of its last trade, for the age rule to see', async () => {
    const { baseUrl } = await startSource(exchange({ 'SOL-USD': ticker('142.35', '2025-12-24T18:00:00Z') }))
    const prices = await createCoinbaseFeed({ baseUrl, clock }).fetchPrices([SOL], unhurried())
    expect(prices.get(SOL.mint)?.publishedAt).toEqual(new Date('2025-12-24T18:00:00Z'))
  })

  test.each(['yesterday', '2026-03-01', '', '1772366390'])('a trade time of "%s" is malformed', async (time) => {
    const { baseUrl } = await startSource(exchange({ 'SOL-USD': ticker('142.35', time) }))
    await expect(createCoinbaseFeed({ baseUrl, clock }).fetchPrices([SOL], unhurried())).rejects.toMatchObject({
      reason: 'malformed',
    })
  })

  test.each(['SOL/EUR', 'a b', '../orders', '0xef0d8b6fda2ceba41da15d4095d1da392a0d2f8e'])(
    'a key that is no dollar ticker is not asked for: %s',
    async (feedKey) => {
      const { baseUrl, questions } = await startSource(exchange({}))
      const prices = await createCoinbaseFeed({ baseUrl, clock }).fetchPrices([{ feedKey, mint: 'm' }], unhurried())
      expect(prices.size).toBe(0)
      expect(questions).toEqual([])
    },
  )
})
