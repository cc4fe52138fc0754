import { INTENT_OMIT } from '#adapters/prisma/billing/intent-row.ts'
import { noticeOfCheckout } from '#adapters/prisma/billing/write-decided.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { SubscriptionIntentStore } from '#ports/subscription-intents.ts'
import { SUBSCRIPTION_INTENTS } from './tables.ts'

export function createSubscriptionIntentStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionIntentStore {
  return {
    async find({ accountId }, id) {
      const row = await prisma.subscriptionIntent.findFirst({ where: { id, accountId }, omit: INTENT_OMIT })
      return row === null ? null : SUBSCRIPTION_INTENTS.fromRow(row)
    },

    create: ({ accountId }, intent, tokenHash) =>
      prisma.$transaction(async (tx) => {
        // An archive of the tier, or of its product, waits for this transaction, or this one sees it.
        const rows = await tx.$queryRaw<{ is_active: boolean }[]>`
          SELECT archived_at IS NULL AS is_active FROM subscription_tiers WHERE id = ${intent.tierId}::uuid FOR SHARE`
        if (rows[0]?.is_active !== true) return false
        await tx.subscriptionIntent.create({
          data: { ...intent, accountId, tokenHash: Uint8Array.from(tokenHash) },
        })
        return true
      }),

    replace: ({ accountId }, { id, status, canceledAt, updatedAt, version: next }, version) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.subscriptionIntent.updateMany({
          where: { id, accountId, version },
          data: { status, canceledAt, updatedAt, version: next },
        })
        if (count === 1) await noticeOfCheckout(tx, id)
        return count === 1
      }),
  }
}
