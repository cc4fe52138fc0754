// Checkouts of subscriptions with what they are for, each read in one statement and so of one moment.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { unlessChanged } from '#adapters/prisma/transaction.ts'
import { LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import type { StoredCheckout, SubscriptionCheckoutStore } from '#ports/checkouts.ts'
import { CHARGES, COUPONS, DELEGATIONS, ENDED_STATUSES, PRODUCTS, SUBSCRIPTION_INTENTS, TIERS } from './tables.ts'
import { noticeOfCheckout, writeDecided } from './writes.ts'

export function createSubscriptionCheckoutStore(db: Database): SubscriptionCheckoutStore {
  const read = async (statement: string, key: string | Uint8Array): Promise<StoredCheckout | null> => {
    const [row] = await db.query<CheckoutRow>(statement, [key])
    return row === undefined ? null : checkoutFromRow(row)
  }
  return {
    findByToken: (tokenHash) => read(BY_TOKEN, tokenHash),
    find: (intentId) => read(BY_ID, intentId),

    async findDelegation(network, wallet, mint) {
      const [row] = await db.query(DELEGATION, [network, wallet, mint])
      return row === undefined ? null : DELEGATIONS.fromRow(row)
    },

    reserve: (decided) => unlessChanged(() => db.prisma.$transaction((tx) => writeDecided(tx, decided))),

    async hadTrial(network, productId, wallet) {
      const rows = await db.query(HAD_TRIAL, [network, productId, wallet])
      return rows.length > 0
    },

    enterCoupon: ({ before, after }) =>
      db.prisma.$transaction(async (tx) => {
        // An approve is prepared over a version of the checkout, so that none begins meanwhile.
        const { couponId, version, updatedAt } = after
        const { count } = await tx.subscriptionIntent.updateMany({
          where: {
            id: after.id,
            version: before.version,
            status: 'open',
            approvals: { none: { state: { in: [...LIVE_APPROVAL_STATES] } } },
          },
          data: { couponId, version, updatedAt },
        })
        if (count === 1) {
          await noticeOfCheckout(tx, after.id)
          return 'stored'
        }
        const pending = await tx.approval.count({
          where: { intentId: after.id, state: { in: [...LIVE_APPROVAL_STATES] } },
        })
        return pending > 0 ? 'pending' : 'moved_on'
      }),

    async countOfWallet(network, wallet) {
      const [row] = await db.query<{ count: number }>(COUNT, [network, wallet])
      return row?.count ?? 0
    },
  }
}

type CheckoutRow = {
  readonly intent: unknown
  readonly product: unknown
  readonly tier: unknown
  readonly coupon: unknown
  readonly acceptsCoupons: boolean
  readonly merchantName: string
  readonly receiverAccountId: string
  readonly isArchived: boolean
  readonly charge: unknown
  readonly trialEndsAt: Date | null
}

const checkoutFromRow = ({ intent, product, tier, coupon, charge, ...row }: CheckoutRow): StoredCheckout => ({
  intent: SUBSCRIPTION_INTENTS.fromRow(intent),
  product: PRODUCTS.fromRow(product),
  tier: TIERS.fromRow(tier),
  coupon: coupon === null ? null : COUPONS.fromRow(coupon),
  acceptsCoupons: row.acceptsCoupons,
  merchantName: row.merchantName,
  receiverAccountId: row.receiverAccountId,
  isArchived: row.isArchived,
  trialEndsAt: row.trialEndsAt,
  firstCharge: charge === null ? null : CHARGES.fromRow(charge),
})

/** Buyers see the label of a business, or its name when it has none. */
const CHECKOUT = `
SELECT
  (SELECT to_jsonb(own) FROM (
    SELECT ${SUBSCRIPTION_INTENTS.columns} FROM subscription_intents WHERE id = intent.id) own) AS intent,
  (SELECT to_jsonb(tier) FROM (SELECT ${TIERS.columns} FROM subscription_tiers WHERE id = intent.tier_id) tier) AS tier,
  (SELECT to_jsonb(product) FROM (
    SELECT ${PRODUCTS.columns} FROM subscription_products WHERE id = sold.product_id) product) AS product,
  (SELECT to_jsonb(coupon) FROM (
    SELECT ${COUPONS.columns} FROM subscription_coupons WHERE id = intent.coupon_id) coupon) AS coupon,
  EXISTS (SELECT FROM subscription_coupons WHERE account_id = intent.account_id AND archived_at IS NULL
    AND (product_id IS NULL OR product_id = sold.product_id)) AS "acceptsCoupons",
  (SELECT to_jsonb(charge) FROM (
    SELECT ${CHARGES.columns} FROM charges WHERE subscription_id = intent.subscription_id AND period_index = 0) charge)
    AS charge,
  (SELECT trial_ends_at FROM billing_subscriptions WHERE id = intent.subscription_id) AS "trialEndsAt",
  coalesce(account.label, account.name) AS "merchantName",
  coalesce(account.marketplace_account_id, account.id)::text AS "receiverAccountId",
  account.archived_at IS NOT NULL AS "isArchived"
FROM subscription_intents intent
JOIN subscription_tiers sold ON sold.id = intent.tier_id
JOIN accounts account ON account.id = intent.account_id`

const BY_TOKEN = `${CHECKOUT} WHERE intent.token_hash = $1::bytea`
const BY_ID = `${CHECKOUT} WHERE intent.id = $1::uuid`

const DELEGATION = `
SELECT ${DELEGATIONS.columns} FROM delegations WHERE network = $1::network_name AND wallet = $2 AND mint = $3`

const HAD_TRIAL = `
SELECT 1 AS one FROM billing_subscriptions
WHERE network = $1::network_name AND trial_product_id = $2::uuid AND subscriber_wallet = $3`

const COUNT = `
SELECT count(*)::int AS count FROM billing_subscriptions
WHERE network = $1::network_name AND subscriber_wallet = $2 AND status NOT IN ${ENDED_STATUSES}`
