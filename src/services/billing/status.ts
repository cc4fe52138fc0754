// The state of recurring billing, for `operator status` and its alerts.
import { DAY_MS } from '#core/billing/calendar.ts'
import { later } from '#core/billing/dunning.ts'
import type { Address } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { ApprovalStore } from '#ports/approvals.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { BillingOverview, OperatorBillingStore } from '#ports/operator-billing.ts'
import type { BillingServices } from '#services/billing/billing-services.ts'
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
}

export type BillingStatusDeps = Pick<TermsDeps, 'billingTerms'> & {
  readonly operatorBilling: Pick<OperatorBillingStore, 'overview'>
  readonly approvals: Pick<ApprovalStore, 'spentSince'>
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly problems: BillingServices['problems']
  /** null: recurring billing is disabled. */
  readonly sponsorLamportsPerDay: Lamports | null
  /** The clock of the service, by which charges are due. */
  readonly clock: Clock
}

/** Returns null while recurring billing is disabled. */
export type ReadBillingStatus = () => Promise<BillingStatus | null>

export function createBillingStatus(deps: BillingStatusDeps): ReadBillingStatus {
  const { billingTerms, sponsorLamportsPerDay, operatorBilling, approvals, clock } = deps
  return async () => {
    if (billingTerms === null || sponsorLamportsPerDay === null) return null
    const now = clock.now()
    const delegate = deps.keys.addressOf({ network: BILLING_NETWORK, branch: 'delegate' })
    const [overview, sponsorSpent, problems] = await Promise.all([
      operatorBilling.overview(BILLING_NETWORK, { now, delegate }),
      approvals.spentSince(BILLING_NETWORK, later(now, -DAY_MS)),
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
      sponsorBudget: sponsorLamportsPerDay,
    }
  }
}
