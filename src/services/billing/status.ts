// The state of recurring billing, for `operator status` and its alerts.
import { DAY_MS } from '#core/billing/calendar.ts'
import { later } from '#core/billing/dunning.ts'
import type { Address } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { ApprovalStore } from '#ports/checkouts.ts'
import type { Clock } from '#ports/clock.ts'
import type { BillingOverview, CostlyBusiness, OperatorBillingStore } from '#ports/operator-billing.ts'
import type { BillingServices } from '#services/billing/billing-services.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { BILLING_NETWORK, type TermsDeps } from '#services/billing/terms.ts'

export type BillingStatus = BillingOverview & {
  /** The settlement stablecoin, and what the operator must put right before tiers can be sold, in sentences. */
  readonly mint: Address
  readonly problems: readonly string[]
  /** The key of the service that allowances name. */
  readonly delegate: Address
  /** How long the oldest charge has waited since its time came, in milliseconds; null when none waits. */
  readonly oldestForMs: number | null
  /** The approves of the last 24 hours, in lamports, and the most that they may cost. */
  readonly sponsorSpent: bigint
  readonly sponsorBudget: Lamports
  /** The business whose subscriptions have cost the most in the last 24 hours, and the most that those of one business may cost. */
  readonly costliest: CostlyBusiness | null
  readonly businessBudget: Lamports
}

export type BillingStatusDeps = Pick<TermsDeps, 'billingTerms'> & {
  readonly operatorBilling: Pick<OperatorBillingStore, 'overview' | 'costliest'>
  readonly approvals: Pick<ApprovalStore, 'spentSince'>
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly problems: BillingServices['problems']
  /** null: recurring billing is disabled. */
  readonly budgets: Pick<CheckoutDeps, 'sponsorLamportsPerDay' | 'sponsorLamportsPerBusiness'> | null
  /** The clock of the service, by which charges are due. */
  readonly clock: Clock
}

/** Returns null while recurring billing is disabled. */
export type ReadBillingStatus = () => Promise<BillingStatus | null>

export function createBillingStatus(deps: BillingStatusDeps): ReadBillingStatus {
  const { billingTerms, budgets, operatorBilling, approvals, clock } = deps
  return async () => {
    if (billingTerms === null || budgets === null) return null
    const now = clock.now()
    const since = later(now, -DAY_MS)
    const delegate = deps.keys.addressOf({ network: BILLING_NETWORK, branch: 'delegate' })
    const [overview, sponsorSpent, costliest, problems] = await Promise.all([
      operatorBilling.overview(BILLING_NETWORK, { now, delegate }),
      approvals.spentSince(BILLING_NETWORK, since),
      operatorBilling.costliest(BILLING_NETWORK, since),
      deps.problems(),
    ])
    const { oldest } = overview
    return {
      ...overview,
      mint: billingTerms.mint,
      problems,
      delegate,
      oldestForMs: oldest === null ? null : now.getTime() - oldest.since.getTime(),
      sponsorSpent,
      sponsorBudget: budgets.sponsorLamportsPerDay,
      costliest,
      businessBudget: budgets.sponsorLamportsPerBusiness,
    }
  }
}
