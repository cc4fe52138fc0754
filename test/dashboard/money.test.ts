// Amounts as people enter them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unitsOf } from '#dashboard/browser/parts/money.ts'
import { decimal } from '#pay/views/formats.ts'

describe('the base units of an amount that a person enters', () => {
  it('are exactly those that the amount shows, with a point or a comma', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        const shown = decimal(String(units), decimals)
        expect(unitsOf(shown, decimals)).toBe(String(units))
        expect(unitsOf(shown.replace('.', ','), decimals)).toBe(String(units))
      }),
    )
  })

  it.each([null, '', 'x', '-1', '1.', '.5', '1e9', '1 000', '0.1234567', '1.2.3'])('are none of %j', (entered) => {
    expect(unitsOf(entered, 6)).toBeNull()
  })
})
