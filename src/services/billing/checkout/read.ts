// Shows a checkout to the person who subscribes.
import { firstChargeOf } from '#core/billing/first-charge.ts'
import { subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'

export function viewOf({ intent, product, tier, merchantName, firstCharge }: StoredCheckout, now: Date): CheckoutView {
  const periods = BigInt(tier.authorizationPeriods)
  return {
    intent,
    status: subscriptionIntentStatus(intent, now),
    merchantName,
    product,
    tier,
    totalAuthorization: { usdCents: tier.priceUsdCents * periods, baseUnits: tier.unitBaseUnits * periods },
    firstCharge: firstCharge === null ? null : firstChargeOf(firstCharge),
  }
}
