import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, RECOVERY } from '#core/billing/charge.ts'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import { firstChargeOf, needsReapproval } from '#core/billing/first-charge.ts'
import { splitCharge } from '#core/billing/machine/charging.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { MAX_U64, makeBasisPoints } from '#core/money/amounts.ts'
import { PLATFORM } from '../../support/charge.ts'
import { exampleCharge, exampleSubscription } from '../../support/example-billing.ts'
import { units } from '../../support/payment.ts'

const shown = (patch: Partial<typeof exampleCharge>) => firstChargeOf({ ...exampleCharge, ...patch }, 'solana:mainnet')

describe('the first charge', () => {
  test.each(FAILURE_CODES)('that failed with %s says what makes it possible again', (failureCode) => {
    const failed = { ...exampleCharge, status: 'failed', failureCode } as const
    expect(shown(failed)).toMatchObject({
      status: 'failed',
      recoveryAction: RECOVERY[failureCode],
      isGivenUp: false,
    })
    expect(needsReapproval(failed)).toBe(RECOVERY[failureCode] === 'reapprove')
  })

  test.each([null, ...FAILURE_CODES])(
    'that was given up after %s offers nothing, because nothing can be done',
    (code) => {
      const canceled = { ...exampleCharge, status: 'canceled', failureCode: code } as const
      expect(shown(canceled)).toMatchObject({ status: 'failed', recoveryAction: 'none', isGivenUp: true })
      expect(needsReapproval(canceled)).toBe(false)
    },
  )

  test.each(['pending', 'submitted', 'succeeded'] as const)('that is %s needs no recovery', (status) => {
    expect(shown({ status })).toMatchObject({ recoveryAction: null, isGivenUp: false })
  })
})

describe('entitlement', () => {
  test.each(SUBSCRIPTION_STATUSES)(
    'a subscription that is %s allows payments unless its authorization has ended',
    (status) => {
      const left = paymentsLeft({ ...exampleSubscription, status })
      expect(left).toBe(['revoked', 'canceled', 'failed'].includes(status) ? 0 : 11)
    },
  )
})

// The split of a charge between business and platform.
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
