// Subscriptions as the pages of their subscribers show them, each read in one statement and so of one moment.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { type PortalSession, readPortalOrigin } from '#core/billing/portal-session.ts'
import { SUBSCRIPTION_POLICY, SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import type { PortalPages, PortalSessionStore, SubscriptionDetails } from '#ports/portal.ts'
import { storeUsed } from './challenge-store.ts'
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

// Links to the portal of subscriptions.

export const createPortalSessionStore = ({
  prisma,
  query,
}: Pick<Database, 'prisma' | 'query'>): PortalSessionStore => ({
  async find(tokenHash) {
    const row = await prisma.portalSession.findUnique({ where: { tokenHash: Uint8Array.from(tokenHash) } })
    return row === null ? null : { ...row, origin: readPortalOrigin(row.origin, 'portal_sessions.origin') }
  },

  async create(sessions) {
    await prisma.portalSession.createMany({ data: sessions.map(rowOf) })
  },

  createFor: ({ challenge, proof }, sessions, most) =>
    prisma.$transaction(async (tx) => {
      if (!(await storeUsed(tx, challenge, proof))) return false
      const ids = sessions.map(({ subscriptionId }) => subscriptionId)
      await tx.$executeRawUnsafe(REMOVE_OLDER, ids, most - 1)
      await tx.portalSession.createMany({ data: sessions.map(rowOf) })
      return true
    }),

  async removeExpired(before, limit) {
    const rows = await query<{ one: number }>(REMOVE, [before, limit])
    return rows.length
  },
})

const rowOf = (session: PortalSession) => ({ ...session, tokenHash: Uint8Array.from(session.tokenHash) })

/** A link of the business is none of these. */
const REMOVE_OLDER = `
DELETE FROM portal_sessions WHERE token_hash IN (
  SELECT token_hash FROM (
    SELECT token_hash, row_number() OVER (PARTITION BY subscription_id ORDER BY created_at DESC, token_hash) AS place
    FROM portal_sessions WHERE subscription_id = ANY ($1::uuid[]) AND origin = 'recovery') link
  WHERE place > $2::int)`

const REMOVE = `
DELETE FROM portal_sessions WHERE token_hash = ANY (ARRAY(
  SELECT token_hash FROM portal_sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2::int))
RETURNING 1 AS one`
