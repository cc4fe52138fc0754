import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createCoinbaseFeed } from '#adapters/price-feed/coinbase.ts'
import { PriceFeedError } from '#adapters/price-feed/http-json.ts'
import { createJupiterFeed, createTimeOfSlot, type TimeOfSlot } from '#adapters/price-feed/jupiter.ts'
import { createPriceFeeds } from '#adapters/price-feed/price-feeds.ts'
import { createPythFeed } from '#adapters/price-feed/pyth.ts'
import { ServiceError } from '#core/errors.ts'
import { parsePriceFeeds } from '#core/money/price-feeds.ts'
import type { PricedAsset, PriceFeed } from '#ports/price-feed.ts'

// A price source on loopback that gives prepared answers, and records its requests.

const NOW = new Date('2026-03-01T12:00:00.000Z')
const clock = { now: () => NOW }

const SOL: PricedAsset = { feedKey: 'SOL', mint: 'So11111111111111111111111111111111111111112' }
const USDC: PricedAsset = { feedKey: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }

type Question = { readonly url: URL; readonly headers: IncomingHttpHeaders }
type Answer = (response: ServerResponse, question: Question) => void

type FakeSource = { readonly baseUrl: URL; readonly questions: Question[] }

/** Runs until the test is over. */
async function startSource(answer: Answer): Promise<FakeSource> {
  const questions: Question[] = []
  const server = createServer((request, response) => {
    const question = { url: new URL(request.url ?? '/', 'http://source.test'), headers: request.headers }
    questions.push(question)
    answer(response, question)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { baseUrl: new URL(`http://127.0.0.1:${address.port}`), questions }
}

/** Answers with JSON text, given as text because the sources' numbers matter to the last digit. */
const json =
  (text: string, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }

/** Takes the question and never answers. */
const silence: Answer = () => {}

/** Starts an answer and breaks the connection in the middle of it. */
const breakOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"', () => response.destroy())
}

/** Sends without an end, far beyond what any price answer needs. */
const flood: Answer = (response) => {
  const chunk = ' '.repeat(64 * 1024)
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour)
  }
  response.writeHead(200)
  pour()
}

const unhurried = (): AbortSignal => AbortSignal.timeout(10_000)

const SOL_ID = 'ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d'

describe('price feeds', () => {
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

  describe('slot times', () => {
    const TIME = new Date('2026-03-01T12:00:00Z')

    function chainWith(slotMs: number | null) {
      let now = NOW.getTime()
      let calls = 0
      let isAway = false
      const answer = <T>(value: T) =>
        isAway ? Promise.reject(new ServiceError('chain_unavailable')) : Promise.resolve(value)
      const chain = {
        blockTime() {
          calls += 1
          return answer({ slot: 1_000n, time: TIME })
        },
        pace: () => answer({ consensus: 'alpenglow' as const, slotMs, finalAfterSlots: 1 }),
      }
      return {
        timeOfSlot: createTimeOfSlot(chain, { now: () => new Date(now) }),
        calls: () => calls,
        pass(ms: number) {
          now += ms
        },
        away() {
          isAway = true
        },
      }
    }

    test('a slot is dated by the clock of the chain and its measured pace, before and after the newest slot', async () => {
      const { timeOfSlot } = chainWith(214)
      expect(await timeOfSlot(1_000n)).toEqual(TIME)
      expect(await timeOfSlot(720n)).toEqual(new Date(TIME.getTime() - 59_920))
      expect(await timeOfSlot(1_010n)).toEqual(new Date(TIME.getTime() + 2_140))
    })

    test('no slot is dated before the pace is measured, or while the chain does not answer', async () => {
      expect(await chainWith(null).timeOfSlot(1_000n)).toBeNull()
      const { timeOfSlot, away } = chainWith(200)
      away()
      expect(await timeOfSlot(1_000n)).toBeNull()
    })

    test('many slots are dated by one reading of ten seconds', async () => {
      const { timeOfSlot, calls, pass } = chainWith(200)
      await Promise.all([timeOfSlot(1n), timeOfSlot(2n)])
      pass(9_999)
      await timeOfSlot(3n)
      expect(calls()).toBe(1)
      pass(1)
      await timeOfSlot(4n)
      expect(calls()).toBe(2)
    })
  })
})

describe('coinbase', () => {
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

describe('jupiter', () => {
  const SLOT = 348_004_023n
  /** Slots of 200 milliseconds. */
  const timeOfSlot = async (slot: bigint) => new Date(NOW.getTime() - Number(SLOT - slot) * 200)

  const entry = (mint: string, usdPrice: string, slot: bigint | null = SLOT) =>
    `"${mint}":{"createdAt":"2024-06-05T08:55:25.527Z","liquidity":621679197.67,"usdPrice":${usdPrice},"blockId":${slot},"decimals":9,"priceChange24h":-1.29}`

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

describe('pyth', () => {
  const USDC_ID = 'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a'
  const OTHER_ID = 'ab'.repeat(32)

  const update = (id: string, price: string, publishTime = 1772366390) => `{
  "id": "${id}",
  "price": {"price": "${price}", "conf": "7500000", "expo": -8, "publish_time": ${publishTime}},
  "ema_price": {"price": "1", "conf": "1", "expo": -8, "publish_time": ${publishTime}},
  "metadata": {"slot": 254112233, "proof_available_time": 1772366391, "prev_publish_time": 1772366389}
}`
  const answer = (...updates: string[]) => json(`{"binary":{"encoding":"hex","data":["504e41"]},"parsed":[${updates}]}`)

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

// What every source over HTTP does with a provider that fails or lies in the ways that providers do.
describe('a provider that fails', () => {
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
      expect(await failureOf(create(baseUrl), AbortSignal.timeout(50))).toMatchObject({
        source: name,
        reason: 'timeout',
      })
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
})
