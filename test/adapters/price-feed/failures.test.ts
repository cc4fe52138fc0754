// What every source over HTTP does with a provider that fails or lies in the ways that providers do.
import { describe, expect, test } from 'vitest'
import { createCoinbaseFeed } from '#adapters/price-feed/coinbase.ts'
import { PriceFeedError } from '#adapters/price-feed/http-json.ts'
import { createJupiterFeed } from '#adapters/price-feed/jupiter.ts'
import { createPythFeed } from '#adapters/price-feed/pyth.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import { breakOff, clock, flood, json, NOW, SOL, silence, startSource, unhurried } from './fake-source.ts'

const SOL_ID = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'

type Subject = {
  name: string
  create: (baseUrl: URL) => PriceFeed
  /** The provider's whole answer for SOL with this price put in as it stands. */
  body: (price: string) => string
  truth: string
  lies: string[]
}

const SUBJECTS: Subject[] = [
  {
    name: 'pyth',
    create: (baseUrl) => createPythFeed({ baseUrl, apiKey: 'pyth-secret' }),
    body: (price) =>
      `{"parsed":[{"id":"${SOL_ID}","price":{"price":${price},"conf":"1","expo":-8,"publish_time":1772366390}}]}`,
    truth: '"15000000000"',
    lies: ['"-15000000000"', '"0"', '"NaN"', '"150.00"', '"1e99"', '"99999999999999999999999"', 'null', '""', '{}'],
  },
  {
    name: 'jupiter',
    create: (baseUrl) => createJupiterFeed({ baseUrl, apiKey: 'jupiter-secret', timeOfSlot: async () => NOW }),
    body: (price) => `{"${SOL.mint}":{"usdPrice":${price},"blockId":348004023,"decimals":9,"priceChange24h":1.29}}`,
    truth: '150',
    lies: ['-150', '0', '0.0', '1e99', '1e-99', '"NaN"', '""', '{}', '[150]', 'true'],
  },
  {
    name: 'coinbase',
    create: (baseUrl) => createCoinbaseFeed({ baseUrl, clock }),
    body: (price) => `{"trade_id":1,"price":${price},"size":"0.1","time":"2026-03-01T11:59:50.123456Z"}`,
    truth: '"150.00"',
    lies: ['"-150"', '"0"', '"0.00"', '"NaN"', '"Infinity"', '"1e99"', '"150 USD"', 'null', '""', '{}'],
  },
]

const failureOf = async (feed: PriceFeed, signal = unhurried()): Promise<PriceFeedError> => {
  const error: unknown = await feed.fetchPrices([SOL], signal).then(
    () => new Error('it answered'),
    (reason: unknown) => reason,
  )
  if (error instanceof PriceFeedError) return error
  throw error
}

describe.each(SUBJECTS)('$name', ({ name, create, body, truth, lies }) => {
  test('tells the price of a provider that speaks the truth', async () => {
    const { baseUrl } = await startSource(json(body(truth)))
    const price = (await create(baseUrl).fetchPrices([SOL], unhurried())).get(SOL.mint)
    expect(Number(`${price?.mantissa}e${price?.exponent}`)).toBe(150)
    expect(price?.source).toBe(name)
  })

  test.each([429, 500, 503, 401, 403])('a status of %i is an error that names it', async (status) => {
    const { baseUrl } = await startSource(json(body(truth), { status }))
    expect(await failureOf(create(baseUrl))).toMatchObject({ source: name, reason: 'http_status', status })
  })

  test('a redirect is not followed, wherever it leads', async () => {
    const { baseUrl, questions } = await startSource((response, question) => {
      const redirect = { status: 302, headers: { location: '/elsewhere' } }
      json(body(truth), question.url.pathname === '/elsewhere' ? {} : redirect)(response, question)
    })
    expect(await failureOf(create(baseUrl))).toMatchObject({ source: name, reason: 'unreachable' })
    expect(questions).toHaveLength(1)
  })

  test.each(lies)('the price %s is refused', async (lie) => {
    const { baseUrl } = await startSource(json(body(lie)))
    expect(await failureOf(create(baseUrl))).toMatchObject({ source: name, reason: 'malformed' })
  })

  test.each([
    ['truncated JSON', body(truth).slice(0, -2)],
    ['a web page', '<!doctype html><title>Just a moment...</title>'],
    ['nothing', ''],
    ['a list', '[]'],
    ['another document', '{"error":"maintenance"}'],
    ['a number', '150'],
    ['null', 'null'],
  ])('%s is malformed', async (_what, text) => {
    const { baseUrl } = await startSource(json(text))
    expect(await failureOf(create(baseUrl))).toMatchObject({ source: name, reason: 'malformed' })
  })

  test('an answer without an end is cut off', async () => {
    const { baseUrl } = await startSource(flood)
    const error = await failureOf(create(baseUrl))
    expect(error).toMatchObject({ source: name, reason: 'malformed' })
    expect(error.message).toContain('more than')
  })

  test('silence ends when the caller says so', async () => {
    const { baseUrl } = await startSource(silence)
    expect(await failureOf(create(baseUrl), AbortSignal.timeout(50))).toMatchObject({ source: name, reason: 'timeout' })
  })

  test('a connection that breaks in mid-answer is no answer', async () => {
    const { baseUrl } = await startSource(breakOff)
    expect(await failureOf(create(baseUrl))).toMatchObject({ source: name, reason: 'unreachable' })
  })

  test('a closed port is unreachable, and the message shows neither address nor key', async () => {
    const error = await failureOf(create(new URL('http://127.0.0.1:1/token-in-path?api-key=hidden')))
    expect(error).toMatchObject({ source: name, reason: 'unreachable' })
    expect(`${error.message} ${error.stack}`).not.toMatch(/127\.0\.0\.1|token-in-path|hidden|secret/)
  })

  test('an address with a path and a query of its own keeps both', async () => {
    const { baseUrl, questions } = await startSource(json(body(truth)))
    await create(new URL('/behind/a/proxy/?api-key=abc', baseUrl)).fetchPrices([SOL], unhurried())
    expect(questions[0]?.url.pathname).toMatch(/^\/behind\/a\/proxy\/(v2|price|products)\//)
    expect(questions[0]?.url.searchParams.get('api-key')).toBe('abc')
  })

  test('asked for unknown assets only, it makes no request', async () => {
    const { baseUrl, questions } = await startSource(json(body(truth)))
    expect((await create(baseUrl).fetchPrices([], unhurried())).size).toBe(0)
    expect(questions).toEqual([])
  })
})
