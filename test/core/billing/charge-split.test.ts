// The split of a charge between business and platform.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitCharge } from '#core/billing/machine/charging.ts'
import { MAX_U64, makeBasisPoints } from '#core/money/amounts.ts'
import { PLATFORM } from '../../support/charge.ts'
import { units } from '../../support/payment.ts'

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
