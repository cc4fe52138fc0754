import { describe, expect, test } from 'vitest'
import { createPythFeed } from '#adapters/price-feed/pyth.ts'
import { json, SOL, startSource, USDC, unhurried } from './fake-source.ts'

const SOL_ID = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'
const USDC_ID = 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a'
const OTHER_ID = 'ab'.repeat(32)

const update = (id: string, price: string, publishTime = 1772366390) => `{
  "id": "${id}",
  "price": {"price": "${price}", "conf": "7500000", "expo": -8, "publish_time": ${publishTime}},
  "ema_price": {"price": "1", "conf": "1", "expo": -8, "publish_time": ${publishTime}},
  "metadata": {"slot": 254112233, "proof_available_time": 1772366391, "prev_publish_time": 1772366389}
}`
const answer = (...updates: string[]) => json(`{"binary":{"encoding":"hex","data":["504e41"]},"parsed":[${updates}]}`)

describe('pyth', () => {
  test('asks for every asset at once, by id, and carries price, certainty and time over exactly', async () => {
    const { baseUrl, questions } = await startSource(answer(update(USDC_ID, '99985000'), update(SOL_ID, '15012345678')))
    const prices = await createPythFeed({ baseUrl }).fetchPrices([SOL, USDC], unhurried())

    expect(prices.get(SOL.mint)).toEqual({
      mantissa: 15012345678n,
      exponent: -8,
      uncertainty: 7500000n,
      source: 'pyth',
      publishedAt: new Date(1772366390_000),
    })
    expect(prices.get(USDC.mint)?.mantissa).toBe(99985000n)
    expect(questions).toHaveLength(1)
    expect(questions[0]?.url.pathname).toBe('/v2/updates/price/latest')
    expect(questions[0]?.url.searchParams.getAll('ids[]')).toEqual([SOL_ID, USDC_ID])
    expect(questions[0]?.url.searchParams.get('parsed')).toBe('true')
  })

  test('one id that Pyth does not serve takes no other asset with it', async () => {
    const { baseUrl, questions } = await startSource(answer(update(SOL_ID, '15000000000')))
    const strange = { feedKey: OTHER_ID, mint: 'strange' }
    const prices = await createPythFeed({ baseUrl }).fetchPrices([SOL, strange], unhurried())
    expect([...prices.keys()]).toEqual([SOL.mint])
    expect(questions[0]?.url.searchParams.get('ignore_invalid_price_ids')).toBe('true')
  })

  test.each([OTHER_ID, `0x${OTHER_ID}`, OTHER_ID.toUpperCase()])('a feed key may be an id: %s', async (feedKey) => {
    const { baseUrl, questions } = await startSource(answer(update(OTHER_ID, '100000000')))
    const prices = await createPythFeed({ baseUrl }).fetchPrices([{ feedKey, mint: 'm' }], unhurried())
    expect(questions[0]?.url.searchParams.getAll('ids[]')).toEqual([OTHER_ID])
    expect(prices.get('m')?.mantissa).toBe(100000000n)
  })

  test.each(['sol', 'SOL/USD', 'Sol-USD'])('a feed key may be a ticker: %s', async (feedKey) => {
    const { baseUrl, questions } = await startSource(answer(update(SOL_ID, '15000000000')))
    const prices = await createPythFeed({ baseUrl }).fetchPrices([{ feedKey, mint: 'm' }], unhurried())
    expect(questions[0]?.url.searchParams.getAll('ids[]')).toEqual([SOL_ID])
    expect(prices.size).toBe(1)
  })

  test('a key that names no feed is not asked for', async () => {
    const { baseUrl, questions } = await startSource(answer())
    const keys = ['DEMO', 'SOL/EUR', 'ab', 'constructor', '']
    const assets = keys.map((feedKey) => ({ feedKey, mint: feedKey }))
    expect((await createPythFeed({ baseUrl }).fetchPrices(assets, unhurried())).size).toBe(0)
    expect(questions).toEqual([])
  })

  test('the price of another feed is never taken for the one asked for', async () => {
    const { baseUrl } = await startSource(answer(update(USDC_ID, '99985000')))
    expect((await createPythFeed({ baseUrl }).fetchPrices([SOL], unhurried())).size).toBe(0)
  })

  test('an impossible price leaves out its own asset alone', async () => {
    const { baseUrl } = await startSource(answer(update(SOL_ID, '0'), update(USDC_ID, '99985000')))
    const prices = await createPythFeed({ baseUrl }).fetchPrices([SOL, USDC], unhurried())
    expect([...prices.keys()]).toEqual([USDC.mint])
  })

  test('a price that stopped long ago keeps its date, for the age rule to see', async () => {
    const { baseUrl } = await startSource(answer(update(SOL_ID, '15000000000', 1700000000)))
    const prices = await createPythFeed({ baseUrl }).fetchPrices([SOL], unhurried())
    expect(prices.get(SOL.mint)?.publishedAt).toEqual(new Date(1700000000_000))
  })

  test('the API key travels as a bearer token, and nothing does without one', async () => {
    const { baseUrl, questions } = await startSource(answer(update(SOL_ID, '15000000000')))
    await createPythFeed({ baseUrl, apiKey: 'abc' }).fetchPrices([SOL], unhurried())
    await createPythFeed({ baseUrl }).fetchPrices([SOL], unhurried())
    expect(questions.map((question) => question.headers.authorization)).toEqual(['Bearer abc', undefined])
  })
})
