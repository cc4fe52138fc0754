import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Authorship, NewAuditEntry } from '#core/accounts/audit.ts'

/** Appends entries to the audit log of a business in their order, within the transaction of the change that they describe. */
export async function writeAudit(
  tx: Tx,
  accountId: string,
  { actor, at }: Authorship,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  if (entries.length === 0) return
  await tx.auditEntry.createMany({
    data: entries.map(({ action, sellerId, changes }) => ({
      accountId,
      sellerAccountId: sellerId,
      action,
      actorKind: actor.kind,
      actorCredential: actor.credential,
      actorMemberId: actor.memberId,
      actorIp: actor.ip,
      changes,
      createdAt: at,
    })),
  })
}
