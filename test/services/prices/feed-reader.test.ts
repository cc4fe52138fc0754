import { describe, expect, test, vi } from 'vitest'
import { FeedReader } from '#services/prices/feed-reader.ts'
import { fails, hangs, held, ManualClock, SOL, StubFeed, says, USDC } from './stub-feed.ts'

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
