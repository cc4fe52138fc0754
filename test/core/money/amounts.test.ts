import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as amounts from '#core/money/amounts.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'

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
