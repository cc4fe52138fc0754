import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import type { ApprovalEnd } from '#core/billing/approval.ts'
import { IS_LIVE } from './approval-row.ts'

/** Ends an approve. Throws VersionConflict when another worker did. */
export async function writeApprovalEnd(tx: Tx, { approvalId, state, slot, error, at }: ApprovalEnd): Promise<void> {
  const { count } = await tx.approval.updateMany({
    where: { id: approvalId, state: IS_LIVE },
    data: { state, slot, error, resolvedAt: at },
  })
  if (count !== 1) throw new VersionConflict()
}
