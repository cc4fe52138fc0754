import { expect, test } from 'vitest'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { exampleCharge, exampleSubscription } from '../../support/example-subscription.ts'
import { units } from '../../support/payment.ts'

test('the payments that are still allowed contain an unpaid one at its own price', () => {
  // Eleven payments: one of 15 that was planned before the change, and ten of 5.
  const authorized = { authorizedAmount: units(65_000_000n), spentAmount: units(0n), nextChargePeriod: 1 }
  const changed = { ...exampleSubscription, ...authorized, unitAmount: units(5_000_000n), status: 'past_due' } as const
  const unpaid = { ...exampleCharge, periodIndex: 1, amount: units(15_000_000n), status: 'failed' } as const
  expect(paymentsLeft(changed, unpaid)).toBe(11)
})

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s allows payments unless its authorization has ended',
  (status) => {
    const left = paymentsLeft({ ...exampleSubscription, status }, exampleCharge)
    expect(left).toBe(['revoked', 'canceled', 'failed'].includes(status) ? 0 : 11)
  },
)
