// Defines the jobs of a worker, each as one bounded round.
import type { Network } from '#core/chain/types.ts'
import type { Reconcile } from '#services/audit/reconcile.ts'
import type { ExpireIntents } from '#services/payments/expire.ts'
import type { LookDue } from '#services/refunds/look.ts'
import type { AdvanceTransfers } from '#services/transfers/advance.ts'
import { createJob, createOverlappingJob, type JobOptions, type OverlappingJobOptions } from './job.ts'
import type { Leader } from './leader.ts'
import type { JobName, ScheduledJob } from './schedule.ts'

export const IDLE = { again: false }

export type OnJobError = JobOptions['onError']

export const scheduledJob = (
  kind: JobName,
  network: Network | null,
  runOnce: JobOptions['runOnce'],
  onError: OnJobError,
  atOnce = 1,
): ScheduledJob => ({
  kind,
  ...createJob({ name: network === null ? kind : `${kind}:${network}`, runOnce, onError, atOnce }),
})

/** Like `scheduledJob`, for rounds that may overlap. */
export const overlappingJob = (
  kind: JobName,
  runOnce: OverlappingJobOptions['runOnce'],
  onError: OnJobError,
): ScheduledJob => ({
  kind,
  ...createOverlappingJob({ name: kind, runOnce, onError }),
})

/** Returns a round that only the leader runs. */
export const asLeader =
  (leader: Pick<Leader, 'lead'>, run: () => Promise<unknown>): JobOptions['runOnce'] =>
  async () => {
    const { leads } = await leader.lead()
    if (leads) await run()
    return IDLE
  }

/** Finds deposits: by addresses, and on networks that read blocks by blocks as well. */
export type Watching = {
  reload(): Promise<void>
  catchUp(): Promise<void>
  runOnce(): Promise<unknown>
  /** Continues to read histories that are too long for one round of detection. */
  readBacklog(): Promise<unknown>
  /** Reads the blocks that are final by now, where blocks are read. */
  scan?(): Promise<{ readonly again: boolean }>
  forget(): void
  readonly loaded: boolean
}

/** The work for one network that the leader does: reading its chain. */
export type NetworkWork = {
  readonly network: Network
  readonly leader: Leader
  readonly watcher: Watching
  readonly expire: ExpireIntents
  readonly reconcile: Reconcile
  readonly advance: AdvanceTransfers
  /** Reads the histories of refunds by businesses. */
  readonly lookDue: LookDue
  readonly sleep: (ms: number) => Promise<void>
}

/** Only the leader detects, expires and reconciles. Every worker moves transfers, each under its own lease. */
export function networkJobs(work: NetworkWork, onError: OnJobError): Readonly<Record<NetworkJob, ScheduledJob>> {
  const { network, leader, watcher } = work
  const byLeader = (run: () => Promise<unknown>) => asLeader(leader, run)
  const job = (kind: JobName, runOnce: JobOptions['runOnce']) => scheduledJob(kind, network, runOnce, onError)
  // A round that claimed as many as it may has probably left some. Transfers that are planned while a round runs are
  // claimed by the next round, which runs at the same time: leases keep the two apart.
  const transfer = scheduledJob('transfer', network, moveMoney, onError, TRANSFER_ROUNDS_AT_ONCE)
  // One wake is due at a time, however many rounds ask for one: the attempts under way are checked together.
  let isWakeDue = false
  async function moveMoney(): Promise<{ again: boolean }> {
    const { again, dueInMs } = await work.advance(network)
    if (dueInMs !== null && !isWakeDue) {
      isWakeDue = true
      void wakeIn(dueInMs)
    }
    return { again }
  }
  async function wakeIn(ms: number): Promise<void> {
    await work.sleep(ms)
    isWakeDue = false
    transfer.wake()
  }

  return {
    detect: job('detect', async () => {
      const { leads, took } = await leader.lead()
      if (!leads) {
        if (watcher.loaded) watcher.forget()
        return IDLE
      }
      if (took || !watcher.loaded) await watcher.reload()
      await watcher.runOnce()
      return IDLE
    }),
    scan: job('scan', async () => {
      const { leads } = await leader.lead()
      return leads && watcher.loaded ? ((await watcher.scan?.()) ?? IDLE) : IDLE
    }),
    backlog: job(
      'backlog',
      byLeader(async () => {
        if (watcher.loaded) await watcher.readBacklog()
      }),
    ),
    reload: job(
      'reload',
      byLeader(async () => {
        if (watcher.loaded) await watcher.catchUp()
      }),
    ),
    expire: job(
      'expire',
      byLeader(() => work.expire(network)),
    ),
    reconcile: job('reconcile', byLeader(work.reconcile)),
    refunds: job(
      'refunds',
      byLeader(() => work.lookDue(network)),
    ),
    transfer,
  }
}

const TRANSFER_ROUNDS_AT_ONCE = 3

export type NetworkJob = 'detect' | 'backlog' | 'scan' | 'reload' | 'expire' | 'reconcile' | 'refunds' | 'transfer'
