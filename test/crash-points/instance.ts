// One instance of the service over a world: the production services, with ports that may fail at any call and from then
// on.

import { tenantOf } from '#core/accounts/account.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import type { Asset } from '#core/chain/types.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createAuditServices } from '#services/audit/audit.ts'
import { createReconciler } from '#services/audit/reconcile.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import { createTakeInArrivals } from '#services/payments/arrivals.ts'
import { createDecisionContext, decideAndApply } from '#services/payments/decide.ts'
import { createExpirer } from '#services/payments/expire.ts'
import { createHeldServices } from '#services/payments/held.ts'
import { createLeastPayable, createLockRate } from '#services/payments/lock-rate.ts'
import { createCancel } from '#services/payments/payments.ts'
import { createRefundAddresses } from '#services/payments/refund-address.ts'
import { createSweep } from '#services/payments/sweep.ts'
import { subjectsOfPayments } from '#services/payments/transfers/subject.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { UNCHANGED_MINTS } from '../support/memory-stores.ts'
import { Crash, type Life } from '../support/mortal.ts'
import { FEE_PAYER, NOW, TERMS } from '../support/payment.ts'
import { PLENTY, TOY_PRICES } from '../support/settling-world.ts'
import { toyKeys, toySigner } from '../support/toy-chain.ts'
import { OWNER, type World } from './world.ts'

const TENANT = tenantOf({ id: pendingIntent.accountId, network: pendingIntent.network })

/** The ports as one instance sees them. */
function portsOf(world: World, life: Life, number: number) {
  const sleepers: (() => void)[] = []
  const notices = life.wrap({ next: () => new Promise<number>((wake) => void sleepers.push(() => wake(250))) })
  const errors: unknown[] = []
  let ids = 0
  const clock = { now: world.now }
  const chain = life.wrap(world.toy.chain)
  const directory = life.wrap({ tokens: async () => world.tokens, custodians: async () => new Map() })
  const chainOf = () => chain
  return {
    sleepers,
    errors,
    onError: (error: unknown) => {
      if (!(error instanceof Crash)) errors.push(error)
    },
    network: pendingIntent.network,
    chain,
    chainOf,
    intents: life.wrap(world.stores.intents),
    store: life.wrap(world.stores.intents),
    transfers: life.wrap(world.stores.transfers),
    held: life.wrap(world.stores.held),
    mints: life.wrap({ readMint: async () => world.spam }),
    signer: life.wrap(toySigner),
    keys: life.wrap(toyKeys),
    directory,
    mintGuard: UNCHANGED_MINTS,
    lockRate: createLockRate(
      life.wrap({ priceOf: async () => ({ mantissa: 2_500n, exponent: 0, source: 'toy', publishedAt: NOW }) }),
      createLeastPayable({ chainOf, terms: () => TERMS, mintGuard: UNCHANGED_MINTS }),
    ),
    decisionContext: createDecisionContext({
      clock,
      directory,
      terms: () => TERMS,
      chainOf,
      priceOf: () => null,
    }),
    prices: life.wrap({ ...TOY_PRICES }),
    refundBudget: PLENTY,
    computeUnitPrice: 0n,
    audit: life.wrap(world.books.audit),
    halts: life.wrap(world.books.halts),
    settings: life.wrap(world.books.settings),
    changes: { watch: () => ({ next: notices.next, close: () => {} }) },
    random: { uuid: () => `00000000-0000-4000-8000-${String(number * 1_000 + ids++).padStart(12, '0')}` },
    clock,
    feePayerOf: () => FEE_PAYER,
    notices: null,
    callsPerMinute: 1_000_000,
    minRoundMs: 0,
    onNotice: () => {},
  }
}
type Ports = ReturnType<typeof portsOf>

/** The requests that people may send. */
function requestsOf(ports: Ports, observe: ReturnType<typeof createDepositObserver>) {
  const { intents, network, chain } = ports
  const read = async () => {
    const facts = await intents.facts(pendingIntent.id)
    if (facts === null) throw new Error('there is one')
    return facts
  }
  const takeInArrivals = createTakeInArrivals({ ...ports, observe })
  const cancel = createCancel({ ...ports, takeInArrivals })
  const sweep = createSweep({ ...ports, intents: { findByIndex: async () => (await read()).intent } })
  const { release } = createHeldServices({
    ...ports,
    unaccepted: { list: async () => [] },
    work: intents,
    chainOf: () => ({ ...ports.mints, tokenAccounts: async () => [] }),
    judgeDestination: createJudgeSweepDestination(
      { live: { chain, feePayer: FEE_PAYER }, test: null },
      { isIssued: async (address) => address === pendingIntent.address },
      'to',
    ),
  })
  const addresses = createRefundAddresses({
    ...ports,
    findByClientSecret: async () => (await read()).intent,
    intents: { findById: async () => (await read()).intent },
    store: intents,
    judgeBuyerAddress: async () => {},
  })
  const business = {
    tenant: tenantOf({ id: pendingIntent.accountId, network }),
    actor: SERVICE_ACTOR,
  }
  const audits = createAuditServices({
    ...ports,
    wallClock: ports.clock,
    keys: { tokenAccountOf: ports.keys.tokenAccountOf, addressOf: () => pendingIntent.address },
    networks: { live: null, test: null },
  })
  return {
    /** The operator ends the halt, although the ledger and the chain differ. */
    clearHalt: async () => {
      const [halt] = await audits.halts({ network, open: true, limit: 1 })
      return `clear: ${halt === undefined ? 'none' : (await audits.clearHalt(halt.id, 'It is known.')).id}`
    },
    cancel: async () => `cancel: ${(await cancel((await read()).intent)).status}`,
    sweep: async () => `sweep: ${(await sweep(TENANT, pendingIntent.derivationIndex)).signature}`,
    release: async (asset: Asset) => {
      const released = await release({ intent: pendingIntent.id, asset, to: OWNER, reason: 'They proved it.' })
      return `release: ${released.map(({ transferId }) => transferId).join()}`
    },
    /** The buyer proposes an address for held money. */
    propose: async () => {
      await addresses.proposeRefundAddress('', OWNER)
      return 'propose: done'
    },
    /** The business approves it, twice at the same moment. */
    approve: async () => {
      const approve = () => addresses.approveRefundAddress(business, pendingIntent.id, OWNER)
      await Promise.all([approve(), approve()])
      return 'approve: done'
    },
    /** The operator retries a transfer that is held or failed. */
    retry: async () => {
      const context = await ports.decisionContext(network)
      const stopped = (await read()).transfers.filter(({ status }) => status === 'held' || status === 'failed')
      for (const { id } of stopped.slice(-1))
        await decideAndApply(intents, pendingIntent.id, (facts) => decideRearmed(facts, id, context))
      return 'retry: done'
    },
  }
}

export function startInstance(world: World, life: Life, number: number) {
  const ports = portsOf(world, life, number)
  const observe = createDepositObserver(ports)
  const watcher = new Watcher({ ...ports, observe })
  const subjects = registerSubjects(subjectsOfPayments(ports))
  const prepare = createAttemptPreparer({
    ...ports,
    subjects,
    afterFailover: async () => ({ waits: null, lostBefore: null }),
  })
  const advance = createTransferAdvancer({ ...ports, subjects, prepare })
  const expire = createExpirer(ports)
  const takeIn = createTakeIn(ports)
  const watch = async () => {
    if (!watcher.loaded) await watcher.reload()
    await watcher.runOnce()
    await watcher.readBacklog()
  }
  const readBlocks = async () => {
    for (const signature of await world.unknownPayments()) {
      const transaction = await ports.chain.transaction(signature)
      if (transaction !== null) await takeIn(pendingIntent.id, [transaction])
    }
  }
  const reconcile = createReconciler({
    ...ports,
    keys: { tokenAccountOf: ports.keys.tokenAccountOf, addressOf: () => pendingIntent.address },
    feePayer: FEE_PAYER,
    observe,
    onHalt: () => {},
  })
  const jobs = [
    ...(world.reconciles ? [reconcile] : []),
    world.readsBlocks ? readBlocks : watch,
    () => expire(ports.network),
    () => advance(ports.network),
  ]
  return {
    life,
    errors: ports.errors,
    requests: requestsOf(ports, observe),
    /** Runs each job of a worker once. A job that fails runs again in the next round. */
    async work(): Promise<void> {
      for (const wake of ports.sleepers.splice(0)) wake()
      for (const job of jobs) await job().catch(ports.onError)
    },
  }
}
export type Instance = ReturnType<typeof startInstance>
