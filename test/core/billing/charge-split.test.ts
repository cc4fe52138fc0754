// The amounts of a tier and of a charge in base units.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitCharge, tierAmounts } from '#core/billing/price.ts'
import { MAX_U64, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import { PLATFORM } from '../../support/charge.ts'
import { units } from '../../support/payment.ts'

describe('the amounts of a tier', () => {
  test('a cent is 10^(decimals − 2) base units, and the total is the unit for every period', () => {
    expect(tierAmounts(makeUsdCents(1_999), 6, 12)).toEqual({ unit: 19_990_000n, total: 239_880_000n })
    expect(tierAmounts(makeUsdCents(1_999), 2, 1)).toEqual({ unit: 1_999n, total: 1_999n })
  })

  test('a total above 2^64 − 1 is refused', () => {
    const cents = makeUsdCents(1)
    expect(tierAmounts(cents, 22, 1)).toEqual({ refused: 'authorization_total_too_large' })
    expect(tierAmounts(cents, 20, 18)).toEqual({ unit: 10n ** 18n, total: 18n * 10n ** 18n })
    expect(tierAmounts(cents, 20, 19)).toEqual({ refused: 'authorization_total_too_large' })
    expect(MAX_U64).toBeLessThan(19n * 10n ** 18n)
  })

  test.each([
    [1, 12],
    [6, 0],
    [6.5, 12],
    [6, 1.5],
  ])('%d decimals with %d periods are not possible', (decimals, periods) => {
    expect(() => tierAmounts(makeUsdCents(100), decimals, periods)).toThrow(RangeError)
  })
})

describe('the split of a charge', () => {
  test('the fee is rounded down, and the rest goes to the business', () => {
    const terms = { platformFeeBps: makeBasisPoints(33), platformWallet: PLATFORM }
    expect(splitCharge(units(999n), terms)).toEqual({ amount: 999n, feeAmount: 3n, netAmount: 996n })
  })

  test('without a wallet of the platform there is no fee', () => {
    const terms = { platformFeeBps: makeBasisPoints(0), platformWallet: null }
    expect(splitCharge(units(999n), terms)).toEqual({ amount: 999n, feeAmount: 0n, netAmount: 999n })
  })

  test('fee and payout add up to the charge, and the fee is never above its rate', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_U64 }), fc.integer({ min: 0, max: 10_000 }), (amount, bps) => {
        const split = splitCharge(units(amount), { platformFeeBps: makeBasisPoints(bps), platformWallet: PLATFORM })
        expect(split.feeAmount + split.netAmount).toBe(amount)
        expect(split.feeAmount * 10_000n).toBeLessThanOrEqual(amount * BigInt(bps))
      }),
    )
  })
})
