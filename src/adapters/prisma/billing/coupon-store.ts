// The coupons of a business, and how often each is used. Nothing counts the uses but the subscriptions and approves themselves.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import { type Coupon, type CouponUses, isUsedUp } from '#core/billing/coupon.ts'
import type { LimitedCoupon, SubscriptionCouponStore } from '#ports/catalogue.ts'
import { COUPONS } from './tables.ts'

/** A coupon of which the uses are counted. The uses of `intentId` itself do not count. */
type AskedUses = {
  readonly couponId: string
  readonly intentId: string | null
  /** The uses of this wallet are counted; null: 0. */
  readonly wallet: string | null
  /** No more subscriptions than so many are counted in all, and of the wallet; null: all. */
  readonly most: number | null
  readonly mostOfWallet: number | null
}

/**
 * Counts checkouts: each that has led to a subscription, and each open one with an approve that may still land. When an approve is
 * final, its subscription takes its place in the same transaction. A checkout has at most one subscription. Each count reads only
 * the index of coupons, and ends at its limit.
 */
const USES = `
WITH asked AS (
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::int[]) WITH ORDINALITY
    AS asked(coupon_id, intent_id, wallet, most, most_of_wallet, place)
), live AS (
  SELECT intent.coupon_id, intent.id AS intent_id, delegation.wallet
  FROM approvals approval
  JOIN subscription_intents intent ON intent.id = approval.intent_id
  JOIN delegations delegation ON delegation.id = approval.delegation_id
  WHERE approval.state IN ${sqlList(LIVE_APPROVAL_STATES)} AND intent.status = 'open' AND intent.coupon_id = ANY ($1::uuid[])
), pending AS (
  SELECT asked.place, count(DISTINCT live.intent_id) AS uses,
    count(DISTINCT live.intent_id) FILTER (WHERE live.wallet = asked.wallet) AS of_wallet
  FROM asked JOIN live ON live.coupon_id = asked.coupon_id AND live.intent_id IS DISTINCT FROM asked.intent_id
  GROUP BY asked.place
)
SELECT
  (coalesce(pending.uses, 0) + (SELECT count(*) FROM (
    SELECT FROM billing_subscriptions used
    WHERE used.coupon_id = asked.coupon_id AND used.intent_id IS DISTINCT FROM asked.intent_id
    LIMIT asked.most) used))::int AS uses,
  (coalesce(pending.of_wallet, 0) + (SELECT count(*) FROM (
    SELECT FROM billing_subscriptions used
    WHERE used.coupon_id = asked.coupon_id AND used.subscriber_wallet = asked.wallet
      AND used.intent_id IS DISTINCT FROM asked.intent_id
    LIMIT asked.most_of_wallet) used))::int AS "usesOfWallet"
FROM asked LEFT JOIN pending ON pending.place = asked.place
ORDER BY asked.place`

type Query = Pick<Tx, '$queryRawUnsafe'>

/** Returns the uses of each coupon, in the order of the question. */
async function readUses(tx: Query, asked: readonly AskedUses[]): Promise<readonly CouponUses[]> {
  if (asked.length === 0) return []
  const columns = [
    asked.map(({ couponId }) => couponId),
    asked.map(({ intentId }) => intentId),
    asked.map(({ wallet }) => wallet),
    asked.map(({ most }) => most),
    asked.map(({ mostOfWallet }) => mostOfWallet),
  ]
  return await tx.$queryRawUnsafe<CouponUses[]>(USES, ...columns)
}

/** Counts the uses of coupons, in their order: all of them, for the business. */
export async function countUses(tx: Query, coupons: readonly Pick<Coupon, 'id'>[]): Promise<readonly number[]> {
  const ofAll = { intentId: null, wallet: null, most: null, mostOfWallet: 0 }
  const counted = await readUses(
    tx,
    coupons.map(({ id }) => ({ couponId: id, ...ofAll })),
  )
  return counted.map(({ uses }) => uses)
}

/** One that is not limited is not counted, and one that is, only so far that the limit is judged. */
const judgedBy = (
  { id, maxUses, maxUsesPerWallet }: LimitedCoupon,
  { wallet, intentId }: Pick<AskedUses, 'wallet' | 'intentId'>,
): AskedUses => ({
  couponId: id,
  intentId,
  wallet: maxUsesPerWallet === null ? null : wallet,
  most: maxUses ?? 0,
  mostOfWallet: maxUsesPerWallet ?? 0,
})

/** Without its keys, so that a new subscription of the coupon does not wait. In the order of their ids. */
const LOCK_LIMITED = `
SELECT ${COUPONS.columns} FROM subscription_coupons
WHERE id = ANY ($1::uuid[]) AND (max_uses IS NOT NULL OR max_uses_per_wallet IS NOT NULL)
ORDER BY id FOR NO KEY UPDATE`

export type NewUse = { readonly couponId: string; readonly wallet: string; readonly intentId: string }

/**
 * Judges new uses of coupons, before or after they are written, by those of other checkouts: each transaction that adds one waits
 * here for the one before. Throws VersionConflict when a limit is exceeded.
 */
export async function requireUnused(tx: Query, added: readonly NewUse[]): Promise<void> {
  if (added.length === 0) return
  const rows = await tx.$queryRawUnsafe<unknown[]>(LOCK_LIMITED, [...new Set(added.map(({ couponId }) => couponId))])
  const limited = new Map(rows.map(COUPONS.fromRow).map((coupon) => [coupon.id, coupon]))
  const judged = added.flatMap((use) => {
    const coupon = limited.get(use.couponId)
    return coupon === undefined ? [] : [{ coupon, asked: judgedBy(coupon, use) }]
  })
  const uses = await readUses(
    tx,
    judged.map(({ asked }) => asked),
  )
  for (const [at, { coupon }] of judged.entries()) {
    const counted = uses[at]
    if (counted === undefined) throw new Error('each question has an answer')
    if (isUsedUp(coupon, counted)) throw new VersionConflict()
  }
}

export function createSubscriptionCouponStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionCouponStore {
  const find: SubscriptionCouponStore['find'] = async ({ accountId }, id) => {
    const row = await prisma.subscriptionCoupon.findFirst({ where: { id, accountId } })
    return row === null ? null : COUPONS.fromRow(row)
  }
  return {
    find,

    async findByCode({ accountId }, code) {
      const row = await prisma.subscriptionCoupon.findFirst({ where: { accountId, code, archivedAt: null } })
      return row === null ? null : COUPONS.fromRow(row)
    },

    async countUses(coupon) {
      const [uses = 0] = await countUses(prisma, [coupon])
      return uses
    },

    async usesBy(coupon, by) {
      if (coupon.maxUses === null && coupon.maxUsesPerWallet === null) return { uses: 0, usesOfWallet: 0 }
      const [uses] = await readUses(prisma, [judgedBy(coupon, by)])
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

    async archive(tenant, id, at) {
      const { accountId } = tenant
      await prisma.subscriptionCoupon.updateMany({
        where: { id, accountId, archivedAt: null },
        data: { archivedAt: at },
      })
      return await find(tenant, id)
    },
  }
}
