// Builds the work of recurring billing on its network: the subjects of its transfers, and its jobs.
import type { Lamports } from '#core/money/amounts.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import type { Chain, DepositKeys } from '#ports/chain.ts'
import type { ApprovalStore, SubscriptionCheckoutStore } from '#ports/checkouts.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { createWatchApprovals } from '#services/billing/approvals/settle.ts'
import { createChargeSubject } from '#services/billing/charging/charge-subject.ts'
import { createCheckDelegations } from '#services/billing/charging/check-delegations.ts'
import { createFindPulls } from '#services/billing/charging/find-pulls.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import type { AfterFailover } from '#services/transfers/after-failover.ts'
import type { TransferSubject } from '#services/transfers/subject.ts'
import { billingJobs } from '#workers/billing-jobs.ts'
import type { OnJobError } from '#workers/jobs.ts'
import type { Leader } from '#workers/leader.ts'
import type { ScheduledJob } from '#workers/schedule.ts'
import type { NetworkRuntime } from './networks.ts'

/** An allowance is read again after this time. */
const READING_LASTS_MS = 60_000

export type BillingWorkDeps = {
  readonly billing: BillingStore
  readonly delegations: DelegationStore
  readonly approvals: ApprovalStore
  readonly checkouts: SubscriptionCheckoutStore
  readonly transfers: TransferStore
  readonly keys: DepositKeys
  readonly afterFailover: AfterFailover
  /**
   * The most that the subscriptions of one business cost the fee payer in 24 hours. null while recurring billing is disabled: no charge
   * begins, and what is under way ends.
   */
  readonly sponsorLamportsPerBusiness: Lamports | null
  readonly clock: Clock
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export type BillingOfNetwork = { readonly subjects: readonly TransferSubject[]; readonly jobs: readonly ScheduledJob[] }

/** Returns no work on a network without recurring billing. */
export function buildBilling(
  deps: BillingWorkDeps,
  { network, chain }: Pick<NetworkRuntime, 'network'> & { readonly chain: Chain },
  leader: Leader,
  onJobError: OnJobError,
): BillingOfNetwork {
  if (network !== BILLING_NETWORK) return { subjects: [], jobs: [] }
  const chainOf = () => chain
  const common = { ...deps, chainOf, findPulls: createFindPulls({ ...deps, chainOf }) }
  const named = (kind: string) => ({
    ...common,
    onError: (error: unknown, id: string) => deps.onError(error, { [kind]: id }),
  })
  const jobs = billingJobs(
    {
      network,
      leader,
      watchApprovals: createWatchApprovals(named('approval')),
      charging:
        deps.sponsorLamportsPerBusiness !== null
          ? {
              runDue: createRunDue(named('subscription')),
              refill: createRetryRefilled(named('subscription')),
              checkDelegations: createCheckDelegations(named('delegation'), READING_LASTS_MS),
            }
          : null,
    },
    onJobError,
  )
  return { subjects: [createChargeSubject(common)], jobs }
}
