// Stores an approve that the owner of a wallet has signed, and waits for its end.
import {
  type Approval,
  acceptOwnerSigned,
  feePayerSignatureOf,
  isLiveApproval,
  isSponsored,
  planOfApproval,
} from '#core/billing/approval.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/checkouts.ts'
import { stepApprovals } from '#services/billing/approvals/settle.ts'
import type { CheckoutDeps, WaitForEnd } from '#services/billing/checkout/deps.ts'
import { sponsor } from './offer.ts'

/** 15 seconds in all. */
const CHECKS = 30
const CHECK_MS = 500
const OUTAGES = ['chain_unavailable', 'database_unavailable'] as const

/**
 * Stores the transaction, which the wait for its end and the worker send. Returns false when it is stored already, and when
 * its subscription has changed since it was prepared. Throws `invalid_signature` for anything but the
 * stored message with the signature of its owner.
 */
export async function storeSigned(deps: CheckoutDeps, found: DelegatedApproval, given: Uint8Array): Promise<boolean> {
  const { approval } = found
  if (!isSponsored(approval)) throw new ServiceError('invalid_signature', { rule: 'the transaction was never shown' })
  return await deps.approvals.recordSigned(approval.id, await accepted(deps, found, given))
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

/** Requests of one instance for one approve share a wait, whenever they come. */
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

/**
 * Sends the approve until it has ended, and returns it then; null while it may still land after the wait. A provider or a database
 * that is away is no failure of the request: the transaction is stored, and the worker goes on.
 */
async function waitForEnd(deps: CheckoutDeps, approvalId: string): Promise<Approval | null> {
  try {
    for (let check = 0; ; check += 1) {
      const found = await deps.approvals.find(approvalId)
      if (found === null) throw new Error(`no approval ${approvalId}`)
      if (!isLiveApproval(found.approval)) return found.approval
      if (check === CHECKS) return null
      if (check > 0) await deps.sleep(CHECK_MS)
      await stepApprovals(deps, found.approval.network, [found.approval])
    }
  } catch (error) {
    if (OUTAGES.some((code) => hasCode(error, code))) return null
    throw error
  }
}
