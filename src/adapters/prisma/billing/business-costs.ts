// What the subscriptions of businesses have cost the fee payer, from the ledger. The entries of a business have an index of their own.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { type Network, SOL } from '#core/chain/types.ts'
import type { BusinessCosts } from '#ports/billing.ts'
import type { CostlyBusiness } from '#ports/operator-billing.ts'
import { isEnabled } from './tables.ts'

/** Returns the sum of what a business has cost since a time, in lamports. Both are expressions of SQL. */
const costSince = (business: string, since: string): string => `(
  SELECT coalesce(-sum(entry.delta), 0) FROM ledger_entries entry
  WHERE entry.sponsored_id = ${business} AND entry.asset = '${SOL}' AND entry.created_at > ${since})`

const COST = `SELECT ${costSince('$1::uuid', '$2')}::text AS cost`

/**
 * The reserve is for first charges, charges that have failed before, and those of past-due subscriptions: a time limit may end what
 * waits.
 */
const OVER_BUDGET = `
WITH asked AS (
  SELECT charge.id, subscription.receiver_account_id AS business_id,
    CASE WHEN subscription.status IN ('incomplete', 'past_due') OR charge.attempts > 0
      THEN $3::numeric ELSE $4::numeric END AS most
  FROM charges charge JOIN billing_subscriptions subscription ON subscription.id = charge.subscription_id
  WHERE charge.id = ANY ($1::uuid[])
), spent AS MATERIALIZED (
  SELECT business_id, ${costSince('business_id', '$2')} AS cost FROM (SELECT DISTINCT business_id FROM asked) business
)
SELECT asked.id::text FROM asked JOIN spent USING (business_id) WHERE spent.cost >= asked.most`

const OF_DISABLED = `
SELECT charge.id::text FROM charges charge JOIN billing_subscriptions subscription ON subscription.id = charge.subscription_id
WHERE charge.id = ANY ($1::uuid[]) AND NOT ${isEnabled('subscription')}`

const COSTLIEST = `
SELECT account.id::text AS "accountId", spent.cost::text AS cost
FROM accounts account CROSS JOIN LATERAL (SELECT ${costSince('account.id', '$2')} AS cost) spent
WHERE account.network = $1::network_name AND account.marketplace_account_id IS NULL AND spent.cost > 0
ORDER BY spent.cost DESC, account.id LIMIT 1`

/** Implements `OperatorBillingStore.costliest`. A seller counts with its marketplace. */
export async function readCostliest(
  db: Pick<Database, 'query'>,
  network: Network,
  since: Date,
): Promise<CostlyBusiness | null> {
  const [row] = await db.query<{ accountId: string; cost: string }>(COSTLIEST, [network, since])
  return row === undefined ? null : { accountId: row.accountId, cost: BigInt(row.cost) }
}

export const createBusinessCosts = (db: Pick<Database, 'query'>): BusinessCosts => ({
  async costOf(businessId, since) {
    const [row] = await db.query<{ cost: string }>(COST, [businessId, since])
    if (row === undefined) throw new Error('a sum is always one row')
    return BigInt(row.cost)
  },

  async overBudget(chargeIds, { since, budget, withoutReserve }) {
    const given = [chargeIds, since, budget.toString(), withoutReserve.toString()]
    const rows = await db.query<{ id: string }>(OVER_BUDGET, given)
    return new Set(rows.map(({ id }) => id))
  },

  async ofDisabled(chargeIds) {
    const rows = await db.query<{ id: string }>(OF_DISABLED, [chargeIds])
    return new Set(rows.map(({ id }) => id))
  },
})
