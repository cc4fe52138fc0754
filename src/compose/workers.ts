// Builds the workers of one instance: jobs over the services, woken by cron and by notices of the database.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#adapters/node/clock.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import {
  CLOCK_MOVED,
  DELIVERIES_DUE,
  INTENT_CHANGED,
  INTENTS_CREATED,
  TRANSFERS_DUE,
} from '#adapters/prisma/engine/notices.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { AuditStore } from '#ports/audit.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { AccountNotices } from '#ports/chain.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { HaltStore } from '#ports/halts.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { DatabaseLineage, LeaseStore, SettingStore } from '#ports/platform.ts'
import type { RefundWorkStore } from '#ports/refunds.ts'
import type { Signer } from '#ports/transactions.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createReconciler, type ReconcilerDeps } from '#services/audit/reconcile.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { WATCH_CALLS_PER_MINUTE } from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import type { ReadDecisionContext } from '#services/payments/decide.ts'
import { createExpirer } from '#services/payments/expire.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import { subjectsOfPayments } from '#services/payments/transfers/subject.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { createLookDue } from '#services/refunds/look.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAfterFailover } from '#services/transfers/after-failover.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { type ChangeFollower, type ChangeNotice, followChangeNotices } from '#workers/change-notices.ts'
import { coalesced } from '#workers/job.ts'
import { networkJobs, type OnJobError, overlappingJob, scheduledJob } from '#workers/jobs.ts'
import { createLeader, type Leader } from '#workers/leader.ts'
import { type ScheduledJob, startSchedule } from '#workers/schedule.ts'
import { type BillingWorkDeps, buildBilling } from './billing-work.ts'
import { buildDetection } from './detection.ts'
import type { NetworkRuntime } from './networks.ts'

/** Payments of one block share their calls. */
const NOTICES_COALESCE_MS = 100
/** RPC calls a minute for comparing the ledger with the chain: a million addresses in half a day. */
const RECONCILE_CALLS_PER_MINUTE = 30
const MIN_RECONCILE_ROUND_MS = 60_000

export type WorkerDeps = Omit<BillingWorkDeps, 'afterFailover'> & {
  readonly db: Database
  readonly instanceId: string
  readonly networks: readonly NetworkRuntime[]
  readonly intents: IntentWorkStore
  readonly refundWork: RefundWorkStore
  readonly sources: DepositSourceStore
  readonly leases: LeaseStore
  readonly audit: AuditStore
  readonly halts: HaltStore
  readonly settings: SettingStore
  readonly lineage: DatabaseLineage
  readonly directory: Directory
  readonly signer: Signer
  readonly decisionContext: ReadDecisionContext
  readonly lockRate: LockRate
  readonly mintGuard: MintGuard
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly refundBudget: SpendBudget
  /** The priority fee for each compute unit, in millionths of a lamport. */
  readonly computeUnitPrice: bigint
  /** The way that the operator has fixed; null chooses by cost. */
  readonly depositSource: DepositSourceKind | null
  readonly blockCredits: number
  /** Sends webhooks that are due; `again` when there are more. `onTurn` as for an overlapping job. */
  readonly deliver: (onTurn: () => void) => Promise<{ again: boolean }>
  readonly heartbeat: () => Promise<void>
  readonly probeNetworks: () => Promise<void>
  /** Makes changes of payout wallets that are due; `again` when there may be more. */
  readonly changePayouts: () => Promise<{ again: boolean }>
  /** Deletes old rows; `again` when there are more. */
  readonly prune: () => Promise<{ again: boolean }>
  /** Adds changes of marketplaces' figures to the rollups; `again` when there may be more. */
  readonly compactStats: () => Promise<{ again: boolean }>
  /** Writes the index by which searches find payments; `again` when there may be more. */
  readonly indexSearches: () => Promise<{ again: boolean }>
  /** Keeps the database fast as it grows. */
  readonly keepUp: () => Promise<void>
  readonly onHalt: ReconcilerDeps['onHalt']
}

export type Workers = { stop(): Promise<void> }

export async function startWorkers(deps: WorkerDeps): Promise<Workers> {
  const onError: OnJobError = (error, job) => deps.onError(error, { job })
  const running = deps.networks.map((runtime) => startNetwork(deps, runtime, onError))
  const deliver = overlappingJob('deliver', deps.deliver, onError)
  const once = (work: () => Promise<void>) => async () => {
    await work()
    return { again: false }
  }
  const jobs = [
    ...running.flatMap(({ jobs: own }) => own),
    deliver,
    scheduledJob('heartbeat', null, once(deps.heartbeat), onError),
    scheduledJob('probe', null, once(deps.probeNetworks), onError),
    scheduledJob('prune', null, deps.prune, onError),
    scheduledJob('payouts', null, deps.changePayouts, onError),
    scheduledJob('stats', null, deps.compactStats, onError),
    scheduledJob('search', null, deps.indexSearches, onError),
    scheduledJob('upkeep', null, once(deps.keepUp), onError),
  ]
  const everyone = (notice: ChangeNotice) => {
    for (const { changes } of running) changes.onNotice(notice)
  }
  const lost = () => everyone({ kind: 'lost' })
  const unlisten = await Promise.all([
    deps.db.listen(INTENT_CHANGED, (id) => everyone({ kind: 'changed', ids: [id] }), lost),
    deps.db.listen(INTENTS_CREATED, (ids) => everyone({ kind: 'created', ids: ids.split(',') })),
    deps.db.listen(DELIVERIES_DUE, deliver.wake, deliver.wake),
    deps.db.listen(TRANSFERS_DUE, (count) => everyone({ kind: 'planned', count: Number(count) })),
  ])
  const schedule = startSchedule(jobs, systemClock)
  const unlistenClock = await deps.db.listen(CLOCK_MOVED, schedule.wake)
  return {
    async stop() {
      await Promise.all([...unlisten, unlistenClock].map((end) => end()))
      await Promise.all([schedule.stop(), ...running.map(({ changes }) => changes.stop())])
      await Promise.all(running.flatMap(({ notices, blocks }) => [notices.close(), blocks.close()]))
      await Promise.all(running.map(({ leader }) => leader.resign().catch(() => {})))
    },
  }
}

type RunningNetwork = {
  readonly jobs: readonly ScheduledJob[]
  readonly leader: Leader
  readonly notices: AccountNotices
  readonly blocks: BlockSource
  readonly changes: ChangeFollower
}

function startNetwork(deps: WorkerDeps, runtime: NetworkRuntime, onError: OnJobError): RunningNetwork {
  const { network, chain } = runtime
  const chainOf = () => chain
  const feePayerOf = () => runtime.feePayer
  const onTransferError = (error: unknown, transfer: string) => deps.onError(error, { transfer })
  const notices = runtime.openNotices()
  const leader = createLeader({ ...deps, name: `chain:${network}`, clock: systemClock })
  const observe = createDepositObserver({ ...deps, store: deps.intents, chainOf })
  const onIntentError = (error: unknown, intent: string) => deps.onError(error, { intent })
  const watcher = new Watcher({
    ...deps,
    network,
    chain,
    store: deps.intents,
    notices,
    observe,
    callsPerMinute: WATCH_CALLS_PER_MINUTE,
    onNotice: coalesced(() => jobs.detect.wake(), NOTICES_COALESCE_MS),
    onError: onIntentError,
  })
  const { detection, blocks } = buildDetection(deps, runtime, {
    watcher,
    notices,
    observe,
    onFinality: () => jobs.scan.wake(),
  })
  const afterFailover = createAfterFailover({ ...deps, chainOf })
  // Long before the first attempt: a failover that loses both would not be noticed.
  afterFailover(network).catch((error: unknown) => onError(error, `failover:${network}`))
  const billing = buildBilling({ ...deps, afterFailover }, runtime, leader, onError)
  const subjects = registerSubjects([...subjectsOfPayments(deps), ...billing.subjects])
  const prepare = createAttemptPreparer({
    ...deps,
    subjects,
    chainOf,
    feePayerOf,
    afterFailover,
    onError: onTransferError,
  })
  const jobs = networkJobs(
    {
      network,
      leader,
      watcher: detection,
      expire: createExpirer({
        ...deps,
        store: deps.intents,
        chainOf,
        searched: () => detection.searched,
      }),
      reconcile: createReconciler({
        ...deps,
        network,
        chain,
        feePayer: runtime.feePayer,
        observe,
        callsPerMinute: RECONCILE_CALLS_PER_MINUTE,
        minRoundMs: MIN_RECONCILE_ROUND_MS,
        clock: systemClock,
        onError: onIntentError,
      }),
      advance: createTransferAdvancer({ ...deps, subjects, prepare, chainOf, onError: onTransferError }),
      lookDue: createLookDue({ ...deps, chainOf, onError: (error, refund) => deps.onError(error, { refund }) }),
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
    },
    onError,
  )
  return {
    jobs: [...Object.values(jobs), ...billing.jobs],
    leader,
    notices,
    blocks,
    changes: followChangeNotices({ detection, jobs, onError: (error) => onError(error, `refresh:${network}`) }),
  }
}
