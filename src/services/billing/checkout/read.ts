// Shows a checkout to the person who subscribes.
import { firstChargeOf } from '#core/billing/first-charge.ts'
import { totalBaseUnits, totalUsdCents } from '#core/billing/new-tier.ts'
import { subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, chainOfBilling, checkoutOf } from '#services/billing/checkout/deps.ts'
import { refreshReading } from '#services/billing/refresh-reading.ts'
import { BILLING_NETWORK } from '#services/billing/terms.ts'

/** Implements `CheckoutServices.readCheckout`. A wallet that has prepared the checkout is read on the chain. */
export async function readCheckout(deps: CheckoutDeps, token: string): Promise<CheckoutView> {
  const checkout = await checkoutOf(deps, token)
  const { subscriberWallet } = checkout.intent
  const delegation =
    subscriberWallet === null
      ? null
      : await deps.checkouts.findDelegation(BILLING_NETWORK, subscriberWallet, checkout.tier.mint)
  if (delegation === null) return await viewOf(deps, checkout)
  await refreshReading(deps, delegation)
  return await viewOf(deps, await checkoutOf(deps, token))
}

async function viewOf(
  deps: CheckoutDeps,
  { intent, product, tier, merchantName, firstCharge }: StoredCheckout,
): Promise<CheckoutView> {
  return {
    intent,
    status: subscriptionIntentStatus(intent, deps.clock.now()),
    merchantName,
    product,
    tier,
    totalAuthorization: { usdCents: totalUsdCents(tier), baseUnits: totalBaseUnits(tier) },
    firstCharge: firstCharge === null ? null : firstChargeOf(firstCharge, await chainOfBilling(deps)),
  }
}
