// A completed checkout becomes a subscription with its first charge planned.
import { describe, expect, test } from 'vitest'
import { type Completion, decideCompletion } from '#core/billing/machine/completion.ts'
import { DELEGATE, MERCHANT, PLATFORM, WALLET } from '../../../support/charge.ts'
import { addressNo, signatureNo, units } from '../../../support/payment.ts'
import { CHECKOUT, DAY, DELEGATION, HOUR, START, TIER, termsOf } from '../../../support/subscription-world.ts'

const context = { now: START, newChargeId: 'charge-1' }
const completion: Completion = {
  checkout: CHECKOUT,
  subscriptionId: 'subscription',
  receiverAccountId: 'marketplace',
  wallet: WALLET,
  terms: termsOf(TIER),
  delegation: DELEGATION,
  others: [],
  consent: { by: 'proof' },
}
const decide = (patch: Partial<Completion> = {}, now = START) =>
  decideCompletion({ ...completion, ...patch }, { ...context, now })

function completed(patch: Partial<Completion> = {}) {
  const decision = decide(patch)
  if (decision.kind !== 'moved') throw new Error('the checkout is not completed')
  return decision.change
}

describe('a completed checkout', () => {
  test('makes an incomplete subscription with a slice for every period, and completes the checkout', () => {
    const { before, after, checkout, events } = completed()
    expect(before).toBeNull()
    expect(after).toMatchObject({
      id: 'subscription',
      accountId: 'business',
      receiverAccountId: 'marketplace',
      status: 'incomplete',
      unitAmount: 10_000_000n,
      periods: 12,
      authorizedAmount: 120_000_000n,
      spentAmount: 0n,
      delegationEpoch: 1,
      approveSignature: null,
      currentPeriodStart: null,
      nextChargeAt: START,
      dueAt: new Date(START.getTime() + 23 * HOUR),
      metadata: { plan: 'gold' },
    })
    expect(checkout).toEqual({
      before: CHECKOUT,
      after: {
        ...CHECKOUT,
        status: 'completed',
        subscriberWallet: WALLET,
        subscriptionId: 'subscription',
        version: 2,
        updatedAt: START,
        completedAt: START,
      },
    })
    expect(events.map(({ type }) => type)).toEqual(['subscription.created', 'charge.created'])
    expect(events[0]).toMatchObject({ subscription: after })
  })

  test('plans one transfer for period 0, signed by the delegate, with the payout and the fee of the platform', () => {
    const { charges, transfers } = completed()
    expect(charges).toMatchObject([
      {
        id: 'charge-1',
        periodIndex: 0,
        periodEnd: null,
        amount: 10_000_000n,
        feeAmount: 300_000n,
        netAmount: 9_700_000n,
        destinationAta: TIER.payoutAta,
        feeDestination: addressNo(811),
        status: 'pending',
        version: 1,
      },
    ])
    expect(transfers).toMatchObject([
      {
        key: 'charge:subscription:0',
        subject: { kind: 'charge', id: 'charge-1' },
        kind: 'charge',
        source: WALLET,
        authority: DELEGATE,
        legs: [
          { role: 'payout', destination: MERCHANT, amount: 9_700_000n },
          { role: 'platform', destination: PLATFORM, amount: 300_000n },
        ],
      },
    ])
  })

  test('after an approve it keeps the signature, and belongs to the epoch that the approve begins', () => {
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(completed({ consent }).after).toMatchObject({ approveSignature: signatureNo(5), delegationEpoch: 2 })
  })

  test('a signed text is not enough without room for the slice', () => {
    const delegation = { ...DELEGATION, chainAllowance: units(119_999_999n) }
    expect(decide({ delegation })).toMatchObject({ kind: 'refused', code: 'authorization_required' })
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(decide({ delegation, consent }).kind).toBe('moved')
  })

  test('a signed text makes the delegation active, so that its allowance is checked regularly', () => {
    for (const status of ['pending', 'cleared', 'revoked'] as const) {
      const { delegation } = completed({ delegation: { ...DELEGATION, status, clearedAt: START } })
      expect(delegation?.after).toMatchObject({ status: 'active', epoch: 1, clearedAt: null })
    }
  })

  test('an allowance that the wallet gave by itself begins the first epoch', () => {
    const own = { ...DELEGATION, status: 'pending', epoch: 0, authorizedTotal: units(0n) } as const
    const { after, delegation } = completed({ delegation: own })
    expect(delegation?.after).toMatchObject({ status: 'active', epoch: 1, authorizedTotal: own.chainAllowance })
    expect(after.delegationEpoch).toBe(1)
  })

  test.each([
    ['completed', 'checkout_completed'],
    ['canceled', 'checkout_closed'],
  ] as const)('a checkout that is %s is refused', (status, code) => {
    expect(decide({ checkout: { ...CHECKOUT, status } })).toMatchObject({ kind: 'refused', code })
  })

  test('an expired checkout refuses a signed text, and is completed by an approve that was sent in time', () => {
    const after = new Date(START.getTime() + DAY)
    expect(decide({}, after)).toMatchObject({ kind: 'refused', code: 'checkout_expired' })
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(decide({ consent }, after).kind).toBe('moved')
  })
})
