import { expect, test } from 'vitest'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { exampleSubscription } from '../../support/example-subscription.ts'

test.each(SUBSCRIPTION_STATUSES)(
  'a subscription that is %s allows payments unless its authorization has ended',
  (status) => {
    const left = paymentsLeft({ ...exampleSubscription, status })
    expect(left).toBe(['revoked', 'canceled', 'failed'].includes(status) ? 0 : 11)
  },
)
