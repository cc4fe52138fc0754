// The services of the hosted checkout.
import { isLiveApproval, messageOf } from '#core/billing/approval.ts'
import { DAY_MS } from '#core/billing/calendar.ts'
import { later } from '#core/billing/dunning.ts'
import { type FirstCharge, firstChargeOf } from '#core/billing/first-charge.ts'
import { decideRetry } from '#core/billing/machine/manage.ts'
import { subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval, StoredCheckout } from '#ports/checkouts.ts'
import { storeSigned } from '#services/billing/approvals/send.ts'
import { refreshReading } from '#services/billing/charging/check-delegations.ts'
import { totalAuthorizationOf, trialDaysOf } from '#services/billing/checkout/basis.ts'
import { findUsable } from '#services/billing/coupons.ts'
import { contextOf, decideSubscription } from '#services/billing/decide.ts'
import { BILLING_NETWORK, requireBilling } from '#services/billing/terms.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { ActivatedCheckout, CheckoutServices, CheckoutView } from './checkout-services.ts'
import { confirmCheckout } from './confirm.ts'
import { type CheckoutDeps, chainOfBilling, checkoutOf, requireOpen, requirePreparable } from './deps.ts'
import { prepareCheckout } from './prepare.ts'

// Sends the transaction that the owner of a wallet has signed, and waits for the completion of its checkout.

type Given = { readonly subscriptionId: string; readonly transaction: Uint8Array }

/** Implements `CheckoutServices.activateCheckout`. */
async function activateCheckout(
  deps: CheckoutDeps,
  token: string,
  { subscriptionId, transaction }: Given,
): Promise<ActivatedCheckout> {
  const checkout = await checkoutOf(deps, token)
  const { intent } = checkout
  if (intent.subscriptionId !== subscriptionId) throw new ServiceError('subscription_not_found')
  const found = await deps.approvals.findByMessage(intent.id, messageOf(transaction))
  if (intent.status === 'completed' && (found === null || !isLiveApproval(found.approval))) {
    requireSubscriber(intent, found)
    return { status: 'completed', subscriptionId }
  }
  if (found === null) throw new ServiceError('invalid_signature')
  // An approve that was sent in time completes its checkout after the expiry, too.
  if (found.approval.state !== 'sent') requirePreparable(checkout, deps.clock.now())
  await storeSigned(deps, found, transaction)
  const ended = await deps.waitForEnd(deps, found.approval.id)
  if (ended === null) return { status: 'confirmation_pending', subscriptionId }
  return { status: await outcomeOf(deps, intent, { ...found, approval: ended }), subscriptionId }
}

/** Throws `checkout_completed` for an approve of another wallet than the one that has subscribed. */
function requireSubscriber({ subscriberWallet }: StoredCheckout['intent'], found: DelegatedApproval | null): void {
  if (found !== null && found.delegation.wallet !== subscriberWallet) throw new ServiceError('checkout_completed')
}

/** Throws `blockhash_expired` or `authorization_required` for an approve that completed nothing: another one is prepared. */
async function outcomeOf(
  deps: CheckoutDeps,
  { id, status }: StoredCheckout['intent'],
  ended: DelegatedApproval,
): Promise<'completed'> {
  const { state } = ended.approval
  const checkout = await deps.checkouts.find(id)
  // Another authorization of a completed checkout counts only when it has landed itself.
  const counts = status !== 'completed' || state === 'final_ok'
  if (counts && checkout?.intent.status === 'completed') {
    requireSubscriber(checkout.intent, ended)
    return 'completed'
  }
  if (state === 'dead') throw new ServiceError('blockhash_expired')
  const isOpen = checkout !== null && subscriptionIntentStatus(checkout.intent, deps.clock.now()) === 'open'
  throw new ServiceError(state === 'final_ok' && !isOpen ? 'checkout_closed' : 'authorization_required')
}

// Shows a checkout to the person who subscribes.

/** Implements `CheckoutServices.readCheckout`. A wallet that has prepared the checkout is read on the chain. */
async function readCheckout(deps: CheckoutDeps, token: string): Promise<CheckoutView> {
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

async function viewOf(deps: CheckoutDeps, checkout: StoredCheckout): Promise<CheckoutView> {
  const { intent, product, tier, coupon, acceptsCoupons, merchantName, firstCharge, trialEndsAt } = checkout
  const now = deps.clock.now()
  const status = subscriptionIntentStatus(intent, now)
  const trialDays = await shownTrialDays(deps, checkout)
  return {
    intent,
    status,
    merchantName,
    product,
    tier,
    coupon,
    acceptsCoupons,
    totalAuthorization: totalAuthorizationOf(checkout),
    firstCharge: firstCharge === null ? null : firstChargeOf(firstCharge, await chainOfBilling(deps)),
    trialDays,
    trialEndsAt: trialEndsAt ?? (status === 'open' && trialDays > 0 ? later(now, trialDays * DAY_MS) : null),
  }
}

/** The trial of the subscription, of the wallet that is known, or of any wallet. */
async function shownTrialDays(deps: CheckoutDeps, checkout: StoredCheckout): Promise<number> {
  const { intent, tier, trialEndsAt } = checkout
  if (intent.status === 'completed') return trialEndsAt === null ? 0 : tier.trialDays
  return intent.subscriberWallet === null ? tier.trialDays : await trialDaysOf(deps, checkout, intent.subscriberWallet)
}

// Enters the code of a coupon.

/** Implements `CheckoutServices.enterCoupon`. What the wallet signs after it says the new price: it names the terms. */
function enterCoupon(deps: CheckoutDeps, token: string, code: string | null): Promise<CheckoutView> {
  return retryWhenChanged(async () => {
    const checkout = await checkoutOf(deps, token)
    requireOpen(checkout, deps.clock.now())
    const { intent, product } = checkout
    const { id: intentId, accountId, walletPinned, subscriberWallet } = intent
    const wallet = walletPinned ? subscriberWallet : null
    const coupon =
      code === null ? null : await findUsable(deps, code, { accountId, productId: product.id, intentId, wallet })
    const couponId = coupon?.id ?? null
    if (couponId === intent.couponId) return await viewOf(deps, checkout)
    const after = { ...intent, couponId, version: intent.version + 1, updatedAt: deps.clock.now() }
    const entered = await deps.checkouts.enterCoupon({ before: intent, after })
    if (entered === 'pending') throw new ServiceError('authorization_pending')
    return entered === 'stored' ? await viewOf(deps, await checkoutOf(deps, token)) : CHANGED_MEANWHILE
  })
}

// Tries a first charge that failed once more.

/** Implements `CheckoutServices.retryCheckout`. A checkout without a subscription has no charge to try. */
async function retryCheckout(deps: CheckoutDeps, token: string): Promise<FirstCharge> {
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

/** `deps` is null while recurring billing is disabled. */
export function createCheckoutServices(deps: CheckoutDeps | null): CheckoutServices {
  const enabled = (): CheckoutDeps => requireBilling(deps)
  return {
    readCheckout: async (token) => await readCheckout(enabled(), token),
    enterCoupon: async (token, code) => await enterCoupon(enabled(), token, code),
    prepareCheckout: async (token, wallet) => await prepareCheckout(enabled(), token, wallet),
    activateCheckout: async (token, given) => await activateCheckout(enabled(), token, given),
    confirmCheckout: async (token, given) => await confirmCheckout(enabled(), token, given),
    retryCheckout: async (token) => await retryCheckout(enabled(), token),
  }
}
