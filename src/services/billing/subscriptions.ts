// Subscriptions, as the business that they belong to reads and manages them.

import type { Delegation } from '#core/billing/delegation.ts'
import { type Decision, refused } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decideChargeNow, decidePause, decideResume, refusalOf } from '#core/billing/machine/manage.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { judgeTermChange } from '#core/billing/term-change.ts'
import type { Tier } from '#core/billing/tier.ts'
import { isAddress } from '#core/chain/base58.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegationLookup } from '#ports/billing.ts'
import type { SubscriptionTierStore } from '#ports/catalogue.ts'
import type { ChainClock } from '#ports/chain.ts'
import { isUuid, requireTierId } from '#services/requests.ts'
import type { Merchant } from './billing-services.ts'
import { contextOf, type DecideDeps, decideSubscription, periodContextOf, termsOf } from './decide.ts'
import { issueLinks, type LinkDeps, type PortalLink } from './portal/links.ts'

// What a business does with its subscriptions. Spec: "Subscriptions (merchant; API key or dashboard session)".

/** A delegation as one business sees it: of the subscriptions on it, only its own. */
export type BusinessDelegation = Delegation & { readonly accountId: string }

/**
 * Every method throws `subscription_not_found`, for a malformed id and a subscription of another business too. Every change
 * throws `subscription_incomplete` before the first charge is final, and `subscription_ended` after the end.
 */
export type SubscriptionServices = {
  findSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /** Stops billing: the subscription ends with its period, or at once. A repeat changes nothing. */
  cancelSubscription(merchant: Merchant, id: string, atPeriodEnd: boolean): Promise<BillingSubscription>
  /** Stops charging until it is resumed. A repeat changes nothing. Throws `subscription_canceling`. */
  pauseSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Lets charging go on, and clears a cancellation. Throws `authorization_exhausted`, and `subscription_paused` or
   * `subscription_canceling` when the subscriber has stopped it.
   */
  resumeSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Charges what is due. Throws `charge_in_progress`, `charge_already_scheduled`, `subscription_canceling`,
   * `subscription_paused` when the subscriber has paused it, `authorization_exhausted`, and `rate_limited` soon after a failure on
   * the chain.
   */
  chargeNow(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Changes the tier from the next charge on. Throws `wallet_proof_required` for a change that raises, `tier_not_found`,
   * `invalid_tier_id`, `same_tier`, `different_product`, `tier_archived`, `tier_mint_mismatch`, `subscription_paused`,
   * `subscription_canceling` and `authorization_exhausted`.
   */
  changeTier(merchant: Merchant, id: string, tierId: string): Promise<BillingSubscription>
  /** Returns a link to the portal for 24 hours. Its holder cannot raise what is charged. */
  createPortalLink(merchant: Merchant, id: string): Promise<PortalLink>
  /** Returns the delegation of a subscription that was found for the caller. */
  delegationOf(subscription: BillingSubscription): Promise<BusinessDelegation>
  /**
   * Returns the newest delegation of a wallet that has a subscription of the business. Throws `delegation_not_found` without
   * one, and for a text that is no address.
   */
  delegationOfWallet(merchant: Merchant, wallet: string): Promise<BusinessDelegation>
  /** Returns the number of live subscriptions of the business on the delegation. */
  countLiveOn(delegation: BusinessDelegation): Promise<number>
}

export type SubscriptionDeps = DecideDeps &
  LinkDeps & {
    readonly chainOf: (network: Network) => ChainClock
    readonly delegationLookup: DelegationLookup
    readonly subscriptionTiers: Pick<SubscriptionTierStore, 'find'>
  }

export function createSubscriptionServices(deps: SubscriptionDeps): SubscriptionServices {
  const { billing, delegationLookup } = deps
  const findSubscription: SubscriptionServices['findSubscription'] = async (merchant, id) => {
    const facts = isUuid(id) ? await billing.facts(id) : null
    if (facts === null || !isOf(merchant, facts.subscription)) throw notFound()
    return facts.subscription
  }
  return {
    findSubscription,

    cancelSubscription: (merchant, id, atPeriodEnd) =>
      change(deps, merchant, id, (facts) => decideCancel(facts, atPeriodEnd, 'business', contextOf(deps))),
    pauseSubscription: (merchant, id) =>
      change(deps, merchant, id, (facts) => decidePause(facts, 'business', contextOf(deps))),
    resumeSubscription: (merchant, id) =>
      change(deps, merchant, id, async (facts) =>
        decideResume(facts, 'business', await periodContextOf(deps, networkOf(facts))),
      ),
    chargeNow: (merchant, id) =>
      change(deps, merchant, id, async (facts) =>
        decideChargeNow(facts, await periodContextOf(deps, networkOf(facts))),
      ),
    changeTier: (merchant, id, tierId) =>
      change(deps, merchant, id, async (facts) => decideTierChange(deps, facts, await tierOf(deps, merchant, tierId))),

    async createPortalLink(merchant, id) {
      const subscription = await findSubscription(merchant, id)
      const refusal = refusalOf(subscription, 'subscription_incomplete', 'subscription_ended')
      if (refusal !== null) throw new ServiceError(refusal.code, refusal.context)
      const [link] = await issueLinks(deps, 'merchant', [subscription.id])
      if (link === undefined) throw new Error('a link for each subscription')
      return link
    },

    async delegationOf({ delegationId, accountId }) {
      const delegation = await delegationLookup.find(delegationId)
      if (delegation === null) throw new Error(`no delegation ${delegationId}`)
      return { ...delegation, accountId }
    },

    async delegationOfWallet({ tenant }, wallet) {
      const [delegation] = isAddress(wallet) ? await delegationLookup.ofMerchant(tenant, wallet) : []
      if (delegation === undefined) throw new ServiceError('delegation_not_found')
      return { ...delegation, accountId: tenant.accountId }
    },

    countLiveOn: ({ id, accountId }) => delegationLookup.countLive({ delegationId: id, accountId }),
  }
}

const networkOf = ({ subscription }: BillingFacts): Network => subscription.network

const notFound = () => new ServiceError('subscription_not_found')

const isOf = ({ tenant }: Merchant, { accountId, network }: BillingSubscription): boolean =>
  accountId === tenant.accountId && network === tenant.network

/** Applies a decision to a subscription of the business. */
async function change(
  deps: DecideDeps,
  merchant: Merchant,
  id: string,
  decide: (facts: BillingFacts) => Decision | Promise<Decision>,
): Promise<BillingSubscription> {
  if (!isUuid(id)) throw notFound()
  const after = await decideSubscription(deps, id, (facts) => {
    if (!isOf(merchant, facts.subscription)) throw notFound()
    return decide(facts)
  })
  if (after === null) throw notFound()
  return after
}

/** Throws `invalid_tier_id` and `tier_not_found`. */
async function tierOf(
  { subscriptionTiers }: Pick<SubscriptionDeps, 'subscriptionTiers'>,
  { tenant }: Merchant,
  tierId: string,
): Promise<Tier> {
  requireTierId(tierId)
  const tier = await subscriptionTiers.find(tenant, tierId)
  if (tier === null) throw new ServiceError('tier_not_found')
  return tier
}

/** A business has no proof of the wallet, so it cannot raise. */
async function decideTierChange(deps: SubscriptionDeps, facts: BillingFacts, tier: Tier): Promise<Decision> {
  const context = await periodContextOf(deps, networkOf(facts))
  const judged = judgeTermChange(facts, { kind: 'change', tier })
  if (judged.kind === 'refused') return judged
  if (judged.kind !== 'changed') return refused('wallet_proof_required')
  const next = await termsOf(deps, networkOf(facts), tier)
  return decideTermChange(facts, { kind: 'change', agreed: judged.terms, next }, { by: 'nothing' }, context)
}
