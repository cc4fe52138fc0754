// What of a seller is in flight: payments, subscriptions and checkouts, found without reading those that have ended.
import { ENDED_STATUSES } from '#adapters/prisma/billing/tables.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { EXPIRES_IN } from '#core/billing/subscription-intent.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import type { InFlight } from '#ports/marketplaces.ts'

/** Each list has at most so many ids. */
const MOST = 100

// A payment that has ended can still return a late deposit. The rent that a sweep leaves behind waits by design, and is no
// reason to keep the seller. The conditions are those of two partial indexes.
export const PAYMENTS_IN_FLIGHT = `
WITH open_payments AS (
  SELECT id, created_at FROM payment_intents
  WHERE account_id = $1::uuid AND account_id <> caller_account_id
    AND status IN ${sqlList(statusesWhere('isInFlight'))}
  ORDER BY created_at DESC, id DESC LIMIT ${MOST}
), moving_payments AS (
  SELECT id, created_at FROM payment_intents WHERE id IN (
    SELECT intent_id FROM transfers
    WHERE account_id = $1::uuid AND status IN ('planned', 'in_progress') AND kind <> 'rent'
      AND portion <> 'rent_reserve')
)
SELECT id::text FROM (SELECT * FROM open_payments UNION SELECT * FROM moving_payments) in_flight
ORDER BY created_at DESC, id DESC LIMIT ${MOST}`

// A charge that was sent before its subscription ended can still land.
export const SUBSCRIPTIONS_IN_FLIGHT = `
WITH open_subscriptions AS (
  SELECT id, created_at FROM billing_subscriptions
  WHERE account_id = $1::uuid AND status NOT IN ${ENDED_STATUSES}
  ORDER BY created_at DESC, id DESC LIMIT ${MOST}
), charged_subscriptions AS (
  SELECT id, created_at FROM billing_subscriptions WHERE id IN (
    SELECT charge.subscription_id FROM transfers transfer JOIN charges charge ON charge.id = transfer.subject_id
    WHERE transfer.account_id = $1::uuid AND transfer.status IN ('planned', 'in_progress') AND transfer.kind = '${CHARGE}'
      AND transfer.portion <> 'rent_reserve')
)
SELECT id::text FROM (SELECT * FROM open_subscriptions UNION SELECT * FROM charged_subscriptions) in_flight
ORDER BY created_at DESC, id DESC LIMIT ${MOST}`

// An approve that is still live completes its checkout after the expiry, too. An open checkout that can be completed is not
// older than the longest time that one has, so those that expired long ago are not read.
export const CHECKOUTS_IN_FLIGHT = `
WITH open_checkouts AS (
  SELECT id, created_at FROM subscription_intents
  WHERE account_id = $1::uuid AND status = 'open' AND expires_at > $2::timestamptz
    AND created_at > $2::timestamptz - interval '${EXPIRES_IN.max} seconds'
  ORDER BY created_at DESC, id DESC LIMIT ${MOST}
), approved_checkouts AS (
  SELECT id, created_at FROM subscription_intents
  WHERE account_id = $1::uuid AND status = 'open' AND id IN (
    SELECT intent_id FROM approvals WHERE state IN ${sqlList(LIVE_APPROVAL_STATES)})
)
SELECT id::text FROM (SELECT * FROM open_checkouts UNION SELECT * FROM approved_checkouts) in_flight
ORDER BY created_at DESC, id DESC LIMIT ${MOST}`

/**
 * Reads what of a seller is in flight. The caller has locked the row of the seller, so no checkout of it is created or
 * completed until its transaction ends: `lockMerchants`.
 */
export async function readInFlight(tx: Pick<Tx, '$queryRawUnsafe'>, sellerId: string, now: Date): Promise<InFlight> {
  const idsOf = async (statement: string, ...values: readonly unknown[]): Promise<readonly string[]> =>
    (await tx.$queryRawUnsafe<{ id: string }[]>(statement, sellerId, ...values)).map(({ id }) => id)
  return {
    intentIds: await idsOf(PAYMENTS_IN_FLIGHT),
    subscriptionIds: await idsOf(SUBSCRIPTIONS_IN_FLIGHT),
    subscriptionIntentIds: await idsOf(CHECKOUTS_IN_FLIGHT, now),
  }
}
