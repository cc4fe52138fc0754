import { describe, expect, test, vi } from 'vitest'
import { decimalToPrice, isPriceRefusal, type Price } from '#core/money/price.ts'
import type { PricedAsset, PriceFeed } from '#ports/price-feed.ts'
import { FeedReader } from '#services/prices/feed-reader.ts'
import { createPriceSource } from '#services/prices/price-source.ts'

// A feed that the test controls: its answers, their times, and a count of the questions.

const SOL: PricedAsset = { feedKey: 'SOL', mint: 'sol-mint' }
const USDC: PricedAsset = { feedKey: 'USDC', mint: 'usdc-mint' }

class ManualClock {
  #now = Date.UTC(2026, 2, 1, 12)
  now = (): Date => new Date(this.#now)
  advance(ms: number): void {
    this.#now += ms
  }
}

type Behaviour = (assets: readonly PricedAsset[], signal: AbortSignal) => Promise<ReadonlyMap<string, Price>>

class StubFeed implements PriceFeed {
  readonly name: string
  readonly questions: string[][] = []
  behaviour: Behaviour

  constructor(name: string, behaviour: Behaviour) {
    this.name = name
    this.behaviour = behaviour
  }

  fetchPrices(assets: readonly PricedAsset[], signal: AbortSignal): Promise<ReadonlyMap<string, Price>> {
    this.questions.push(assets.map((asset) => asset.feedKey))
    return this.behaviour(assets, signal)
  }
}

const priceOf = (source: string, dollars: string, publishedAt: Date): Price => {
  const decimal = decimalToPrice(dollars)
  if (decimal === undefined) throw new Error(`${dollars} is no price`)
  return { ...decimal, source, publishedAt }
}

/** Answers the given dollars by feed key, published `ageMs` ago. */
const says =
  (source: string, clock: ManualClock, dollars: Record<string, string>, ageMs = 0): Behaviour =>
  async (assets) => {
    const publishedAt = new Date(clock.now().getTime() - ageMs)
    return new Map(
      assets.flatMap(({ feedKey, mint }) => {
        const text = dollars[feedKey]
        return text === undefined ? [] : [[mint, priceOf(source, text, publishedAt)] as const]
      }),
    )
  }

const fails =
  (message = 'http_status 500'): Behaviour =>
  async () => {
    throw new Error(message)
  }

/** Never answers, and does not heed its signal either. */
const hangs: Behaviour = () => new Promise(() => {})

/** Answers only when the test opens it. */
const held = (behaviour: Behaviour) => {
  const gate = Promise.withResolvers<void>()
  return {
    open: gate.resolve,
    behaviour: (async (assets, signal) => {
      await gate.promise
      return behaviour(assets, signal)
    }) satisfies Behaviour,
  }
}

describe('a reader of feeds', () => {
  const CACHE_MS = 3_000
  const COOLDOWN_MS = 10_000
  const PROBE_MS = 1_000

  const setUp = ({ timeoutMs = 10_000, cacheMs = CACHE_MS } = {}) => {
    const clock = new ManualClock()
    const healthy = says('stub', clock, { SOL: '150', USDC: '1' })
    const feed = new StubFeed('stub', healthy)
    const reader = new FeedReader(feed, { clock, timeoutMs, cacheMs, cooldownMs: COOLDOWN_MS, probeMs: PROBE_MS })
    return { clock, feed, reader, healthy }
  }
  const mintsRead = async (reading: Promise<ReadonlyMap<string, unknown>>) => [...(await reading).keys()]

  describe('sharing', () => {
    test('concurrent readers share one request', async () => {
      const { feed, reader, healthy } = setUp()
      const gate = held(healthy)
      feed.behaviour = gate.behaviour
      const readings = Array.from({ length: 100 }, () => reader.read([SOL]))
      gate.open()
      for (const reading of readings) expect(await mintsRead(reading)).toEqual([SOL.mint])
      expect(feed.questions).toEqual([['SOL']])
    })

    test('a reader who wants more asks only for the rest and waits for both', async () => {
      const { feed, reader, healthy } = setUp()
      const gate = held(healthy)
      feed.behaviour = gate.behaviour
      const first = reader.read([SOL])
      const second = reader.read([SOL, USDC])
      gate.open()
      expect(await mintsRead(first)).toEqual([SOL.mint])
      expect(await mintsRead(second)).toEqual([SOL.mint, USDC.mint])
      expect(feed.questions).toEqual([['SOL'], ['USDC']])
    })

    test('even without a cache, every waiting caller gets the answer', async () => {
      const { clock, feed, reader, healthy } = setUp({ cacheMs: 0 })
      feed.behaviour = async (assets, signal) => {
        clock.advance(700)
        return healthy(assets, signal)
      }
      expect(await mintsRead(reader.read([SOL]))).toEqual([SOL.mint])
      clock.advance(1)
      await reader.read([SOL])
      expect(feed.questions).toHaveLength(2)
    })

    test('one mint priced by two keys is two assets', async () => {
      const { feed, reader } = setUp()
      await reader.read([{ feedKey: 'SOL', mint: 'm' }])
      const other = await reader.read([{ feedKey: 'USDC', mint: 'm' }])
      expect(other.get('m')).toMatchObject({ mantissa: 1n, exponent: 0 })
      expect(feed.questions).toEqual([['SOL'], ['USDC']])
    })
  })

  describe('keeping', () => {
    test('an answer serves until the cache time is over, then the feed is asked again', async () => {
      const { clock, feed, reader } = setUp()
      await reader.read([SOL])
      clock.advance(CACHE_MS)
      await reader.read([SOL])
      expect(feed.questions).toHaveLength(1)
      clock.advance(1)
      await reader.read([SOL])
      expect(feed.questions).toHaveLength(2)
    })

    test('that a feed does not know an asset is an answer too', async () => {
      const { feed, reader } = setUp()
      const unknown = { feedKey: 'DEMO', mint: 'demo-mint' }
      expect(await mintsRead(reader.read([unknown, SOL]))).toEqual([SOL.mint])
      await reader.read([unknown])
      expect(feed.questions).toEqual([['DEMO', 'SOL']])
    })

    test('an answer from the future is not kept when the clock jumps back', async () => {
      const { clock, feed, reader } = setUp()
      await reader.read([SOL])
      clock.advance(-3_600_000)
      expect(await mintsRead(reader.read([SOL]))).toEqual([SOL.mint])
      expect(feed.questions).toHaveLength(2)
    })
  })

  describe('failing', () => {
    test('a feed that hangs and ignores its signal costs its time limit and no more', async () => {
      const { feed, reader } = setUp({ timeoutMs: 30 })
      feed.behaviour = hangs
      const startedAt = performance.now()
      expect(await mintsRead(reader.read([SOL]))).toEqual([])
      expect(performance.now() - startedAt).toBeLessThan(1_000)
      expect(reader.health()).toMatchObject({ status: 'failing', lastError: 'stub: no answer within 30 ms' })
    })

    test('the signal that a feed is given ends with the time limit', async () => {
      const { feed, reader } = setUp({ timeoutMs: 30 })
      feed.behaviour = (_assets, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped by its signal')))
        })
      await reader.read([SOL])
      expect(reader.health().status).toBe('failing')
    })

    test('a feed that throws before it promises anything is a failing feed, and nothing more', async () => {
      const { feed, reader } = setUp({ timeoutMs: 20 })
      feed.behaviour = () => {
        throw new Error('broken')
      }
      const unhandled = vi.fn()
      process.on('unhandledRejection', unhandled)
      expect(await mintsRead(reader.read([SOL]))).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, 40))
      process.off('unhandledRejection', unhandled)
      expect(unhandled).not.toHaveBeenCalled()
      expect(reader.health()).toMatchObject({ status: 'failing', lastError: 'broken' })
    })

    test('after a failure no reader waits: the feed is tried in the background', async () => {
      const { feed, reader } = setUp()
      feed.behaviour = fails()
      await reader.read([SOL])
      feed.behaviour = hangs
      for (let count = 0; count < 20; count++) expect(await mintsRead(reader.read([SOL]))).toEqual([])
      expect(feed.questions).toHaveLength(2)
    })

    test('background tries are a second apart', async () => {
      const { clock, feed, reader } = setUp()
      feed.behaviour = fails()
      await reader.read([SOL])
      for (let count = 0; count < 5; count++) await reader.read([SOL])
      expect(feed.questions).toHaveLength(2)
      clock.advance(PROBE_MS - 1)
      await reader.read([SOL])
      expect(feed.questions).toHaveLength(2)
      clock.advance(1)
      await reader.read([SOL])
      expect(feed.questions).toHaveLength(3)
    })

    test('a feed that is back serves as soon as a background try has found out', async () => {
      const { feed, reader, healthy } = setUp()
      feed.behaviour = fails()
      await reader.read([SOL])
      feed.behaviour = healthy
      await reader.read([SOL])
      await vi.waitFor(async () => expect(await mintsRead(reader.read([SOL]))).toEqual([SOL.mint]))
      expect(reader.health().status).toBe('ok')
      expect(feed.questions).toHaveLength(2)
    })

    test('after the cooldown a reader waits for the feed again', async () => {
      const { clock, feed, reader, healthy } = setUp()
      feed.behaviour = fails()
      await reader.read([SOL])
      feed.behaviour = healthy
      clock.advance(COOLDOWN_MS)
      expect(await mintsRead(reader.read([SOL]))).toEqual([SOL.mint])
    })

    test('what was read before the failure still serves its time', async () => {
      const { clock, feed, reader } = setUp()
      await reader.read([SOL])
      feed.behaviour = fails()
      await reader.read([USDC])
      clock.advance(CACHE_MS)
      expect(await mintsRead(reader.read([SOL, USDC]))).toEqual([SOL.mint])
      clock.advance(1)
      expect(await mintsRead(reader.read([SOL, USDC]))).toEqual([])
    })
  })

  describe('health', () => {
    test('tells the last success and the last failure, and forgets neither', async () => {
      const { clock, feed, reader, healthy } = setUp()
      expect(reader.health()).toEqual({
        name: 'stub',
        status: 'unused',
        lastSuccessAt: null,
        lastFailureAt: null,
        lastError: null,
      })
      const failedAt = clock.now()
      feed.behaviour = fails('stub: http_status 429')
      await reader.read([SOL])
      clock.advance(COOLDOWN_MS)
      const succeededAt = clock.now()
      feed.behaviour = healthy
      await reader.read([SOL])
      expect(reader.health()).toEqual({
        name: 'stub',
        status: 'ok',
        lastSuccessAt: succeededAt,
        lastFailureAt: failedAt,
        lastError: 'stub: http_status 429',
      })
    })

    test('asking after a failing feed lets it be tried, so that it recovers without any reader', async () => {
      const { clock, feed, reader, healthy } = setUp()
      feed.behaviour = fails()
      await reader.read([SOL])
      feed.behaviour = healthy
      clock.advance(60_000)
      expect(reader.health().status).toBe('failing')
      await vi.waitFor(() => expect(reader.health().status).toBe('ok'))
      expect(feed.questions).toEqual([['SOL'], ['SOL']])
    })

    test('asking after a feed that is well asks the feed nothing', async () => {
      const { feed, reader } = setUp()
      await reader.read([SOL])
      reader.health()
      expect(feed.questions).toHaveLength(1)
    })
  })
})

describe('the source of prices', () => {
  const setUp = (prices: Record<string, Record<string, string>>, options = {}) => {
    const clock = new ManualClock()
    const feeds = Object.entries(prices).map(([name, dollars]) => new StubFeed(name, says(name, clock, dollars)))
    const feed = (name: string): StubFeed => {
      const found = feeds.find((candidate) => candidate.name === name)
      if (found === undefined) throw new Error(`no feed ${name}`)
      return found
    }
    return { clock, feeds, feed, source: createPriceSource({ feeds, clock, timeoutMs: 10_000, ...options }) }
  }
  const THREE = { pyth: { SOL: '150' }, jupiter: { SOL: '151' }, coinbase: { SOL: '150.5' } }
  const dollars = (price: Price) => `${price.mantissa}e${price.exponent}`

  describe('agreement', () => {
    test('the median of the feeds counts', async () => {
      const { source } = setUp(THREE)
      expect(await source.priceOf(SOL)).toMatchObject({
        mantissa: 1505n,
        exponent: -1,
        source: 'pyth+jupiter+coinbase',
      })
    })

    test('a single configured feed is enough', async () => {
      const { source } = setUp({ fixed: { SOL: '150' } })
      expect(dollars(await source.priceOf(SOL))).toBe('15e1')
    })

    test('feeds that are too far apart give no price', async () => {
      const { source } = setUp({ pyth: { SOL: '150' }, jupiter: { SOL: '154' } })
      await expect(source.priceOf(SOL)).rejects.toMatchObject({
        name: 'ServiceError',
        code: 'price_feeds_disagree',
        context: { mint: SOL.mint, feed_key: 'SOL', reason: 'disagree' },
      })
    })

    test('two feeds of three are enough, one is not', async () => {
      const { clock, feed, source } = setUp(THREE)
      feed('pyth').behaviour = fails()
      expect(dollars(await source.priceOf(SOL))).toBe('15075e-2')
      feed('jupiter').behaviour = fails()
      clock.advance(3_001)
      await expect(source.priceOf(SOL)).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    })

    test('feeds that stopped give no price', async () => {
      const { clock, feed, source } = setUp(THREE)
      feed('pyth').behaviour = says('pyth', clock, { SOL: '150' }, 61_000)
      feed('jupiter').behaviour = says('jupiter', clock, { SOL: '150' }, 61_000)
      await expect(source.priceOf(SOL)).rejects.toMatchObject({
        code: 'price_feed_unreachable',
        context: { reason: 'stale' },
      })
    })

    test('an asset without a price takes no other with it', async () => {
      const { source } = setUp({ pyth: { SOL: '150', USDC: '1' }, jupiter: { SOL: '150', USDC: '0.9' } })
      const demo = { feedKey: 'DEMO', mint: 'demo-mint' }
      const outcomes = await source.pricesFor([SOL, USDC, demo])
      expect(
        [...outcomes].map(([mint, outcome]) => [mint, isPriceRefusal(outcome) ? outcome.refused : 'priced']),
      ).toEqual([
        [SOL.mint, 'priced'],
        [USDC.mint, 'disagree'],
        [demo.mint, 'unreachable'],
      ])
    })

    test('nothing asked, nothing fetched', async () => {
      const { feed, source } = setUp(THREE)
      expect((await source.pricesFor([])).size).toBe(0)
      expect(feed('pyth').questions).toEqual([])
    })

    test('a kept answer is still judged by its age at the time of use', async () => {
      const { clock, feed, source } = setUp({ pyth: { SOL: '150' } }, { cacheMs: 3_600_000 })
      await source.priceOf(SOL)
      clock.advance(60_001)
      await expect(source.priceOf(SOL)).rejects.toMatchObject({ context: { reason: 'stale' } })
      expect(feed('pyth').questions).toHaveLength(1)
    })

    test('no feed, or two of one name, is a mistake in the making', () => {
      const clock = new ManualClock()
      const feed = new StubFeed('pyth', fails())
      expect(() => createPriceSource({ feeds: [], clock })).toThrow(RangeError)
      expect(() => createPriceSource({ feeds: [feed, feed], clock })).toThrow(RangeError)
    })
  })

  describe('load and failure', () => {
    test('a flash sale asks each feed once', async () => {
      const { feeds, source } = setUp(THREE)
      const prices = await Promise.all(Array.from({ length: 1_000 }, () => source.priceOf(SOL)))
      expect(new Set(prices.map(dollars))).toEqual(new Set(['1505e-1']))
      for (const feed of feeds) expect(feed.questions).toEqual([['SOL']])
    })

    test('one round trip prices every asset of a quote', async () => {
      const { feed, source } = setUp({ pyth: { SOL: '150', USDC: '1' } })
      await source.pricesFor([SOL, USDC])
      expect(feed('pyth').questions).toEqual([['SOL', 'USDC']])
    })

    test('a feed that hangs delays the first caller by its limit, and the next ones not at all', async () => {
      const { feed, source } = setUp(THREE, { timeoutMs: 50 })
      feed('coinbase').behaviour = hangs
      const startedAt = performance.now()
      expect(dollars(await source.priceOf(SOL))).toBe('1505e-1')
      expect(performance.now() - startedAt).toBeLessThan(1_500)
      const again = source.priceOf(SOL)
      const inTime = await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 0, 'late'))])
      expect(inTime).toMatchObject({ mantissa: 1505n, exponent: -1 })
    })

    test('every feed hanging, the refusal comes at the limit and then at once', async () => {
      const { clock, feeds, source } = setUp(THREE, { timeoutMs: 50 })
      for (const feed of feeds) feed.behaviour = hangs
      const startedAt = performance.now()
      await expect(source.priceOf(SOL)).rejects.toMatchObject({ code: 'price_feed_unreachable' })
      expect(performance.now() - startedAt).toBeLessThan(1_500)
      // The tries in the background that these start hang as well, and delay no caller.
      clock.advance(5_000)
      for (let count = 0; count < 100; count++) {
        await expect(source.priceOf(SOL)).rejects.toMatchObject({ code: 'price_feed_unreachable' })
      }
      expect(performance.now() - startedAt).toBeLessThan(1_500)
    })

    test('when the feeds are back, prices are back by themselves', async () => {
      const { clock, feeds, source } = setUp(THREE)
      for (const feed of feeds) feed.behaviour = fails()
      await expect(source.priceOf(SOL)).rejects.toMatchObject({ code: 'price_feed_unreachable' })
      expect(source.health().status).toBe('down')
      for (const feed of feeds) feed.behaviour = says(feed.name, clock, { SOL: '150' })
      clock.advance(1_000)
      await vi.waitFor(async () => expect(dollars(await source.priceOf(SOL))).toBe('15e1'))
      expect(source.health().status).toBe('ok')
    })

    test('prices that move are followed once the kept ones are used up', async () => {
      const { clock, feed, source } = setUp({ pyth: { SOL: '150' } })
      await source.priceOf(SOL)
      feed('pyth').behaviour = says('pyth', clock, { SOL: '200' })
      expect(dollars(await source.priceOf(SOL))).toBe('15e1')
      clock.advance(3_001)
      expect(dollars(await source.priceOf(SOL))).toBe('2e2')
    })

    test('callers who want different assets at once do not wait in line', async () => {
      const { clock, feed, source } = setUp({ pyth: {} })
      const gate = held(says('pyth', clock, { SOL: '150' }))
      feed('pyth').behaviour = gate.behaviour
      const slow = source.priceOf(SOL)
      feed('pyth').behaviour = says('pyth', clock, { USDC: '1' })
      expect(dollars(await source.priceOf(USDC))).toBe('1e0')
      gate.open()
      expect(dollars(await slow)).toBe('15e1')
    })
  })

  describe('health', () => {
    test.each([
      [[], 'ok'],
      [['pyth'], 'degraded'],
      [['pyth', 'coinbase'], 'down'],
    ] as const)('with %j failing it is %s', async (failing, status) => {
      const { feed, source } = setUp(THREE)
      for (const name of failing) feed(name).behaviour = fails()
      await source.pricesFor([SOL])
      const health = source.health()
      expect(health.status).toBe(status)
      expect(health.feeds.filter((each) => each.status === 'failing').map((each) => each.name)).toEqual(failing)
    })
  })
})
