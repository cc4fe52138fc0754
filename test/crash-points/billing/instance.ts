// One instance of recurring billing over a world: the production services, with ports that may fail at any call and from
// then on.
import { random } from '#adapters/node/random.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { createSharedWait } from '#services/billing/approvals/send.ts'
import { createWatchApprovals } from '#services/billing/approvals/settle.ts'
import { createChargeSubject } from '#services/billing/charging/charge-subject.ts'
import { createCheckDelegations } from '#services/billing/charging/check-delegations.ts'
import { createFindPulls } from '#services/billing/charging/find-pulls.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import { createSubscriptionServices } from '#services/billing/subscriptions.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import type { AfterFailover } from '#services/transfers/after-failover.ts'
import { createAttemptPreparer, newestSignature } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { FEE_PAYER, keys, signer } from '../../support/approves.ts'
import { UNCHANGED_MINTS } from '../../support/memory-stores.ts'
import { Crash, type Life } from '../../support/mortal.ts'
import type { BillingWorld } from './world.ts'

const NETWORK = 'live'

/** The ports as one instance sees them. */
function portsOf(world: BillingWorld, life: Life) {
  const { compileSponsored, slotMs, ...asynchronous } = world.chain
  const chain = { ...life.wrap(asynchronous), compileSponsored, slotMs }
  const { stores } = world
  return {
    approvals: life.wrap(stores.approvals),
    billing: life.wrap(stores.billing),
    challenges: life.wrap(stores.challenges),
    checkouts: life.wrap(stores.checkouts),
    delegations: life.wrap(stores.delegations),
    delegationLookup: life.wrap(stores.delegationLookup),
    portalPages: life.wrap(stores.portalPages),
    portalSessions: life.wrap(stores.portalSessions),
    subscriptionCoupons: life.wrap(stores.subscriptionCoupons),
    subscriptionTiers: life.wrap(stores.subscriptionTiers),
    transfers: life.wrap(stores.transfers),
    signer: life.wrap(signer),
    chain,
    chainOf: () => chain,
    keys,
    secrets: world.secrets,
    random,
    clock: world.clock,
    payUrl: 'https://pay.example.com/pay',
    sponsorLamportsPerBusiness: makeLamports(1_000_000_000),
  }
}

export function startBillingInstance(world: BillingWorld, life: Life) {
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    if (!(error instanceof Crash)) errors.push(error)
  }
  // Blocks go on while a request or a job waits for them.
  const sleep = async () => world.pass(2n)
  const own = portsOf(world, life)
  const afterFailover: AfterFailover = async () => ({ waits: null, lostBefore: null })
  const ports = { ...own, findPulls: createFindPulls(own), afterFailover, sleep, onError }
  const hosted = {
    ...ports,
    verify: verifyWalletSignature,
    genesisHashOf: async () => MAINNET_GENESIS_HASH,
    knownSignature: () => newestSignature(ports.chain, FEE_PAYER),
    recoveryKey: new Uint8Array(32),
    subscriptionsPerWallet: 3,
    sponsorLamportsPerDay: makeLamports(1_000_000_000),
    waitForEnd: createSharedWait(),
  }
  const subjects = registerSubjects([createChargeSubject(ports)])
  const engine = { ...ports, subjects, feePayerOf: () => FEE_PAYER }
  const advance = createTransferAdvancer({
    ...engine,
    prepare: createAttemptPreparer({
      ...engine,
      mintGuard: UNCHANGED_MINTS,
    }),
  })
  const watchApprovals = createWatchApprovals(ports)
  const runDue = createRunDue(ports)
  const checkDelegations = createCheckDelegations(ports, 60_000)
  const jobs = [
    () => watchApprovals(NETWORK),
    () => runDue(NETWORK),
    () => checkDelegations(NETWORK),
    () => advance(NETWORK),
  ]
  return {
    life,
    errors,
    checkout: createCheckoutServices(hosted),
    portal: createPortalServices(hosted),
    subscriptions: createSubscriptionServices(ports),
    merchant: { ...world.merchant, marketplaceFeeBps: makeBasisPoints(0) },
    retryRefilled: createRetryRefilled(ports),
    /** Runs each job of a worker once. A job that fails runs again in the next round. */
    async work(): Promise<void> {
      for (const job of jobs) await Promise.resolve(job()).catch(onError)
    },
  }
}
export type BillingInstance = ReturnType<typeof startBillingInstance>
