// Subscriptions, as the business that they belong to reads and manages them.
import { type Decision, refused } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decideChargeNow, decidePause, decideResume } from '#core/billing/machine/manage.ts'
import { refusalOf } from '#core/billing/machine/refusals.ts'
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
import type { Merchant } from '#services/billing/billing-services.ts'
import { contextOf, type DecideDeps, decideSubscription, periodContextOf, termsOf } from '#services/billing/decide.ts'
import { issueLinks, type LinkDeps } from '#services/billing/portal/links.ts'
import type { SubscriptionServices } from '#services/billing/subscription-services.ts'
import { isUuid, requireTierId } from '#services/requests.ts'

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
