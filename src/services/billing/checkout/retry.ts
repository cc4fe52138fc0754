// Tries a first charge that failed once more.
import { type FirstCharge, firstChargeOf } from '#core/billing/first-charge.ts'
import { decideRetry } from '#core/billing/machine/manage.ts'
import { ServiceError } from '#core/errors.ts'
import { type CheckoutDeps, chainOfBilling, checkoutOf, requireOpen } from '#services/billing/checkout/deps.ts'
import { contextOf, decideSubscription } from '#services/billing/decide.ts'

/** Implements `CheckoutServices.retryCheckout`. A checkout without a subscription has no charge to try. */
export async function retryCheckout(deps: CheckoutDeps, token: string): Promise<FirstCharge> {
  const checkout = await checkoutOf(deps, token)
  const { intent, firstCharge } = checkout
  if (firstCharge === null || intent.subscriptionId === null) {
    requireOpen(checkout, deps.clock.now())
    throw new ServiceError('authorization_required')
  }
  await decideSubscription(deps, intent.subscriptionId, (facts) => decideRetry(facts, contextOf(deps)))
  const { firstCharge: charge } = await checkoutOf(deps, token)
  return firstChargeOf(charge ?? firstCharge, await chainOfBilling(deps))
}
