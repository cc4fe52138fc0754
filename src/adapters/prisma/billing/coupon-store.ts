// The coupons of a business, and how often each is used. Nothing counts the uses but the subscriptions and approves themselves.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import { type Coupon, type CouponUses, isUsedUp } from '#core/billing/coupon.ts'
import type { CountedCoupon, SubscriptionCouponStore } from '#ports/catalogue.ts'
import { COUPONS } from './tables.ts'

/** A coupon, and the wallet whose uses are asked for as well. The uses of `intentId` itself do not count. */
export type AskedUses = {
  readonly couponId: string
  readonly wallet: string | null
  readonly intentId: string | null
}

/**
 * Counts checkouts: each that has led to a subscription, and each open one with an approve that may still land. When an approve is
 * final, its subscription takes its place in the same transaction.
 */
const USES = `
WITH used AS (
  SELECT coupon_id, intent_id, subscriber_wallet AS wallet FROM billing_subscriptions WHERE coupon_id = ANY ($1::uuid[])
  UNION ALL
  SELECT intent.coupon_id, intent.id, delegation.wallet
  FROM approvals approval
  JOIN subscription_intents intent ON intent.id = approval.intent_id
  JOIN delegations delegation ON delegation.id = approval.delegation_id
  WHERE approval.state IN ${sqlList(LIVE_APPROVAL_STATES)} AND intent.status = 'open' AND intent.coupon_id = ANY ($1::uuid[])
)
SELECT count(DISTINCT used.intent_id)::int AS uses,
  (count(DISTINCT used.intent_id) FILTER (WHERE used.wallet = asked.wallet))::int AS "usesOfWallet"
FROM unnest($1::uuid[], $2::text[], $3::uuid[]) WITH ORDINALITY AS asked(coupon_id, wallet, intent_id, place)
LEFT JOIN used ON used.coupon_id = asked.coupon_id AND used.intent_id IS DISTINCT FROM asked.intent_id
GROUP BY asked.place ORDER BY asked.place`

type Query = Pick<Tx, '$queryRawUnsafe'>

/** Returns the uses of each coupon, in the order of the question. */
export async function readUses(tx: Query, asked: readonly AskedUses[]): Promise<readonly CouponUses[]> {
  if (asked.length === 0) return []
  const columns = [
    asked.map(({ couponId }) => couponId),
    asked.map(({ wallet }) => wallet),
    asked.map(({ intentId }) => intentId),
  ]
  return await tx.$queryRawUnsafe<CouponUses[]>(USES, ...columns)
}

const ofCoupon = (couponId: string): AskedUses => ({ couponId, wallet: null, intentId: null })

/** Returns coupons with how often each is used. */
export async function withUses(tx: Query, coupons: readonly Coupon[]): Promise<CountedCoupon[]> {
  const uses = await readUses(
    tx,
    coupons.map(({ id }) => ofCoupon(id)),
  )
  return coupons.map((coupon, at) => ({ ...coupon, uses: uses[at]?.uses ?? 0 }))
}

/** Without its keys, so that a new subscription of the coupon does not wait. In the order of their ids. */
const LOCK_LIMITED = `
SELECT ${COUPONS.columns} FROM subscription_coupons
WHERE id = ANY ($1::uuid[]) AND (max_uses IS NOT NULL OR max_uses_per_wallet IS NOT NULL)
ORDER BY id FOR NO KEY UPDATE`

/**
 * Counts new uses of coupons after they were written: each transaction that adds one waits here for the one before. Throws
 * VersionConflict when a limit is exceeded.
 */
export async function requireUnused(
  tx: Query,
  added: readonly { readonly couponId: string; readonly wallet: string }[],
): Promise<void> {
  if (added.length === 0) return
  const rows = await tx.$queryRawUnsafe<unknown[]>(LOCK_LIMITED, [...new Set(added.map(({ couponId }) => couponId))])
  const limited = new Map(rows.map(COUPONS.fromRow).map((coupon) => [coupon.id, coupon]))
  const asked = added.filter(({ couponId }) => limited.has(couponId)).map((one) => ({ ...one, intentId: null }))
  const uses = await readUses(tx, asked)
  for (const [at, { couponId }] of asked.entries()) {
    const [coupon, counted] = [limited.get(couponId), uses[at]]
    if (coupon === undefined || counted === undefined) throw new Error('a coupon that is locked has uses')
    if (isUsedUp(coupon, { uses: counted.uses - 1, usesOfWallet: counted.usesOfWallet - 1 }))
      throw new VersionConflict()
  }
}

export function createSubscriptionCouponStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionCouponStore {
  const counted = async (row: object | null): Promise<CountedCoupon | null> => {
    const [coupon] = row === null ? [] : await withUses(prisma, [COUPONS.fromRow(row)])
    return coupon ?? null
  }
  return {
    find: async ({ accountId }, id) =>
      await counted(await prisma.subscriptionCoupon.findFirst({ where: { id, accountId } })),

    async findByCode({ accountId }, code) {
      const row = await prisma.subscriptionCoupon.findFirst({ where: { accountId, code, archivedAt: null } })
      return await counted(row)
    },

    async usesBy(couponId, { wallet, intentId }) {
      const [uses] = await readUses(prisma, [{ couponId, wallet, intentId }])
      if (uses === undefined) throw new Error('counts are always one row')
      return uses
    },

    async create({ accountId }, coupon) {
      try {
        await prisma.subscriptionCoupon.create({ data: { ...coupon, accountId } })
        return true
      } catch (error) {
        if (isUniqueViolation(error)) return false
        throw error
      }
    },

    async archive({ accountId }, id, at) {
      await prisma.subscriptionCoupon.updateMany({
        where: { id, accountId, archivedAt: null },
        data: { archivedAt: at },
      })
      return await counted(await prisma.subscriptionCoupon.findFirst({ where: { id, accountId } }))
    },
  }
}
