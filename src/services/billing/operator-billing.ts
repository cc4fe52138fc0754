// Subscriptions and charges, as the operator reads them, and the retry of a failed charge.
import { DAY_MS } from '#core/billing/calendar.ts'
import { later } from '#core/billing/dunning.ts'
import { decideChargeRetry } from '#core/billing/machine/manage.ts'
import { ServiceError } from '#core/errors.ts'
import type { ApprovalStore } from '#ports/checkouts.ts'
import type { ListedCharge, OperatorBillingStore } from '#ports/operator-billing.ts'
import { contextOf, type DecideDeps, decideSubscription } from '#services/billing/decide.ts'
import type { OperatorBillingServices } from '#services/billing/operator-billing-services.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'
import { isUuid } from '#services/requests.ts'

export type OperatorBillingDeps = DecideDeps & {
  readonly operatorBilling: OperatorBillingStore
  readonly approvals: Pick<ApprovalStore, 'countEnds'>
}

export function createOperatorBillingServices(deps: OperatorBillingDeps): OperatorBillingServices {
  const { operatorBilling: store } = deps
  const chargeOf = async (id: string): Promise<ListedCharge> => {
    const charge = isUuid(id) ? await store.charge(id) : null
    if (charge === null) throw new ServiceError('charge_not_found')
    return charge
  }
  return {
    subscriptions: (filter) => store.subscriptions(filter),

    async subscription(id) {
      const subscription = isUuid(id) ? await store.subscription(id) : null
      if (subscription === null) throw new ServiceError('subscription_not_found')
      return subscription
    },

    charges: (filter) => store.charges(filter),
    charge: chargeOf,

    async retryCharge(id) {
      const { subscriptionId } = await chargeOf(id)
      await decideSubscription(deps, subscriptionId, (facts) => decideChargeRetry(facts, id, contextOf(deps)))
      return await chargeOf(id)
    },

    approvalEnds: () => deps.approvals.countEnds(BILLING_NETWORK, later(deps.clock.now(), -DAY_MS)),
  }
}
