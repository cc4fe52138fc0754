// Subscriptions as the pages of their subscribers show them, each read in one statement and so of one moment.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SUBSCRIPTION_POLICY } from '#core/billing/status-policy.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import type { PortalPages, SubscriptionDetails } from '#ports/portal.ts'
import { CHARGES, PRODUCTS, SUBSCRIPTIONS, TIERS } from './tables.ts'

const MANAGEABLE = SUBSCRIPTION_STATUSES.filter((status) => SUBSCRIPTION_POLICY[status].isLive)

export const createPortalPages = (db: Database): PortalPages => ({
  async details(subscriptionId) {
    const [row] = await db.query<DetailsRow>(BY_ID, [subscriptionId])
    return row === undefined ? null : detailsFromRow(row)
  },

  async manageableOf(network, wallet, limit) {
    return (await db.query<DetailsRow>(OF_WALLET, [network, wallet, MANAGEABLE, limit])).map(detailsFromRow)
  },

  async charges(subscriptionId, limit) {
    return (await db.query(NEWEST_CHARGES, [subscriptionId, limit])).map(CHARGES.fromRow)
  },

  async activeTiers(productId, limit) {
    return (await db.query(ACTIVE_TIERS, [productId, limit])).map(TIERS.fromRow)
  },
})

type DetailsRow = {
  readonly subscription: unknown
  readonly product: unknown
  readonly tier: unknown
  readonly merchantName: string
}

const detailsFromRow = ({ subscription, product, tier, merchantName }: DetailsRow): SubscriptionDetails => ({
  subscription: SUBSCRIPTIONS.fromRow(subscription),
  product: PRODUCTS.fromRow(product),
  tier: TIERS.fromRow(tier),
  merchantName,
})

const DETAILS = `
SELECT
  (SELECT to_jsonb(own) FROM (
    SELECT ${SUBSCRIPTIONS.columns} FROM billing_subscriptions WHERE id = subscribed.id) own) AS subscription,
  (SELECT to_jsonb(tier) FROM (SELECT ${TIERS.columns} FROM subscription_tiers WHERE id = sold.id) tier) AS tier,
  (SELECT to_jsonb(product) FROM (
    SELECT ${PRODUCTS.columns} FROM subscription_products WHERE id = sold.product_id) product) AS product,
  coalesce(account.label, account.name) AS "merchantName"
FROM billing_subscriptions subscribed
JOIN subscription_tiers sold ON sold.id = subscribed.tier_id
JOIN accounts account ON account.id = subscribed.account_id`

const BY_ID = `${DETAILS} WHERE subscribed.id = $1::uuid`

const OF_WALLET = `${DETAILS}
WHERE subscribed.network = $1::network_name AND subscribed.subscriber_wallet = $2 AND subscribed.status = ANY ($3::text[])
ORDER BY subscribed.created_at DESC, subscribed.id LIMIT $4::int`

const NEWEST_CHARGES = `
SELECT ${CHARGES.columns} FROM charges WHERE subscription_id = $1::uuid
ORDER BY period_index DESC LIMIT $2::int`

const ACTIVE_TIERS = `
SELECT ${TIERS.columns} FROM subscription_tiers WHERE product_id = $1::uuid AND archived_at IS NULL
ORDER BY created_at DESC, id LIMIT $2::int`
