// The state of recurring billing, as `operator status` shows it.
import { expect, test } from 'vitest'
import { createBillingStatus } from '#services/billing/status.ts'
import { BILLING_TERMS } from '../../support/billing-edge.ts'
import { exampleBillingStatus } from '../../support/example-billing-status.ts'
import { later, NOW } from '../../support/payment.ts'

const { sponsorBudget, sponsorSpent, businessBudget, costliest, delegate } = exampleBillingStatus
const asked: unknown[] = []
const deps: Parameters<typeof createBillingStatus>[0] = {
  billingTerms: BILLING_TERMS,
  budgets: { sponsorLamportsPerDay: sponsorBudget, sponsorLamportsPerBusiness: businessBudget },
  operatorBilling: {
    overview: async () => ({
      ...exampleBillingStatus,
      oldest: { subscriptionId: 'late', since: later(-90), reason: null },
    }),
    async costliest(...given) {
      asked.push(given)
      return costliest
    },
  },
  approvals: {
    async spentSince(...given) {
      asked.push(given)
      return sponsorSpent
    },
  },
  keys: { addressOf: () => delegate },
  problems: async () => ['No tier can be created.'],
  clock: { now: () => NOW },
}

test('the status has the spending of 24 hours, its budget, and how long the oldest charge has waited', async () => {
  expect(await createBillingStatus(deps)()).toMatchObject({
    mint: BILLING_TERMS.mint,
    problems: ['No tier can be created.'],
    delegate,
    oldestForMs: 90_000,
    sponsorSpent,
    sponsorBudget,
    costliest,
    businessBudget,
  })
  expect(asked).toEqual([
    ['live', later(-86_400)],
    ['live', later(-86_400)],
  ])
  const overview = async () => ({ ...exampleBillingStatus, oldest: null })
  expect(
    await createBillingStatus({ ...deps, operatorBilling: { ...deps.operatorBilling, overview } })(),
  ).toMatchObject({ oldestForMs: null })
  expect(await createBillingStatus({ ...deps, billingTerms: null })()).toBeNull()
})
