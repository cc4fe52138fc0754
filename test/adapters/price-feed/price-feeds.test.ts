import { describe, expect, test } from 'vitest'
import { createPriceFeeds } from '#adapters/price-feed/price-feeds.ts'
import { createTimeOfSlot } from '#adapters/price-feed/slot-times.ts'
import { ServiceError } from '#core/errors.ts'
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
