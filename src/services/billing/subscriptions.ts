// Subscriptions, as the business that they belong to reads and manages them.
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decideChargeNow, decidePause, decideResume } from '#core/billing/machine/manage.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegationLookup } from '#ports/billing.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import { contextOf, type DecideDeps, decideSubscription } from '#services/billing/decide.ts'
import type { SubscriptionServices } from '#services/billing/subscription-services.ts'
import { isUuid } from '#services/uuid.ts'

export type SubscriptionDeps = DecideDeps & { readonly delegationLookup: DelegationLookup }

export function createSubscriptionServices(deps: SubscriptionDeps): SubscriptionServices {
  const { billing, delegationLookup } = deps
  return {
    async findSubscription(merchant, id) {
      const facts = isUuid(id) ? await billing.facts(id) : null
      if (facts === null || !isOf(merchant, facts.subscription)) throw notFound()
      return facts.subscription
    },

    cancelSubscription: (merchant, id, atPeriodEnd) =>
      change(deps, merchant, id, (facts, context) => decideCancel(facts, atPeriodEnd, context)),
    pauseSubscription: (merchant, id) => change(deps, merchant, id, decidePause),
    resumeSubscription: (merchant, id) => change(deps, merchant, id, decideResume),
    chargeNow: (merchant, id) => change(deps, merchant, id, decideChargeNow),

    async delegationOf({ delegationId }) {
      const delegation = await delegationLookup.find(delegationId)
      if (delegation === null) throw new Error(`no delegation ${delegationId}`)
      return delegation
    },

    async delegationOfWallet({ tenant }, wallet) {
      const [delegation] = await delegationLookup.ofMerchant(tenant, wallet)
      if (delegation === undefined) throw new ServiceError('delegation_not_found')
      return delegation
    },
  }
}

const notFound = () => new ServiceError('subscription_not_found')

const isOf = ({ tenant }: Merchant, { accountId, network }: BillingSubscription): boolean =>
  accountId === tenant.accountId && network === tenant.network

/** Applies a decision to a subscription of the business. */
async function change(
  deps: DecideDeps,
  merchant: Merchant,
  id: string,
  decide: (facts: BillingFacts, context: BillingContext) => Decision,
): Promise<BillingSubscription> {
  if (!isUuid(id)) throw notFound()
  const after = await decideSubscription(deps, id, (facts) => {
    if (!isOf(merchant, facts.subscription)) throw notFound()
    return decide(facts, contextOf(deps))
  })
  if (after === null) throw notFound()
  return after
}
