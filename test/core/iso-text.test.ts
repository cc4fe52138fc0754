import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isoText } from '#core/iso-text.ts'

describe('times as text', () => {
  test('a time has the text that the platform gives it, whatever was written before it', () => {
    // Few times that come again, and more of them than are kept.
    const time = fc.oneof(
      fc.date({ noInvalidDate: true }),
      fc.nat(999).map((ms) => new Date(1_800_000_000_000 + ms)),
    )
    fc.assert(
      fc.property(fc.array(time, { maxLength: 600, size: 'max' }), (times) => {
        expect(times.map(isoText)).toEqual(times.map((one) => one.toISOString()))
      }),
      { numRuns: 20 },
    )
  })

  test('an invalid time is an error each time', () => {
    for (let times = 0; times < 2; times += 1) expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError)
  })
})
