import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as amounts from '#core/money/amounts.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import {
  expressibleCents,
  formatUnits,
  isWithin,
  largestWorthAtMost,
  toUiNumber,
  usdCentsToBaseUnits,
  worthInLamports,
} from '#core/money/conversion.ts'
import { type Decimal, decimalToPrice } from '#core/money/price.ts'

const MAX_U64 = 18_446_744_073_709_551_615n

const u64 = fc.bigInt({ min: 0n, max: MAX_U64 })
const outsideU64 = fc.oneof(fc.bigInt({ max: -1n }), fc.bigInt({ min: MAX_U64 + 1n }))
const bps = fc.integer({ min: 0, max: 10_000 })

describe.each([
  ['BaseUnits', makeBaseUnits, amounts.isBaseUnits, amounts.assertBaseUnits],
  ['Lamports', makeLamports, amounts.isLamports, amounts.assertLamports],
] as const)('%s', (name, make, is, assert: (value: unknown) => void) => {
  test('hold every unsigned 64-bit integer unchanged', () => {
    fc.assert(
      fc.property(u64, (value) => {
        expect(make(value)).toBe(value)
        expect(make(value.toString())).toBe(value)
        expect(is(value)).toBe(true)
        assert(value)
      }),
    )
    expect(make(MAX_U64)).toBe(MAX_U64)
    expect(make(0n)).toBe(0n)
  })

  test('refuse every integer outside the range, saying which type it is not', () => {
    fc.assert(
      fc.property(outsideU64, (value) => {
        expect(() => make(value)).toThrow(RangeError)
        expect(() => assert(value)).toThrow(`${value} is not a valid ${name}`)
        expect(is(value)).toBe(false)
      }),
    )
    expect(() => make(MAX_U64 + 1n)).toThrow(RangeError)
    expect(() => make(-1n)).toThrow(RangeError)
  })

  test('take a number only where it is a safe integer', () => {
    expect(make(42)).toBe(42n)
    expect(make(Number.MAX_SAFE_INTEGER)).toBe(9_007_199_254_740_991n)
    for (const value of [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => make(value)).toThrow(RangeError)
    }
  })

  test('take a text only where it is plain digits', () => {
    expect(make('0042')).toBe(42n)
    for (const value of ['', ' 1', '1 ', '+1', '-1', '1.0', '1e3', '0x1', '1n', '١', '1'.repeat(21)]) {
      expect(() => make(value), JSON.stringify(value)).toThrow(RangeError)
    }
  })

  test('are bigints and nothing else', () => {
    for (const value of [1, '1', null, undefined, {}, true]) expect(is(value)).toBe(false)
  })
})

describe('UsdCents', () => {
  test('hold every JSON-safe integer above zero', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (value) => {
        expect(makeUsdCents(value)).toBe(BigInt(value))
        expect(amounts.isUsdCents(BigInt(value))).toBe(true)
      }),
    )
    expect(makeUsdCents(BigInt(Number.MAX_SAFE_INTEGER))).toBe(9_007_199_254_740_991n)
  })

  test('refuse zero, a negative price and one that JSON could not carry', () => {
    for (const value of [0n, -1n, 2n ** 53n]) {
      expect(() => makeUsdCents(value)).toThrow(RangeError)
      expect(() => amounts.assertUsdCents(value)).toThrow('is not a valid UsdCents')
      expect(amounts.isUsdCents(value)).toBe(false)
    }
    expect(() => makeUsdCents(9.99)).toThrow(RangeError)
  })
})

describe('BasisPoints', () => {
  test('hold every whole rate from none to all', () => {
    fc.assert(
      fc.property(bps, (value) => {
        expect(makeBasisPoints(value)).toBe(value)
      }),
    )
  })

  test('refuse a rate outside, and one that is not whole', () => {
    for (const value of [-1, 10_001, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => makeBasisPoints(value)).toThrow('is not a valid BasisPoints')
      expect(amounts.isBasisPoints(value)).toBe(false)
    }
    expect(amounts.isBasisPoints(100n)).toBe(false)
  })
})

describe('arithmetic', () => {
  test('a sum is exact, or refused where it leaves the range', () => {
    fc.assert(
      fc.property(fc.array(u64, { maxLength: 4 }), (values) => {
        const sum = values.reduce((total, value) => total + value, 0n)
        const adding = () => amounts.add(...values.map((value) => makeBaseUnits(value)))
        if (sum <= MAX_U64) expect(adding()).toBe(sum)
        else expect(adding).toThrow(RangeError)
      }),
    )
    expect(() => amounts.add(makeBaseUnits(MAX_U64), makeBaseUnits(1n))).toThrow(RangeError)
  })

  test('a difference is exact, and never negative', () => {
    fc.assert(
      fc.property(u64, u64, (a, b) => {
        const [larger, smaller] = a > b ? [a, b] : [b, a]
        expect(amounts.subtract(makeBaseUnits(larger), makeBaseUnits(smaller))).toBe(larger - smaller)
        expect(amounts.subtractToZero(makeBaseUnits(larger), makeBaseUnits(smaller))).toBe(larger - smaller)
        expect(amounts.subtractToZero(makeBaseUnits(smaller), makeBaseUnits(larger))).toBe(0n)
        if (larger > smaller) {
          expect(() => amounts.subtract(makeBaseUnits(smaller), makeBaseUnits(larger))).toThrow(RangeError)
        }
      }),
    )
  })

  test('the smaller of two is one of them and above neither', () => {
    fc.assert(
      fc.property(u64, u64, (a, b) => {
        const least = amounts.smaller(makeBaseUnits(a), makeBaseUnits(b))
        expect([a, b]).toContain(least)
        expect(least <= a && least <= b).toBe(true)
      }),
    )
  })

  test('a fee is the largest whole amount within its rate', () => {
    fc.assert(
      fc.property(u64, bps, (amount, rate) => {
        const fee = amounts.mulBpsFloor(makeBaseUnits(amount), makeBasisPoints(rate))
        expect(fee * 10_000n <= amount * BigInt(rate)).toBe(true)
        expect((fee + 1n) * 10_000n > amount * BigInt(rate)).toBe(true)
      }),
    )
  })

  test('a fee of nothing is nothing and a fee of all is all', () => {
    fc.assert(
      fc.property(u64, (amount) => {
        expect(amounts.mulBpsFloor(makeBaseUnits(amount), makeBasisPoints(0))).toBe(0n)
        expect(amounts.mulBpsFloor(makeBaseUnits(amount), makeBasisPoints(10_000))).toBe(amount)
      }),
    )
  })

  test('division rounds up to the least whole number that covers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.bigInt({ min: 1n, max: 10n ** 40n }), (top, bottom) => {
        const quotient = amounts.divCeil(top, bottom)
        expect(quotient * bottom >= top).toBe(true)
        expect((quotient - 1n) * bottom < top).toBe(true)
      }),
    )
  })

  test('division refuses a negative numerator and a denominator that is not positive', () => {
    for (const [top, bottom] of [
      [-1n, 1n],
      [1n, 0n],
      [1n, -1n],
    ] as const) {
      expect(() => amounts.divCeil(top, bottom)).toThrow(RangeError)
    }
  })
})

describe('conversion', () => {
  const cents = fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) })
  const decimals = fc.integer({ min: 0, max: 18 })
  const price = fc.record({
    mantissa: fc.bigInt({ min: 1n, max: 10n ** 17n }),
    exponent: fc.integer({ min: -18, max: 6 }),
  })

  const dollars = (text: string): Decimal => {
    const decimal = decimalToPrice(text)
    if (decimal === undefined) throw new Error(`${text} is no price`)
    return decimal
  }

  /** Whether `amount` base units are worth at least `usdCents`, in whole numbers with everything scaled by 10^40. */
  const covers = (amount: bigint, usdCents: bigint, { mantissa, exponent }: Decimal, places: number): boolean =>
    amount * mantissa * 100n * 10n ** BigInt(exponent + 40) >= usdCents * 10n ** BigInt(places + 40)

  describe('the prices that an asset can express', () => {
    test.each([
      ['SOL at $150, whose deposits are at least the rent minimum', '150', 9, 890_880n, 14n, 276_701_161_105_643n],
      ['USDC at $1', '1', 6, 1n, 1n, 1_844_674_407_370_955n],
      ['a token of two decimals at $1', '1', 2, 1n, 1n, 9_007_199_254_740_991n],
      ['a token of 18 decimals at $1', '1', 18, 1n, 1n, 1_844n],
    ] as const)('are known of %s', (_what, rate, places, least, smallest, largest) => {
      expect(expressibleCents(dollars(rate), places, makeBaseUnits(least))).toEqual({ smallest, largest })
    })

    test('are none where one cent is more than 2^64 − 1 base units', () => {
      const range = expressibleCents(dollars('1'), 30, makeBaseUnits(1n))
      expect(isWithin(makeUsdCents(1), range)).toBe(false)
      expect(range.smallest > range.largest).toBe(true)
    })

    test('are just those that convert to at least the least amount', () => {
      const least = fc.bigInt({ min: 1n, max: 10n ** 12n })
      fc.assert(
        fc.property(cents, price, decimals, least, (any, rate, places, units) => {
          const range = expressibleCents(rate, places, makeBaseUnits(units))
          const near = [range.smallest - 1n, range.smallest, range.largest, range.largest + 1n]
          for (const one of [any, ...near].filter((value) => value > 0n && value <= Number.MAX_SAFE_INTEGER)) {
            const amount = usdCentsToBaseUnits(makeUsdCents(one), rate, places)
            expect(isWithin(makeUsdCents(one), range)).toBe(typeof amount === 'bigint' && amount >= units)
          }
        }),
        { numRuns: 1000 },
      )
    })
  })

  describe('usdCentsToBaseUnits', () => {
    test.each([
      ['$15 in SOL at $150', 1500n, '150', 9, 100_000_000n],
      ['one cent in SOL at $150, which does not divide', 1n, '150', 9, 66_667n],
      ['$20 in USDC at $1', 2000n, '1', 6, 20_000_000n],
      ['$20 in USDC a hair above a dollar', 2000n, '1.0001', 6, 19_998_001n],
      ['$20 in USDC a hair below a dollar', 2000n, '0.9999', 6, 20_002_001n],
      ['$1 in a token of no decimals at $3', 100n, '3', 0, 1n],
      ['$1 in a token at a hundred-thousandth of a cent', 100n, '1.2e-7', 5, 833_333_333_334n],
      ['$1 in a token at a million dollars', 100n, '1e6', 8, 100n],
    ] as const)('%s', (_what, usdCents, rate, places, expected) => {
      expect(usdCentsToBaseUnits(makeUsdCents(usdCents), dollars(rate), places)).toBe(expected)
    })

    test('the amount is the least that is worth the price, so never under it', () => {
      fc.assert(
        fc.property(cents, price, decimals, (usdCents, rate, places) => {
          const amount = usdCentsToBaseUnits(makeUsdCents(usdCents), rate, places)
          if (typeof amount === 'bigint') {
            expect(covers(amount, usdCents, rate, places)).toBe(true)
            expect(covers(amount - 1n, usdCents, rate, places)).toBe(false)
          } else {
            expect(covers(MAX_U64, usdCents, rate, places)).toBe(false)
          }
        }),
        { numRuns: 1000 },
      )
    })

    test('a higher price in cents never takes less', () => {
      fc.assert(
        fc.property(cents, cents, price, decimals, (a, b, rate, places) => {
          const [less, more] = a < b ? [a, b] : [b, a]
          const smaller = usdCentsToBaseUnits(makeUsdCents(less), rate, places)
          const larger = usdCentsToBaseUnits(makeUsdCents(more), rate, places)
          if (typeof larger !== 'bigint') return
          expect(smaller).toBeTypeOf('bigint')
          expect(typeof smaller === 'bigint' && smaller <= larger).toBe(true)
        }),
      )
    })

    test('a dearer asset never takes more', () => {
      fc.assert(
        fc.property(cents, price, fc.bigInt({ min: 1n, max: 10n ** 17n }), decimals, (usdCents, rate, rise, places) => {
          const before = usdCentsToBaseUnits(makeUsdCents(usdCents), rate, places)
          const after = usdCentsToBaseUnits(makeUsdCents(usdCents), { ...rate, mantissa: rate.mantissa + rise }, places)
          if (typeof before !== 'bigint') return
          expect(typeof after === 'bigint' && after <= before).toBe(true)
        }),
      )
    })

    test('the same price written with more zeros gives the same amount', () => {
      fc.assert(
        fc.property(cents, price, decimals, fc.integer({ min: 1, max: 12 }), (usdCents, rate, places, zeros) => {
          const longer = { mantissa: rate.mantissa * 10n ** BigInt(zeros), exponent: rate.exponent - zeros }
          expect(usdCentsToBaseUnits(makeUsdCents(usdCents), longer, places)).toEqual(
            usdCentsToBaseUnits(makeUsdCents(usdCents), rate, places),
          )
        }),
      )
    })

    test('an amount that the chain cannot hold is refused, the largest that it can hold is not', () => {
      const largestCents = MAX_U64 / 10n ** 16n
      expect(usdCentsToBaseUnits(makeUsdCents(largestCents), dollars('1'), 18)).toBe(largestCents * 10n ** 16n)
      expect(usdCentsToBaseUnits(makeUsdCents(largestCents + 1n), dollars('1'), 18)).toEqual({
        refused: 'amount_out_of_range',
      })
      expect(usdCentsToBaseUnits(makeUsdCents(1n), dollars('1'), 255)).toEqual({ refused: 'amount_out_of_range' })
    })

    test('decimals that no mint can have are a programming error', () => {
      for (const places of [-1, 256, 0.5, Number.NaN]) {
        expect(() => usdCentsToBaseUnits(makeUsdCents(1n), dollars('1'), places)).toThrow(RangeError)
        expect(() => formatUnits(makeBaseUnits(1n), places)).toThrow(RangeError)
      }
    })
  })

  describe('formatUnits', () => {
    test.each([
      [0n, 9, '0'],
      [1n, 9, '0.000000001'],
      [100_000_000n, 9, '0.1'],
      [1_000_000_000n, 9, '1'],
      [1_500_000_000n, 9, '1.5'],
      [20_002_001n, 6, '20.002001'],
      [42n, 0, '42'],
      [100n, 0, '100'],
      [MAX_U64, 9, '18446744073.709551615'],
      [MAX_U64, 20, '0.18446744073709551615'],
    ] as const)('%s base units with %s decimals are %s', (amount, places, text) => {
      expect(formatUnits(makeBaseUnits(amount), places)).toBe(text)
    })

    test('the text is plain and means exactly the amount', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 0n, max: MAX_U64 }), fc.integer({ min: 0, max: 30 }), (amount, places) => {
          const text = formatUnits(makeBaseUnits(amount), places)
          expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
          const [whole = '', fraction = ''] = text.split('.')
          expect(BigInt(whole + fraction.padEnd(places, '0'))).toBe(amount)
        }),
      )
    })
  })

  describe('toUiNumber', () => {
    test('it is the double nearest to the exact figure', () => {
      expect(toUiNumber(makeBaseUnits(100_000_000n), 9)).toBe(0.1)
      expect(toUiNumber(makeBaseUnits(66_667n), 9)).toBe(0.000066667)
      expect(toUiNumber(makeBaseUnits(MAX_U64), 0)).toBe(18446744073709552000)
    })
  })

  test('what a token is worth in lamports is exact and rounded down, whatever the decimals and the prices', () => {
    const dollar = { mantissa: 1n, exponent: 0 }
    const sol = { mantissa: 150n, exponent: 0 }
    expect(worthInLamports(makeBaseUnits(1_000_000n), 6, dollar, sol)).toBe(6_666_666n)
    expect(worthInLamports(makeBaseUnits(1n), 6, dollar, sol)).toBe(6n)
    expect(worthInLamports(makeBaseUnits(1n), 18, dollar, sol)).toBe(0n)
    expect(worthInLamports(makeBaseUnits(7n), 0, { mantissa: 25n, exponent: -1 }, { mantissa: 1n, exponent: 2 })).toBe(
      175_000_000n,
    )
  })

  test('one base unit more than the largest amount of at most a worth is worth more', () => {
    const worths = fc.bigInt({ min: 0n, max: 10n ** 9n })
    fc.assert(
      fc.property(worths, decimals, price, price, (worth, places, rate, solRate) => {
        const largest = largestWorthAtMost(worth, places, rate, solRate)
        fc.pre(largest < MAX_U64)
        expect(worthInLamports(makeBaseUnits(largest), places, rate, solRate)).toBeLessThanOrEqual(worth)
        expect(worthInLamports(makeBaseUnits(largest + 1n), places, rate, solRate)).toBeGreaterThan(worth)
      }),
    )
  })
})
