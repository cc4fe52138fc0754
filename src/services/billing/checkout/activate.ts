// Sends the transaction that the owner of a wallet has signed, and waits for the completion of its checkout.
import { type Approval, isLiveApproval, planOfApproval } from '#core/billing/approval.ts'
import { acceptOwnerSigned, feePayerSignatureOf, messageOf } from '#core/billing/approve.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import type { ActivatedCheckout } from '#services/billing/checkout/checkout-services.ts'
import { type CheckoutDeps, checkoutOf, requireOpen } from '#services/billing/checkout/deps.ts'
import { observeApprovals, sendApproval, settleApproval } from '#services/billing/checkout/settle-approval.ts'

/** 15 seconds in all. */
const CHECKS = 30
const CHECK_MS = 500

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
  if (intent.status === 'completed') return { status: 'completed', subscriptionId }
  const found = await deps.approvals.findByMessage(intent.id, messageOf(transaction))
  if (found === null) throw new ServiceError('invalid_signature')
  // An approve that was sent in time completes its checkout after the expiry, too.
  if (found.approval.state !== 'sent') requireOpen(checkout, deps.clock.now())
  const wire = await accepted(deps, found, transaction)
  if (isLiveApproval(found.approval) && (await deps.approvals.recordSigned(found.approval.id, wire, deps.clock.now())))
    await sendApproval(deps, found.approval, wire)
  return { status: await waitForCompletion(deps, checkout, found.approval), subscriptionId }
}

/** Returns the bytes to send. Throws `invalid_signature` for anything but the stored message with the owner's signature. */
async function accepted(deps: CheckoutDeps, { approval, delegation }: DelegatedApproval, given: Uint8Array) {
  const sponsored = await deps.signer.sponsor(planOfApproval(approval, delegation), approval.message)
  if ('refused' in sponsored) throw new Error(`the sponsor refused an approve: ${sponsored.refused}`)
  const stored = {
    message: approval.message,
    owner: delegation.wallet,
    feePayerSignature: feePayerSignatureOf(sponsored.wire),
  }
  const signed = acceptOwnerSigned(stored, given, deps.verify)
  if ('refused' in signed) throw new ServiceError('invalid_signature', { rule: signed.refused })
  return signed.wire
}

async function waitForCompletion(
  deps: CheckoutDeps,
  { intent }: StoredCheckout,
  { id }: Approval,
): Promise<ActivatedCheckout['status']> {
  for (let check = 0; ; check += 1) {
    const found = await deps.approvals.find(id)
    if (found === null) throw new Error(`no approval ${id}`)
    if (!isLiveApproval(found.approval)) return await outcomeOf(deps, intent.id, found.approval)
    if (check === CHECKS) return 'confirmation_pending'
    if (check > 0) await deps.sleep(CHECK_MS)
    const [observed] = await observeApprovals(deps.chainOf(found.approval.network), [found.approval])
    if (observed !== undefined) await settleApproval(deps, found, observed)
  }
}

/** Throws `blockhash_expired` or `authorization_required` for an approve that completed nothing: another one is prepared. */
async function outcomeOf(deps: CheckoutDeps, intentId: string, { state }: Approval): Promise<'completed'> {
  const checkout = await deps.checkouts.find(intentId)
  if (checkout?.intent.status === 'completed') return 'completed'
  if (state === 'dead') throw new ServiceError('blockhash_expired')
  throw new ServiceError(state === 'final_ok' ? 'checkout_closed' : 'authorization_required')
}
