// Sends the approve of a change of terms that the owner of the wallet has signed.
import type { TermChangePurpose } from '#core/billing/approval.ts'
import { refusalOf } from '#core/billing/machine/refusals.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import { sendSigned, waitForEnd } from '#services/billing/approvals/send.ts'
import { isUuid } from '#services/uuid.ts'
import { requireIncrease } from './change-terms.ts'
import { type PortalDeps, sessionOf } from './deps.ts'
import type { ChangedTerms } from './portal-services.ts'

type Given = { readonly approvalId: string; readonly transaction: Uint8Array }

/** Implements `PortalServices.activateInPortal`. */
export async function activateTerms(
  deps: PortalDeps,
  token: string,
  { approvalId, transaction }: Given,
): Promise<ChangedTerms | null> {
  const session = await sessionOf(deps, token)
  requireIncrease(session)
  const { found, purpose } = await approvalOf(deps, session.subscriptionId, approvalId)
  if (!(await sendSigned(deps, found, transaction))) await requireSent(deps, approvalId)
  const ended = await waitForEnd(deps, approvalId)
  if (ended === null) return null
  if (ended.state === 'dead') throw new ServiceError('blockhash_expired')
  if (ended.state === 'final_err') throw new ServiceError('authorization_required')
  return await changedBy(deps, session.subscriptionId, purpose)
}

/** Throws `subscription_changed` for an approve that is not one of the subscription. */
async function approvalOf(
  deps: PortalDeps,
  subscriptionId: string,
  approvalId: string,
): Promise<{ readonly found: DelegatedApproval; readonly purpose: TermChangePurpose }> {
  const found = isUuid(approvalId) ? await deps.approvals.find(approvalId) : null
  if (found === null || found.approval.subscriptionId !== subscriptionId) throw new ServiceError('subscription_changed')
  const { purpose } = found.approval
  if (purpose.kind === 'checkout') throw new ServiceError('subscription_changed')
  return { found, purpose }
}

/** An approve that was not sent before is not sent after the subscription has changed. */
async function requireSent(deps: PortalDeps, approvalId: string): Promise<void> {
  const found = await deps.approvals.find(approvalId)
  if (found?.approval.state === 'prepared') throw new ServiceError('subscription_changed')
}

/** Throws `subscription_ended`: then the approve is final, and nothing is charged by it. */
async function changedBy(deps: PortalDeps, subscriptionId: string, { kind }: TermChangePurpose): Promise<ChangedTerms> {
  const facts = await deps.billing.facts(subscriptionId)
  if (facts === null) throw new Error(`no subscription ${subscriptionId}`)
  const refusal = refusalOf(facts.subscription, 'subscription_ended')
  if (refusal !== null) throw new ServiceError(refusal.code, refusal.context)
  return { outcome: kind === 'change' ? 'changed' : 'renewed', subscription: facts.subscription }
}
