// When the page of a subscription offers the end of the allowance.
import { expect, test } from 'vitest'
import { judgeRevocation } from '#core/billing/machine/revoking.ts'
import type { Slice } from '#core/billing/room.ts'
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '#core/billing/subscription.ts'
import { CHARGED, DELEGATE, STRANGER } from '../../support/charge.ts'
import { exampleSubscription } from '../../support/example-billing.ts'
import { units } from '../../support/payment.ts'
import { DELEGATION, START } from '../../support/subscription-world.ts'

type Facts = Parameters<typeof judgeRevocation>[0]

const CANCELED: Facts = {
  subscription: { ...exampleSubscription, status: 'canceled' },
  charge: null,
  others: [],
  delegation: { ...DELEGATION, status: 'cleared' },
}
const judge = (patch: Partial<Facts>) => judgeRevocation({ ...CANCELED, ...patch }, DELEGATE.address)

const other = (status: SubscriptionStatus, inFlight = 0n): Slice => ({
  subscriptionId: 'other',
  status,
  remaining: units(10n),
  inFlight: units(inFlight),
  createdAt: START,
})
const charged = (status: 'submitted' | 'succeeded'): Facts['charge'] => ({ charge: { ...CHARGED, status } })

test('the allowance that a canceled subscription leaves can be revoked', () => {
  expect(judge({})).toBeNull()
  expect(judge({ charge: charged('succeeded') })).toBeNull()
})

test.each(SUBSCRIPTION_STATUSES.filter((status) => status !== 'canceled'))(
  'nothing is revoked by the page of a subscription that is %s',
  (status) => {
    expect(judge({ subscription: { ...exampleSubscription, status } })).toBe('allowance_in_use')
  },
)

test('a subscription that is canceled at the end of its period uses the allowance until then', () => {
  expect(judge({ subscription: { ...exampleSubscription, cancelAtPeriodEnd: true } })).toBe('allowance_in_use')
})

test.each(['incomplete', 'active', 'renewal_required', 'past_due', 'paused'] as const)(
  'another subscription of the wallet that is %s keeps the allowance',
  (status) => {
    expect(judge({ others: [other('canceled'), other(status)] })).toBe('allowance_in_use')
  },
)

test('other subscriptions that only a new authorization charges again do not keep the allowance', () => {
  expect(judge({ others: [other('revoked'), other('exhausted'), other('failed')] })).toBeNull()
})

test('a charge under way keeps the allowance, of this subscription and of another that has ended', () => {
  expect(judge({ charge: charged('submitted') })).toBe('allowance_in_use')
  expect(judge({ others: [other('canceled', 4n)] })).toBe('allowance_in_use')
})

test.each([
  ['no delegate', { chainDelegate: null, chainAllowance: units(0n) }],
  ['another delegate', { chainDelegate: STRANGER }],
  ['nothing left', { chainAllowance: units(0n) }],
])('there is nothing to revoke when the token account shows %s', (_, reading) => {
  expect(judge({ delegation: { ...DELEGATION, ...reading } })).toBe('nothing_to_revoke')
})
