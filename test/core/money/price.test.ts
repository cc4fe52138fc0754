import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alignDecimals, decimalToPrice, isPlausible, trimZeros } from '#core/money/price.ts'

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
