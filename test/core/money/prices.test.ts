import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agreePrice,
  alignDecimals,
  decimalToPrice,
  isPlausible,
  isPriceRefusal,
  type Price,
  quorumOf,
  trimZeros,
} from '#core/money/price.ts'
import { DEFAULT_PRICE_FEEDS, hasFixedFeed, type PriceFeedsSetting, parsePriceFeeds } from '#core/money/price-feeds.ts'

describe('decimalToPrice', () => {
  test.each([
    ['150', { mantissa: 15n, exponent: 1 }],
    ['150.00', { mantissa: 15n, exponent: 1 }],
    ['0.9998', { mantissa: 9998n, exponent: -4 }],
    ['147.4789406549747', { mantissa: 1474789406549747n, exponent: -13 }],
    ['1.2e-7', { mantissa: 12n, exponent: -8 }],
    ['1E+2', { mantissa: 1n, exponent: 2 }],
    ['12.50e1', { mantissa: 125n, exponent: 0 }],
    ['00.10', { mantissa: 1n, exponent: -1 }],
  ])('%s is read exactly', (text, price) => {
    expect(decimalToPrice(text)).toEqual(price)
  })

  test('digits that a double would lose are kept', () => {
    expect(decimalToPrice('100000.00000000000000000001')).toEqual({
      mantissa: 10000000000000000000000001n,
      exponent: -20,
    })
  })

  test('any double that JSON can carry comes back as the same double', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-18, max: 999_999_999_999, noNaN: true }), (value) => {
        const price = decimalToPrice(JSON.stringify(value))
        expect(Number(`${price?.mantissa}e${price?.exponent}`)).toBe(value)
      }),
    )
  })

  test.each([
    ...['', ' ', 'abc', '1,5', '1.', '.5', ' 1', '1 ', '+1', '-1', '-0', '1e', '1e1.5', '1.2.3', '0x10', '1_000', '$1'],
    ...['NaN', 'Infinity', 'null', '٣'],
  ])('%j is no decimal', (text) => {
    expect(decimalToPrice(text)).toBeUndefined()
  })

  test.each(['0', '0.000', '0e9', '1e12', '1e-19', '1e400', '1e-400', '1e999999999999', `${'0'.repeat(64)}1`])(
    '%s is no price that anything can have',
    (text) => {
      expect(decimalToPrice(text)).toBeUndefined()
    },
  )
})

describe('isPlausible', () => {
  test('the smallest and the largest price that can be true are within, one step beyond is not', () => {
    expect(isPlausible({ mantissa: 1n, exponent: -18 })).toBe(true)
    expect(isPlausible({ mantissa: 99n, exponent: -20 })).toBe(false)
    expect(isPlausible({ mantissa: 999_999_999_999n, exponent: 0 })).toBe(true)
    expect(isPlausible({ mantissa: 1_000_000_000_000n, exponent: 0 })).toBe(false)
  })

  test('a price of nothing, less than nothing or with a broken exponent is not plausible', () => {
    expect(isPlausible({ mantissa: 0n, exponent: 0 })).toBe(false)
    expect(isPlausible({ mantissa: -150n, exponent: 0 })).toBe(false)
    for (const exponent of [Number.NaN, 0.5, Number.POSITIVE_INFINITY, -65]) {
      expect(isPlausible({ mantissa: 10n ** 60n, exponent })).toBe(false)
    }
  })
})

describe('decimals', () => {
  const decimal = fc.record({
    mantissa: fc.bigInt({ min: 1n, max: 10n ** 30n }),
    exponent: fc.integer({ min: -30, max: 30 }),
  })
  const scaled = ({ mantissa, exponent }: { mantissa: bigint; exponent: number }) =>
    mantissa * 10n ** BigInt(exponent + 60)

  test('aligning changes no value', () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1 }), (decimals) => {
        const { mantissas, exponent } = alignDecimals(decimals)
        expect(mantissas.map((mantissa) => scaled({ mantissa, exponent }))).toEqual(decimals.map(scaled))
      }),
    )
  })

  test('trimming changes no value and writes equal numbers alike', () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 20 }), (number, zeros) => {
        const longer = { mantissa: number.mantissa * 10n ** BigInt(zeros), exponent: number.exponent - zeros }
        expect(scaled(trimZeros(number))).toBe(scaled(number))
        expect(trimZeros(longer)).toEqual(trimZeros(number))
      }),
    )
  })
})

describe('the rules of prices', () => {
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
        medianOf: [
          observe('150', { source: 'pyth', ageMs: 2_000 }),
          observe('151', { source: 'jupiter', ageMs: 40_000 }),
        ],
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
})

describe('the PRICE_FEEDS setting', () => {
  const fixedPrices = (setting: PriceFeedsSetting) => {
    if (setting.kind !== 'fixed') throw new Error('these are not fixed prices')
    return Object.fromEntries([...setting.prices].map(([key, price]) => [key, `${price.mantissa}e${price.exponent}`]))
  }
  const httpFeeds = (setting: PriceFeedsSetting) => {
    if (setting.kind !== 'http') throw new Error('these are fixed prices')
    return setting.feeds.map(({ name, baseUrl }) => (baseUrl === undefined ? name : `${name} at ${baseUrl}`))
  }

  test.each([
    ['fixed:SOL=150', { SOL: '15e1' }],
    ['fixed:SOL=150,USDC=1.0001', { SOL: '15e1', USDC: '10001e-4' }],
    [' fixed: sol = 150.00 , Demo = 1e-3 ', { SOL: '15e1', DEMO: '1e-3' }],
    ['FIXED:PYTH=0.3', { PYTH: '3e-1' }],
  ])('%j gives fixed prices', (text, expected) => {
    const setting = parsePriceFeeds(text)
    expect(fixedPrices(setting)).toEqual(expected)
    expect(hasFixedFeed(setting)).toBe(true)
  })

  test.each([
    ['pyth', ['pyth']],
    ['pyth,jupiter,coinbase', ['pyth', 'jupiter', 'coinbase']],
    [' Coinbase , JUPITER ', ['coinbase', 'jupiter']],
    ['pyth=https://hermes.example,coinbase', ['pyth at https://hermes.example/', 'coinbase']],
    ['pyth = http://10.0.0.5:4242/hermes?key=a=b', ['pyth at http://10.0.0.5:4242/hermes?key=a=b']],
  ])('%j gives feeds over HTTP', (text, expected) => {
    const setting = parsePriceFeeds(text)
    expect(httpFeeds(setting)).toEqual(expected)
    expect(hasFixedFeed(setting)).toBe(false)
  })

  test('the default names its feeds, so that a feed added to the code does not join it', () => {
    expect(DEFAULT_PRICE_FEEDS).toBe('pyth,jupiter,coinbase')
    expect(httpFeeds(parsePriceFeeds(DEFAULT_PRICE_FEEDS))).toEqual(['pyth', 'jupiter', 'coinbase'])
  })

  test.each([
    ['', 'an entry is empty'],
    ['pyth,', 'an entry is empty'],
    ['fixed:', 'an entry is empty'],
    ['fixed:SOL=150,,USDC=1', 'an entry is empty'],
    ['fixed', 'fixed prices stand alone'],
    ['chainlink', '"chainlink" is no feed'],
    ['https://hermes.example/secret', '"https" is no feed'],
    ['pyth,fixed:SOL=150', 'fixed prices stand alone'],
    ['pyth,FIXED=150', 'fixed prices stand alone'],
    ['pyth,Pyth=https://other.example', 'pyth is named twice'],
    ['pyth=ftp://hermes.example', 'pyth needs an http or https address'],
    ['pyth=hermes.example/secret', 'pyth needs an http or https address'],
    ['pyth=', 'pyth needs an http or https address'],
    ['pyth=https://user:secret@hermes.example', 'must not hold a user name'],
    ['fixed:SOL', 'fixed price 1 is not KEY=PRICE'],
    ['fixed:SOL=150,pyth', 'fixed price 2 is not KEY=PRICE'],
    ['fixed:SOL=0', 'the price of SOL is not one'],
    ['fixed:SOL=-150', 'the price of SOL is not one'],
    ['fixed:SOL=lots', 'the price of SOL is not one'],
    ['fixed:SOL=', 'the price of SOL is not one'],
    ['fixed:SOL=150,pyth=https://hermes.example/secret', 'the price of pyth is not one'],
    ['fixed:SOL=150,sol=151', 'sol has two prices'],
  ])('%j is refused in one line that names the setting', (text, complaint) => {
    const refusal = (): unknown => {
      try {
        return parsePriceFeeds(text)
      } catch (error) {
        return error
      }
    }
    const error = refusal()
    expect(error).toBeInstanceOf(Error)
    const message = error instanceof Error ? error.message : ''
    expect(message).toMatch(/^PRICE_FEEDS: .+$/)
    expect(message).toContain(complaint)
    expect(message).not.toContain('secret')
  })
})
