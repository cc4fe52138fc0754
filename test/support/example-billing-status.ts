import { makeLamports } from '#core/money/amounts.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import { MERCHANT, MINT } from './example-intent.ts'

/** Recurring billing that works as it should. */
export const exampleBillingStatus: BillingStatus = {
  mint: MINT,
  problems: [],
  delegate: MERCHANT,
  subscriptions: [{ status: 'active', count: 7 }],
  delegations: [{ status: 'active', count: 5 }],
  due: 0,
  inFlight: 1,
  oldest: null,
  oldestForMs: null,
  unpayable: 0,
  broken: 0,
  differing: { count: 0, newest: null },
  key: { unsigned: 0, otherKeys: 0, ownDelegations: 5, otherDelegations: 5 },
  sponsorSpent: 59_999_999n,
  sponsorBudget: makeLamports(100_000_000n),
  costliest: { accountId: 'BUSINESS', cost: 299_999_999n },
  businessBudget: makeLamports(500_000_000n),
}
