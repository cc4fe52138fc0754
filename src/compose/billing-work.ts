// Builds the work of recurring billing on its network: the subjects of its transfers, and its jobs.
import { seededAddress } from '#adapters/solana/keys/seeded-address.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { POOL_SIZE } from '#core/billing/nonce-pool.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { ApprovalStore } from '#ports/approvals.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import type { Chain, DepositKeys } from '#ports/chain.ts'
import type { SubscriptionCheckoutStore } from '#ports/checkouts.ts'
import type { Clock } from '#ports/clock.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'
import type { Random } from '#ports/random.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { createWatchApprovals } from '#services/billing/approvals/watch-approvals.ts'
import { createChargeSubject } from '#services/billing/charging/charge-subject.ts'
import { createCheckDelegations } from '#services/billing/charging/check-delegations.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { growPool, readNonceLifetimes } from '#services/billing/nonce-pool.ts'
import { createNonceSubject } from '#services/billing/nonce-subject.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
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
  readonly noncePool: NoncePoolStore
  readonly transfers: TransferStore
  readonly keys: DepositKeys
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
  const common = { ...deps, pool: deps.noncePool, chainOf: () => chain }
  const named = (kind: string) => ({
    ...common,
    onError: (error: unknown, id: string) => deps.onError(error, { [kind]: id }),
  })
  const nonces = { ...common, seededAddress, size: POOL_SIZE, kinds: [CHARGE] }
  const { jobs, growPool: wakeGrowth } = billingJobs(
    {
      network,
      leader,
      watchApprovals: createWatchApprovals(named('approval')),
      growPool: () => growPool(nonces, network),
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
  const charges = createChargeSubject({
    ...common,
    // The pool grows when a charge finds no nonce: a service without charges pays for no account.
    async readNonces(charging, transfers) {
      const lifetimeOf = await readNonceLifetimes(nonces, charging, transfers)
      if (transfers.some((transfer) => 'reason' in lifetimeOf(transfer))) wakeGrowth()
      return lifetimeOf
    },
  })
  return { subjects: [charges, createNonceSubject(common)], jobs }
}
