// Sends an approve of a change of terms, or a revocation, that the owner of the wallet has signed.
import type { ApprovalPurpose } from '#core/billing/approval.ts'
import { refusalOf } from '#core/billing/machine/manage.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/checkouts.ts'
import { storeSigned } from '#services/billing/approvals/send.ts'
import { isUuid } from '#services/requests.ts'
import { type PortalDeps, requireOwned, sessionOf } from './deps.ts'
import type { Activated } from './portal-services.ts'

type Given = { readonly approvalId: string; readonly transaction: Uint8Array }

/** The purposes of the portal. An approve of a checkout belongs to the page of that. */
type PortalPurpose = Exclude<ApprovalPurpose, { readonly kind: 'checkout' }>

/** Implements `PortalServices.activateInPortal`. */
export async function activateApproval(
  deps: PortalDeps,
  token: string,
  { approvalId, transaction }: Given,
): Promise<Activated | null> {
  const session = await sessionOf(deps, token)
  const { found, purpose } = await approvalOf(deps, session, approvalId)
  if (!(await storeSigned(deps, found, transaction))) await requireSent(deps, approvalId)
  const ended = await deps.waitForEnd(deps, approvalId)
  if (ended === null) return null
  if (ended.state === 'dead') throw new ServiceError('blockhash_expired')
  if (ended.state === 'final_err') throw new ServiceError('authorization_required')
  return await activatedBy(deps, session.subscriptionId, purpose)
}

/**
 * Throws `wallet_proof_required` for a link of the business, unless the transaction is a revocation, and `subscription_changed`
 * for a transaction that is not one of the subscription.
 */
async function approvalOf(
  deps: PortalDeps,
  session: PortalSession,
  approvalId: string,
): Promise<{ readonly found: DelegatedApproval; readonly purpose: PortalPurpose }> {
  const found = isUuid(approvalId) ? await deps.approvals.find(approvalId) : null
  if (found?.approval.purpose.kind !== 'revoke') requireOwned(session)
  if (found === null || found.approval.subscriptionId !== session.subscriptionId)
    throw new ServiceError('subscription_changed')
  const { purpose } = found.approval
  if (purpose.kind === 'checkout') throw new ServiceError('subscription_changed')
  return { found, purpose }
}

/** An approve that was not sent before is not sent after the subscription has changed. */
async function requireSent(deps: PortalDeps, approvalId: string): Promise<void> {
  const found = await deps.approvals.find(approvalId)
  if (found?.approval.state === 'prepared') throw new ServiceError('subscription_changed')
}

/**
 * After an approve that is final, throws `subscription_ended`, and `subscription_changed` when the subscription is not on its tier:
 * nothing is charged by it then.
 */
async function activatedBy(deps: PortalDeps, subscriptionId: string, purpose: PortalPurpose): Promise<Activated> {
  const facts = await deps.billing.facts(subscriptionId)
  if (facts === null) throw new Error(`no subscription ${subscriptionId}`)
  const { subscription } = facts
  if (purpose.kind === 'revoke') return { outcome: 'revoked', subscription }
  const refusal = refusalOf(subscription, 'subscription_ended')
  if (refusal !== null) throw new ServiceError(refusal.code, refusal.context)
  if (purpose.kind === 'renew') return { outcome: 'renewed', subscription }
  if (subscription.tierId !== purpose.agreed.tierId) throw new ServiceError('subscription_changed')
  return { outcome: 'changed', subscription }
}
