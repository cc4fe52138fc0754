// The token accounts of businesses that the fee payer pays for: for each business and token, at most one in a time.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { PayoutClaim, PayoutCreation } from '#core/transfers/payout-creation.ts'
import { LIVE } from './attempts.ts'

const LIVE_STATES = LIVE.map((state) => `'${state}'`).join(', ')

/** Returns a condition on the attempt of the last claim. */
const heldAttempt = (condition: string) => `EXISTS (
  SELECT FROM transfer_attempts attempt
  WHERE attempt.transfer_id = held.transfer_id AND attempt.number = held.attempt AND ${condition})`

const SPENT = heldAttempt(`attempt.state = 'final_ok' AND attempt.resolved_at > $7`)

/** The attempt may land, or a worker may be about to store it. A transfer that was given back stores nothing. */
const PENDING = `(${heldAttempt(`attempt.state IN (${LIVE_STATES})`)} OR EXISTS (
  SELECT FROM transfers holder
  WHERE holder.id = held.transfer_id AND holder.status = 'in_progress' AND holder.lease_until IS NOT NULL
    AND holder.attempt_count < held.attempt))`

/** The row of the business and its token decides which of several claims comes first. */
const CLAIM = `
WITH claimed AS (
  INSERT INTO payout_creations AS held (network, account_id, asset, transfer_id, attempt, planned_at)
  VALUES ($1::network_name, $2::uuid, $3, $4::uuid, $5::int, $6)
  ON CONFLICT (network, account_id, asset) DO UPDATE
  SET transfer_id = excluded.transfer_id, attempt = excluded.attempt, planned_at = excluded.planned_at
  WHERE (held.transfer_id = excluded.transfer_id AND held.attempt = excluded.attempt) OR NOT (${SPENT} OR ${PENDING})
  RETURNING 1
)
SELECT EXISTS (SELECT FROM claimed) AS "isClaimed", EXISTS (
  SELECT FROM payout_creations held
  WHERE network = $1::network_name AND account_id = $2::uuid AND asset = $3 AND ${SPENT}) AS "isSpent"`

/** Implements `TransferStore.claimPayoutCreation`. */
export async function claimPayoutCreation(
  db: Pick<Database, 'query'>,
  { network, accountId, asset, transferId, attempt, at }: PayoutClaim,
  since: Date,
): Promise<PayoutCreation> {
  const given = [network, accountId, asset, transferId, attempt, at, since]
  const [answer] = await db.query<{ isClaimed: boolean; isSpent: boolean }>(CLAIM, given)
  if (answer?.isClaimed === true) return 'allowed'
  return answer?.isSpent === true ? 'spent' : 'pending'
}
