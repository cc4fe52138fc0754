// Slices of a delegation, and the room for another slice. docs/billing.md, "Authorization".
import type { SubscriptionStatus } from '#core/billing/subscription.ts'
import type { BaseUnits } from '#core/money/amounts.ts'

/** The part of a delegation that belongs to one subscription. Amounts are in base units. */
export type Slice = {
  readonly subscriptionId: string
  readonly status: SubscriptionStatus
  /** What is authorized and not pulled yet. */
  readonly remaining: BaseUnits
  /** The amount of a charge under way, which the chain may have moved already; it is a part of `remaining`. */
  readonly inFlight: BaseUnits
  readonly createdAt: Date
}
