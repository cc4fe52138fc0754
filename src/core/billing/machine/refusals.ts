// The refusals of the management of a subscription, by its status. Spec: "Errors".
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'

type Refusal = Extract<Decision, { kind: 'refused' }>

const REFUSED_IN = {
  subscription_incomplete: ['incomplete'],
  subscription_ended: ['canceled', 'failed'],
  authorization_exhausted: ['revoked', 'exhausted'],
  subscription_paused: ['paused'],
} as const satisfies Readonly<Record<string, readonly SubscriptionStatus[]>>

const SHOWS_STATUS: ReadonlySet<string> = new Set(['subscription_ended', 'authorization_exhausted'])

export type ManagementRefusal = keyof typeof REFUSED_IN | 'subscription_canceling'

/** Returns the first of the refusals that applies to the subscription; null when none does. */
export function refusalOf(
  { status, cancelAtPeriodEnd }: BillingSubscription,
  ...codes: readonly ManagementRefusal[]
): Refusal | null {
  const code = codes.find((one) =>
    one === 'subscription_canceling' ? cancelAtPeriodEnd : REFUSED_IN[one].some((refusing) => refusing === status),
  )
  return code === undefined ? null : { kind: 'refused', code, context: SHOWS_STATUS.has(code) ? { status } : {} }
}
