// Sends an approve that the owner of a wallet has signed, and waits for its end.
import { type Approval, isLiveApproval, isSponsored, planOfApproval } from '#core/billing/approval.ts'
import { acceptOwnerSigned, feePayerSignatureOf } from '#core/billing/approve.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import { observeApprovals, sendApproval, settleApproval } from '#services/billing/approvals/settle-approval.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { sponsor } from './offer.ts'

/** 15 seconds in all. */
const CHECKS = 30
const CHECK_MS = 500

/**
 * Stores the transaction and sends it. Returns false, with nothing sent, when it is stored already, when it cannot land any more,
 * or when its subscription has changed since it was prepared. The wait for its end sends a stored transaction again.
 * Throws `invalid_signature` for anything but the stored message with the signature of its owner.
 */
export async function sendSigned(deps: CheckoutDeps, found: DelegatedApproval, given: Uint8Array): Promise<boolean> {
  const { approval } = found
  if (!isSponsored(approval)) throw new ServiceError('invalid_signature', { rule: 'the transaction was never shown' })
  const wire = await accepted(deps, found, given)
  if (!(await deps.approvals.recordSigned(approval.id, wire, deps.clock.now()))) return false
  await sendApproval(deps, approval, wire)
  return true
}

async function accepted(
  deps: CheckoutDeps,
  { approval, delegation }: DelegatedApproval,
  given: Uint8Array,
): Promise<Uint8Array> {
  const sponsored = await sponsor(deps, planOfApproval(approval, delegation), approval.message)
  const stored = {
    message: approval.message,
    owner: delegation.wallet,
    feePayerSignature: feePayerSignatureOf(sponsored.wire),
  }
  const signed = acceptOwnerSigned(stored, given, deps.verify)
  if ('refused' in signed) throw new ServiceError('invalid_signature', { rule: signed.refused })
  return signed.wire
}

/** Waits for the end of an approve as `waitForEnd` does. Requests for one approve share a wait, whenever they come. */
export type WaitForEnd = (deps: CheckoutDeps, approvalId: string) => Promise<Approval | null>

export function createSharedWait(): WaitForEnd {
  const underWay = new Map<string, Promise<Approval | null>>()
  return (deps, approvalId) => {
    const shared = underWay.get(approvalId)
    if (shared !== undefined) return shared
    const own = waitForEnd(deps, approvalId).finally(() => underWay.delete(approvalId))
    underWay.set(approvalId, own)
    return own
  }
}

/** Returns the approve once it has ended; null while it may still land after the wait. */
async function waitForEnd(deps: CheckoutDeps, approvalId: string): Promise<Approval | null> {
  for (let check = 0; ; check += 1) {
    const found = await deps.approvals.find(approvalId)
    if (found === null) throw new Error(`no approval ${approvalId}`)
    if (!isLiveApproval(found.approval)) return found.approval
    if (check === CHECKS) return null
    if (check > 0) await deps.sleep(CHECK_MS)
    const [observed] = await observeApprovals(deps.chainOf(found.approval.network), [found.approval])
    if (observed !== undefined) await settleApproval(deps, found, observed)
  }
}
