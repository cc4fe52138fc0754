// Checkouts of subscriptions, as businesses create and cancel them.
import { noticeOfCheckout } from '#adapters/prisma/billing/write-decided.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { SubscriptionIntentStore } from '#ports/catalogue.ts'
import { SUBSCRIPTION_INTENTS } from './tables.ts'

/** The hash of the token is never read: a checkout is found by it. */
export const INTENT_OMIT = { tokenHash: true } as const

export function createSubscriptionIntentStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionIntentStore {
  return {
    async find({ accountId }, id) {
      const row = await prisma.subscriptionIntent.findFirst({ where: { id, accountId }, omit: INTENT_OMIT })
      return row === null ? null : SUBSCRIPTION_INTENTS.fromRow(row)
    },

    create: ({ accountId }, intent, tokenHash) =>
      prisma.$transaction(async (tx) => {
        // An archive of the tier, of its product or of the seller waits for this transaction, or this one sees it.
        const [sold] = await tx.$queryRaw<{ tier_archived: boolean; seller_archived: boolean }[]>`
          SELECT tier.archived_at IS NOT NULL AS tier_archived, account.archived_at IS NOT NULL AS seller_archived
          FROM subscription_tiers tier JOIN accounts account ON account.id = tier.account_id
          WHERE tier.id = ${intent.tierId}::uuid FOR SHARE`
        if (sold?.seller_archived === true) return 'seller_archived'
        if (sold?.tier_archived !== false) return 'tier_archived'
        await tx.subscriptionIntent.create({
          data: { ...intent, accountId, tokenHash: Uint8Array.from(tokenHash) },
        })
        return 'created'
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
