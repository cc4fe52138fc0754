// Defines the jobs of recurring billing, each as one bounded round. docs/billing.md, "Charges".
import type { Network } from '#core/chain/types.ts'
import type { WatchApprovals } from '#services/billing/approvals/settle.ts'
import type { CheckDelegations } from '#services/billing/charging/check-delegations.ts'
import type { RetryRefilled } from '#services/billing/charging/refill.ts'
import type { RunDue } from '#services/billing/charging/run-due.ts'
import type { JobOptions } from './job.ts'
import { asLeader, IDLE, type OnJobError, scheduledJob } from './jobs.ts'
import type { Leader } from './leader.ts'
import type { ScheduledJob } from './schedule.ts'

/** What makes and stops charges. It rests while recurring billing is disabled. */
export type ChargingWork = {
  readonly runDue: RunDue
  readonly refill: RetryRefilled
  readonly checkDelegations: CheckDelegations
}

export type BillingWork = {
  readonly network: Network
  readonly leader: Leader
  readonly watchApprovals: WatchApprovals
  /** null while recurring billing is disabled: approves and transfers that are under way still end. */
  readonly charging: ChargingWork | null
}

export function billingJobs(work: BillingWork, onError: OnJobError): readonly ScheduledJob[] {
  const { network, leader } = work
  const job = (kind: ScheduledJob['kind'], runOnce: JobOptions['runOnce']) =>
    scheduledJob(kind, network, runOnce, onError)
  const approve = job(
    'approve',
    asLeader(leader, () => work.watchApprovals(network)),
  )
  return [approve, ...chargingJobs(work, job)]
}

function chargingJobs(
  { network, leader, charging }: BillingWork,
  job: (kind: ScheduledJob['kind'], runOnce: JobOptions['runOnce']) => ScheduledJob,
): readonly ScheduledJob[] {
  if (charging === null) return []
  return [
    job('due', async () => {
      const { leads } = await leader.lead()
      return leads ? await charging.runDue(network) : IDLE
    }),
    job(
      'refill',
      asLeader(leader, () => charging.refill(network)),
    ),
    job(
      'delegations',
      asLeader(leader, () => charging.checkDelegations(network)),
    ),
  ]
}
