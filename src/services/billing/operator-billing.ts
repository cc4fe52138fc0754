// Subscriptions and charges, as the operator reads them, and the retry of a failed charge.

import type { ApprovalEnds } from '#core/billing/approval.ts'
import { DAY_MS } from '#core/billing/calendar.ts'
import { later } from '#core/billing/dunning.ts'
import { decideChargeRetry } from '#core/billing/machine/manage.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { ServiceError } from '#core/errors.ts'
import type { ApprovalStore } from '#ports/checkouts.ts'
import type { ChargeFilter, ListedCharge, OperatorBillingStore, SubscriptionFilter } from '#ports/operator-billing.ts'
import { isUuid } from '#services/requests.ts'
import { contextOf, type DecideDeps, decideSubscription } from './decide.ts'
import { BILLING_NETWORK } from './terms.ts'

// What the operator reads of subscriptions and charges, and the retry of a failed charge.

type OperatorBillingServices = {
  /** Returns subscriptions of all businesses, the newest first. */
  subscriptions(filter: SubscriptionFilter): Promise<readonly BillingSubscription[]>
  /** Throws `subscription_not_found`. */
  subscription(id: string): Promise<BillingSubscription>
  /** Returns charges of all businesses, the newest first. */
  charges(filter: ChargeFilter): Promise<readonly ListedCharge[]>
  /** Throws `charge_not_found`. */
  charge(id: string): Promise<ListedCharge>
  /** Tries a failed charge again. Throws `charge_not_found`, `charge_in_progress`, `charge_not_retryable`. */
  retryCharge(id: string): Promise<ListedCharge>
  /** Counts the approves and revocations that ended in the last 24 hours, by their end. */
  approvalEnds(): Promise<ApprovalEnds>
}

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
