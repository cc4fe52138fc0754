// Recurring billing in one instance: the services that people call, and the production jobs and subjects of transfers.
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { buildBilling } from '#compose/billing-work.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Random } from '#ports/random.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createSharedWait } from '#services/billing/approvals/send.ts'
import type {
  CouponServices,
  ProductServices,
  SubscriptionIntentServices,
  TierServices,
} from '#services/billing/catalogue-services.ts'
import { createFindPulls } from '#services/billing/charging/find-pulls.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import type { CheckoutServices } from '#services/billing/checkout/checkout-services.ts'
import { createCouponServices } from '#services/billing/coupons.ts'
import { issueLinks } from '#services/billing/portal/links.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import type { PortalServices } from '#services/billing/portal/portal-services.ts'
import { createProductServices } from '#services/billing/products.ts'
import { createSubscriptionIntentServices } from '#services/billing/subscription-intents.ts'
import { createSubscriptionServices, type SubscriptionServices } from '#services/billing/subscriptions.ts'
import { createTierServices } from '#services/billing/tiers.ts'
import type { AfterFailover } from '#services/transfers/after-failover.ts'
import { newestSignature } from '#services/transfers/prepare.ts'
import type { TransferSubject } from '#services/transfers/subject.ts'
import type { Leader } from '#workers/leader.ts'
import { createTestSecrets } from '../../support/keys.ts'
import { UNCHANGED_MINTS } from '../../support/memory-stores.ts'
import type { Carrier } from '../carrier.ts'
import type { Dice } from '../dice.ts'
import { NETWORK } from '../instance-ports.ts'
import type { InstancePorts } from '../ports.ts'
import type { BillingStage } from './billing-stage.ts'

/** No page is opened here. */
const PAY_URL = 'https://pay.example'
const GENESIS = 'SimuLatedGenesis111111111111111111111111111'

export type SellsSubscriptions = Pick<
  ProductServices & TierServices & CouponServices & SubscriptionIntentServices,
  'createProduct' | 'createTier' | 'createCoupon' | 'createIntent' | 'cancelIntent'
>

/** What a subscriber does with a link to the portal. */
export type Portal = Pick<
  PortalServices,
  | 'activateInPortal'
  | 'cancelInPortal'
  | 'changeTierInPortal'
  | 'pauseInPortal'
  | 'renewInPortal'
  | 'resumeInPortal'
  | 'revokeInPortal'
> & {
  /**
   * Returns the token of a new link, as a wallet gets it. Throws `subscription_not_found` while the checkout that
   * reserved the id is not completed.
   */
  linkTo(subscriptionId: string): Promise<string>
}

export type InstanceBilling = {
  readonly portal: Portal
  readonly catalogue: SellsSubscriptions
  readonly checkout: CheckoutServices
  readonly subscriptions: SubscriptionServices
  readonly subjects: readonly TransferSubject[]
  /** Wakes the jobs that are due. */
  tick(): void
}

export type InstanceBillingDeps = {
  readonly stage: BillingStage
  readonly ports: InstancePorts
  readonly keys: DepositKeys
  readonly directory: Directory
  readonly random: Random
  readonly feePayer: Address
  readonly leader: Leader
  readonly carrier: Carrier
  readonly dice: Dice
  readonly afterFailover: AfterFailover
  readonly onError: (error: unknown, context: unknown) => void
}

export function startBilling(deps: InstanceBillingDeps): InstanceBilling {
  const { stage, ports, keys, directory, random, feePayer, leader, carrier, dice, afterFailover, onError } = deps
  const { chain } = ports
  const { isOn } = stage
  const billingTerms = isOn ? stage.terms : null
  const secrets = createTestSecrets(random)
  const common = {
    ...ports,
    keys,
    directory,
    random,
    secrets,
    billingTerms,
    mintGuard: UNCHANGED_MINTS,
    payUrl: PAY_URL,
    chainOf: () => chain,
    afterFailover,
  } as const
  const { subjects, jobs } = buildBilling(
    {
      ...common,
      sponsorLamportsPerBusiness: isOn ? stage.sponsorLamportsPerBusiness : null,
      sleep: (ms) => carrier.sleep(ms, 'waits for the chain'),
      onError,
    },
    { network: NETWORK, chain },
    leader,
    onError,
  )
  const hosted = {
    ...common,
    findPulls: createFindPulls(common),
    verify: verifyWalletSignature,
    genesisHashOf: async () => GENESIS,
    knownSignature: () => newestSignature(chain, feePayer),
    recoveryKey: new Uint8Array(32),
    subscriptionsPerWallet: stage.terms.subscriptionsPerWallet,
    sponsorLamportsPerDay: stage.sponsorLamportsPerDay,
    sponsorLamportsPerBusiness: stage.sponsorLamportsPerBusiness,
    sleep: (ms: number) => carrier.sleep(ms, 'waits for an approve'),
    waitForEnd: createSharedWait(),
  }
  return {
    subjects,
    catalogue: {
      ...createProductServices(common),
      ...createTierServices({ ...common, liveChain: chain }),
      ...createCouponServices(common),
      ...createSubscriptionIntentServices(common),
    },
    checkout: createCheckoutServices(isOn ? hosted : null),
    portal: {
      ...createPortalServices(isOn ? hosted : null),
      async linkTo(subscriptionId) {
        if ((await ports.billing.facts(subscriptionId)) === null) throw new ServiceError('subscription_not_found')
        const [link] = await issueLinks(hosted, 'recovery', [subscriptionId])
        return link?.portalUrl.split('/m/')[1] ?? ''
      },
    },
    subscriptions: createSubscriptionServices(common),
    tick() {
      for (const { kind, wake } of jobs) if (dice.chance(ODDS[kind] ?? 0)) wake()
    },
  }
}

/** How likely a job runs in a moment. */
const ODDS: Readonly<Record<string, number>> = { approve: 0.6, due: 0.8, delegations: 0.4, refill: 0.4 }
