// One instance of the service: the production services and workers, assembled like the composition root, over ports
// whose calls are carried through the simulated world.

import { walletTransactions } from '#adapters/solana/transactions/wallet-transactions.ts'
import { buildDetection } from '#compose/detection.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Address } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { DepositKeys } from '#ports/chain.ts'
import { createDirectory } from '#services/accounts/directory.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createReconciler } from '#services/audit/reconcile.ts'
import { createDepositObserver, type ObserveDeposits } from '#services/detection/observe.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { createDecisionContext, decideAndApply } from '#services/payments/decide.ts'
import { createExpirer } from '#services/payments/expire.ts'
import { createHeldServices, type HeldServices } from '#services/payments/held.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import { createKnownPrices } from '#services/payments/known-prices.ts'
import { createLeastPayable, createLockRate } from '#services/payments/lock-rate.ts'
import { createIntentServices } from '#services/payments/payments.ts'
import { subjectsOfPayments } from '#services/payments/transfers/subject.ts'
import { createHeartbeat } from '#services/platform/health.ts'
import { createLookDue } from '#services/refunds/look.ts'
import { createRefundServices, type RefundServices } from '#services/refunds/refunds.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAfterFailover } from '#services/transfers/after-failover.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { createJob } from '#workers/job.ts'
import { networkJobs, overlappingJob, scheduledJob } from '#workers/jobs.ts'
import { createLeader } from '#workers/leader.ts'
import { createTestSecrets } from '../support/keys.ts'
import { UNCHANGED_MINTS } from '../support/memory-stores.ts'
import type { BillingStage } from './billing/billing-stage.ts'
import { type InstanceBilling, startBilling } from './billing/instance-billing.ts'
import { type Carrier, createCarrier } from './carrier.ts'
import { seededRandom } from './dice.ts'
import { COMPUTE_UNIT_PRICE, createNotices, NETWORK, plantedPorts } from './instance-ports.ts'
import type { Plant } from './plants/plant.ts'
import type { WorldPorts } from './ports.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

const MINUTE_MS = 60_000
/** The highest rate that a payment for a seller may name. */
export const MAX_MARKETPLACE_FEE_BPS = 5_000

export type ChangeNoticeKind = 'created' | 'changed'

export type Instance = {
  readonly name: string
  readonly carrier: Carrier
  readonly intents: IntentServices
  readonly refunds: RefundServices
  /** null in a seed without subscriptions. */
  readonly billing: InstanceBilling | null
  /** Retries a failed or held transfer, like the operator's command. */
  rearm(transferId: string): Promise<void>
  /** Releases held money to the address that the operator names. */
  readonly release: HeldServices['release']
  /** Changes the sweep destination of an account, like the operator's command. */
  nameDestination(accountId: string, to: Address): Promise<void>
  /** Wakes the jobs that are due. */
  tick(now: number): void
  /** When it was woken last, in simulated time. */
  readonly wokenAt: number
  /** Receives a change notice for intents that were created or changed. */
  onChangeNotice(ids: readonly string[], kind: ChangeNoticeKind): void
  /** Payments whose history it reads in several balance checks. */
  readonly reading: ReadonlySet<string>
  /** Receives an account notice. */
  notify(account: Address, slot: bigint): void
  /** The offset of its clock from the world's time, in milliseconds. */
  skew: number
}

export type InstanceDeps = {
  readonly ground: Ground
  readonly name: string
  readonly ports: WorldPorts
  readonly keys: DepositKeys
  readonly terms: FeeTerms
  readonly refundBudget: SpendBudget
  readonly billing: BillingStage | null
  /** How it finds deposits. */
  readonly depositSource: DepositSourceKind
  readonly plant: Plant | null
  readonly onDeath: (instance: string) => void
  readonly onError: (error: unknown, context: string) => void
}

export function startInstance(deps: InstanceDeps): Instance {
  const { ground, name, keys, terms } = deps
  const carrier = createCarrier(ground, name, () => deps.onDeath(name))
  const random = seededRandom(ground.dice.stream(`${name} random`))
  const instance = { skew: 0, wokenAt: Number.NEGATIVE_INFINITY }
  const clock = { now: () => new Date(virtualNow() + instance.skew) }
  const ports = plantedPorts(deps, carrier, clock)
  const { chain, prices } = ports
  const onError = (error: unknown, context: unknown) => {
    // A call of a dead instance never ends, and a wait for it ends by the real clock.
    if (carrier.alive) deps.onError(error, String(JSON.stringify(context)))
  }
  const chainOf = () => chain
  const feePayerOf = () => terms.feePayer
  const directory = createDirectory({
    clock: ports.clock,
    accounts: ports.accounts,
    tokens: ports.tokens,
    custodians: ports.custodians,
  })
  const leastPayable = createLeastPayable({ chainOf, terms: () => terms, mintGuard: UNCHANGED_MINTS })
  const known = createKnownPrices({
    networks: [NETWORK],
    directory,
    prices,
    leastPayable,
    clock: ports.clock,
  })
  const { priceOf } = known
  const decisionContext = createDecisionContext({ clock: ports.clock, directory, terms: () => terms, chainOf, priceOf })
  const lockRate = createLockRate(prices, leastPayable)
  const notices = createNotices(() => ground.chain.finalized)
  const common = {
    ...ports,
    directory,
    decisionContext,
    lockRate,
    keys,
    random,
    chainOf,
    feePayerOf,
    refundBudget: deps.refundBudget,
    computeUnitPrice: COMPUTE_UNIT_PRICE,
    intents: ports.work,
    store: ports.work,
    onError,
  } as const
  const instanceId = random.uuid()
  const leader = createLeader({ leases: ports.leases, name: `chain:${NETWORK}`, instanceId, clock: ports.clock })
  const heartbeat = createHeartbeat({ store: ports.workers, clock: ports.clock, id: instanceId, role: 'all' })
  /** Payments whose histories take several balance checks. */
  const halfRead = new Set<string>()
  const read = createDepositObserver(common)
  const observe: ObserveDeposits = async (intentId, changed, budget) => {
    const observed = await read(intentId, changed, budget)
    if (!observed.unfinished) halfRead.delete(intentId)
    else {
      halfRead.add(intentId)
      // The service checks every second. While the faults last, it is better to have many histories half read.
      if (ground.faults.over) ground.stir()
    }
    return observed
  }
  const watcher = new Watcher({
    ...common,
    network: NETWORK,
    chain,
    notices: notices.source,
    observe,
    callsPerMinute: 600,
    onNotice: () => jobs.detect.wake(),
  })
  const { detection } = buildDetection(
    { ...common, depositSource: deps.depositSource, blockCredits: 1 },
    { network: NETWORK, chain },
    { watcher, notices: notices.source, observe, onFinality: () => jobs.scan.wake() },
  )
  const afterFailover = createAfterFailover(common)
  afterFailover(NETWORK).catch((error: unknown) => onError(error, 'failover'))
  const billing =
    deps.billing === null
      ? null
      : startBilling({
          stage: deps.billing,
          ports,
          keys,
          directory,
          random,
          feePayer: terms.feePayer,
          leader,
          carrier,
          dice: ground.dice.stream(`${name} billing`),
          afterFailover,
          onError,
        })
  const subjects = registerSubjects([...subjectsOfPayments(common), ...(billing?.subjects ?? [])])
  const work = {
    network: NETWORK,
    leader,
    watcher: detection,
    expire: createExpirer({ ...common, searched: () => detection.searched }),
    reconcile: createReconciler({
      ...common,
      network: NETWORK,
      chain,
      feePayer: terms.feePayer,
      observe,
      callsPerMinute: 30,
      minRoundMs: 60_000,
      onHalt: ({ address, reason }) => ground.trace.note(`${name} halts ${address}: ${reason}`),
    }),
    advance: createTransferAdvancer({
      ...common,
      subjects,
      prepare: createAttemptPreparer({
        ...common,
        subjects,
        // One token takes a fee that the guard has not seen: what arrives short is settled safely.
        mintGuard: UNCHANGED_MINTS,
        afterFailover,
      }),
    }),
    lookDue: createLookDue(common),
    sleep: (ms: number) => carrier.sleep(ms, 'checks attempts'),
  }
  const jobs = networkJobs(work, onError)
  const deliverer = createDeliverer({
    worker: instanceId,
    store: ports.deliveries,
    chainName: () => 'solana:localnet',
    sender: ports.sender,
    secrets: { secret: (accountId, version) => new TextEncoder().encode(`${accountId}:${version}`.padEnd(32, '.')) },
    clock: ports.clock,
    wallClock: ports.clock,
    random,
  })
  const { wake: deliver } = overlappingJob('deliver', deliverer.runOnce, onError)
  const judgeDestination = createJudgeSweepDestination(
    { live: { chain, feePayer: terms.feePayer }, test: null },
    ports.depositAddresses,
  )
  const { release } = createHeldServices({
    ...common,
    unaccepted: { list: async () => [] },
    work: ports.work,
    judgeDestination,
  })
  const beat = () => heartbeat.beat().then(() => ({ again: false }))
  const heartbeatJob = scheduledJob('heartbeat', null, beat, onError)
  const readPrices = () => known.refresh().then(() => ({ again: false }))
  const timed = {
    refunds: jobs.refunds,
    reconcile: jobs.reconcile,
    reload: jobs.reload,
    heartbeat: heartbeatJob,
    prices: createJob({ name: 'prices', runOnce: readPrices, onError }),
  }
  const lastWoken = { refunds: 0, reconcile: 0, reload: 0, heartbeat: 0, prices: 0 }
  const dice = ground.dice.stream(`${name} jobs`)
  const every = (job: keyof typeof lastWoken, ms: number, now: number) => {
    if (now - lastWoken[job] < ms) return
    lastWoken[job] = now
    timed[job].wake()
  }

  /** Stands for a change notice, which arrives at any time or never. */
  const next = async (ms: number): Promise<number> => {
    await carrier.sleep(Math.max(ms, ground.dice.between(1_000, 15_000)), 'notice')
    return 250
  }

  return {
    name,
    carrier,
    billing,
    refunds: createRefundServices({
      ...common,
      refunds: ports.refunds,
      walletTransactions,
      judgeRecipient: judgeDestination,
    }),
    intents: createIntentServices({
      ...common,
      judgeBuyerAddress: createJudgeSweepDestination(
        { live: { chain, feePayer: terms.feePayer }, test: null },
        ports.depositAddresses,
        'address',
        'wallet',
      ),
      chainOf: () => ({ ...chain, ...ports.arrivals }),
      deriveAddresses: async (network, account, indexes) =>
        indexes.map((intent) => common.keys.addressOf({ network, branch: 'deposit', account, intent })),
      intents: ports.intents,
      work: ports.work,
      secrets: createTestSecrets(random),
      leastPayable,
      priceRangeOf: () => null,
      maxMarketplaceFeeBps: makeBasisPoints(MAX_MARKETPLACE_FEE_BPS),
      isSandbox: false,
      changes: { watch: () => ({ next, close: () => {} }) },
    }),
    async rearm(transferId) {
      const transfer = await ports.operator.transfer(transferId)
      if (transfer === null) return
      const context = await decisionContext(NETWORK)
      await decideAndApply(ports.work, transfer.subject.id, (facts) => decideRearmed(facts, transferId, context))
    },
    release,
    async nameDestination(accountId, to) {
      await judgeDestination(NETWORK, to)
      await ports.accounts.update(accountId, { sweepDestination: to }, { actor: SERVICE_ACTOR, at: clock.now() })
      directory.clear()
    },
    tick(now) {
      if (!carrier.alive) return
      instance.wokenAt = now
      jobs.detect.wake()
      if (!ground.faults.strikes('notice lost')) notices.finalTo(ground.chain.finalized)
      if (ground.faults.strikes('notices silent')) notices.silence()
      else notices.resume()
      if (dice.chance(0.8)) jobs.scan.wake()
      jobs.backlog.wake()
      if (dice.chance(0.8)) jobs.transfer.wake()
      if (dice.chance(0.4)) jobs.expire.wake()
      if (dice.chance(0.3)) deliver()
      billing?.tick()
      every('refunds', 5_000, now)
      every('heartbeat', 5_000, now)
      every('prices', MINUTE_MS, now)
      every('reconcile', 20 * MINUTE_MS, now)
      every('reload', 10 * MINUTE_MS, now)
    },
    onChangeNotice(ids, kind) {
      if (!carrier.alive) return
      if (detection.loaded) detection.refresh(ids, kind).catch((error: unknown) => onError(error, 'refresh'))
      jobs.transfer.wake()
    },
    get wokenAt() {
      return instance.wokenAt
    },
    get reading() {
      return detection.loaded ? halfRead : new Set<string>()
    },
    notify: (account, slot) => notices.notify(account, slot),
    get skew() {
      return instance.skew
    },
    set skew(ms) {
      instance.skew = ms
    },
  }
}
