// Writes entries of the audit trail within the transaction of the change that they describe.
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { NewAuditEntry } from '#core/marketplace/audit.ts'
import type { Authorship } from '#ports/marketplaces.ts'

/** Appends the entries in their order. */
export async function writeAudit(
  tx: Tx,
  marketplaceAccountId: string,
  { actor, at }: Authorship,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  if (entries.length === 0) return
  await tx.auditEntry.createMany({
    data: entries.map(({ action, sellerId, changes }) => ({
      marketplaceAccountId,
      sellerAccountId: sellerId,
      action,
      actorKind: actor.kind,
      actorCredential: actor.credential,
      actorIp: actor.ip,
      changes,
      createdAt: at,
    })),
  })
}
