// Sends the transaction that the owner of a wallet has signed, and waits for the completion of its checkout.
import { isLiveApproval } from '#core/billing/approval.ts'
import { messageOf } from '#core/billing/approve.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval, StoredCheckout } from '#ports/checkouts.ts'
import { storeSigned } from '#services/billing/approvals/send.ts'
import type { ActivatedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requirePreparable } from '#services/billing/checkout/deps.ts'

type Given = { readonly subscriptionId: string; readonly transaction: Uint8Array }

/** Implements `CheckoutServices.activateCheckout`. */
export async function activateCheckout(
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
  throw new ServiceError(state === 'final_ok' ? 'checkout_closed' : 'authorization_required')
}
