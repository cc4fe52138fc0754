import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalToPrice, type Price } from '#core/money/price.ts'
import { agreePrice, isPriceRefusal, quorumOf } from '#core/money/price-rules.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const SOURCES = ['pyth', 'jupiter', 'coinbase', 'fourth', 'fifth']

type Detail = { ageMs?: number; uncertainty?: bigint; source?: string }

const observe = (dollars: string, { ageMs = 1_000, uncertainty, source = 'pyth' }: Detail = {}): Price => {
  const decimal = decimalToPrice(dollars)
  if (decimal === undefined) throw new Error(`${dollars} is no price`)
  const price = { ...decimal, source, publishedAt: new Date(NOW.getTime() - ageMs) }
  return uncertainty === undefined ? price : { ...price, uncertainty }
}
const observeAll = (...dollars: string[]): Price[] =>
  dollars.map((text, index) => observe(text, { source: SOURCES[index] ?? '' }))

const agree = (observations: readonly Price[], configured = observations.length) =>
  agreePrice(observations, { now: NOW, configured })

const resultOf = (outcome: ReturnType<typeof agree>): string =>
  isPriceRefusal(outcome) ? outcome.refused : `${outcome.mantissa}e${outcome.exponent}`

describe('the median', () => {
  test.each([
    [['150'], '15e1'],
    [['150', '151'], '1505e-1'],
    [['150', '150.01'], '150005e-3'],
    [['0.99', '1', '1.0001'], '1e0'],
    [['151', '149', '150.5'], '1505e-1'],
    [['100', '101', '101.5', '102'], '10125e-2'],
    [['1.00', '1.0', '1'], '1e0'],
  ])('of %j is %s, exactly', (prices, expected) => {
    expect(resultOf(agree(observeAll(...prices)))).toBe(expected)
  })

  test('of sources that agree lies within what they said, in whatever order and notation', () => {
    const cent = fc.integer({ min: 10_000, max: 10_200 })
    fc.assert(
      fc.property(fc.array(cent, { minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 9 }), (cents, zeros) => {
        const prices = cents.map((value, index) => ({
          mantissa: BigInt(value) * 10n ** BigInt(zeros * index),
          exponent: -2 - zeros * index,
          source: SOURCES[index] ?? '',
          publishedAt: NOW,
        }))
        const outcome = agree(prices)
        if (isPriceRefusal(outcome)) throw new Error(`refused: ${outcome.refused}`)
        const sorted = cents.toSorted((a, b) => a - b)
        const middle = (at: number) => BigInt(sorted[at] ?? 0)
        const twice = middle(Math.floor(cents.length / 2)) + middle(Math.ceil(cents.length / 2) - 1)
        expect(outcome.mantissa * 2n * 10n ** BigInt(outcome.exponent + 12)).toBe(twice * 10n ** 10n)
        expect(resultOf(agree(prices.toReversed()))).toBe(resultOf(outcome))
      }),
    )
  })

  test('names the sources that counted and is as old as the oldest of them', () => {
    const outcome = agree([
      observe('150', { source: 'pyth', ageMs: 2_000 }),
      observe('151', { source: 'jupiter', ageMs: 40_000 }),
      observe('150', { source: 'coinbase', ageMs: 90_000 }),
    ])
    expect(outcome).toEqual({
      mantissa: 1505n,
      exponent: -1,
      source: 'pyth+jupiter',
      publishedAt: new Date(NOW.getTime() - 40_000),
    })
  })
})

describe('how many must answer', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
  ])('of %i configured, %i must', (configured, quorum) => {
    expect(quorumOf(configured)).toBe(quorum)
    const prices = observeAll(...Array.from({ length: quorum }, () => '150'))
    expect(resultOf(agree(prices, configured))).toBe('15e1')
    expect(resultOf(agree(prices.slice(1), configured))).toBe('unreachable')
  })

  test('no answer at all is unreachable', () => {
    expect(agree([], 1)).toEqual({ refused: 'unreachable' })
    expect(agree([], 3)).toEqual({ refused: 'unreachable' })
  })

  test('an impossible price is no answer', () => {
    const nothing = { mantissa: 0n, exponent: 0, source: 'jupiter', publishedAt: NOW }
    const negative = { mantissa: -150n, exponent: 0, source: 'coinbase', publishedAt: NOW }
    expect(resultOf(agree([observe('150'), nothing, negative]))).toBe('unreachable')
    expect(resultOf(agree([observe('150'), observe('150', { source: 'jupiter' }), negative]))).toBe('15e1')
  })
})

describe('age', () => {
  test('a price of just 60 seconds counts, an older one does not', () => {
    expect(resultOf(agree([observe('150', { ageMs: 60_000 })]))).toBe('15e1')
    expect(resultOf(agree([observe('150', { ageMs: 60_001 })]))).toBe('stale')
  })

  test('a clock may run ahead by five seconds, a price from further in the future is a lie', () => {
    expect(resultOf(agree([observe('150', { ageMs: -5_000 })]))).toBe('15e1')
    expect(resultOf(agree([observe('150', { ageMs: -5_001 })]))).toBe('stale')
  })

  test('a price without a true date does not count', () => {
    expect(resultOf(agree([{ ...observe('150'), publishedAt: new Date(Number.NaN) }]))).toBe('stale')
  })

  test('one stale source of three is left out, two make the price stale', () => {
    const fresh = [observe('150', { source: 'pyth' }), observe('151', { source: 'jupiter' })]
    const stale = observe('90', { source: 'coinbase', ageMs: 3_600_000 })
    expect(resultOf(agree([...fresh, stale]))).toBe('1505e-1')
    expect(resultOf(agree([...fresh.slice(0, 1), stale], 3))).toBe('stale')
  })

  test('a source that is away does not turn another one stale', () => {
    expect(resultOf(agree([observe('150', { ageMs: 90_000 })], 2))).toBe('unreachable')
  })
})

describe('spread', () => {
  test.each([
    [['99', '100', '101'], '1e2'],
    [['99', '100', '101.0001'], 'disagree'],
    [['99', '101'], '1e2'],
    [['98.99', '101'], 'disagree'],
    [['0.0000000099', '0.0000000101'], '1e-8'],
    [['150', '150', '15'], 'disagree'],
    [['150', '150', '1500'], 'disagree'],
  ])('two percent of the median is the most: %j give %s', (prices, expected) => {
    expect(resultOf(agree(observeAll(...prices)))).toBe(expected)
  })

  test('two of three that agree do not outvote a third that is far off: something is wrong', () => {
    expect(resultOf(agree(observeAll('150', '150', '140')))).toBe('disagree')
  })

  test('a source that is itself less sure than two percent is refused, a lone one too', () => {
    const surely = { ...observe('100', { uncertainty: 2n }), mantissa: 100n, exponent: 0 }
    expect(resultOf(agree([surely]))).toBe('1e2')
    expect(resultOf(agree([{ ...surely, uncertainty: 3n }]))).toBe('disagree')
    expect(resultOf(agree([{ ...surely, uncertainty: -1n }]))).toBe('disagree')
    expect(resultOf(agree([{ ...surely, uncertainty: 3n }, observe('100', { source: 'jupiter' })]))).toBe('disagree')
  })
})
