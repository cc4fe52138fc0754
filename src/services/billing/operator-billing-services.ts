// What the operator reads of subscriptions and charges, and the retry of a failed charge.
import type { ApprovalEnds } from '#core/billing/approval.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { ChargeFilter, ListedCharge, SubscriptionFilter } from '#ports/operator-billing.ts'

export type OperatorBillingServices = {
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
