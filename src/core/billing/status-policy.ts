// The properties of each status of a subscription that decisions and views ask for.
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'

type Policy = {
  /** Charges are made as their times come, unless the subscription ends with its period. */
  readonly isCharging: boolean
  /** The subscriber and the business can manage it. Spec: "Subscription resources", `manageable`. */
  readonly isLive: boolean
  /** Nothing changes it any more. */
  readonly isFinal: boolean
  /** It becomes `revoked` when the allowance no longer covers it. */
  readonly isRevocable: boolean
}

const CHARGED: Policy = { isCharging: true, isLive: true, isFinal: false, isRevocable: true }
const STOPPED: Policy = { isCharging: false, isLive: true, isFinal: false, isRevocable: false }
const ENDED: Policy = { isCharging: false, isLive: false, isFinal: true, isRevocable: false }

export const SUBSCRIPTION_POLICY: Readonly<Record<SubscriptionStatus, Policy>> = {
  incomplete: { isCharging: true, isLive: false, isFinal: false, isRevocable: false },
  active: CHARGED,
  renewal_required: CHARGED,
  past_due: CHARGED,
  paused: STOPPED,
  revoked: STOPPED,
  exhausted: STOPPED,
  canceled: ENDED,
  failed: ENDED,
}

/** Returns whether charges are made as their times come. A subscription that ends with its period is charged no more. */
export const isCharging = ({
  status,
  cancelAtPeriodEnd,
}: Pick<BillingSubscription, 'status' | 'cancelAtPeriodEnd'>): boolean =>
  SUBSCRIPTION_POLICY[status].isCharging && !cancelAtPeriodEnd
