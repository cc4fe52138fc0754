import { describe, expect, test, vi } from 'vitest'
import type { Price } from '#core/money/price.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import { createPriceSource } from '#services/prices/price-source.ts'
import { fails, hangs, held, ManualClock, SOL, StubFeed, says, USDC } from './stub-feed.ts'

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
    expect(await source.priceOf(SOL)).toMatchObject({ mantissa: 1505n, exponent: -1, source: 'pyth+jupiter+coinbase' })
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
