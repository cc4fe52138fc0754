// The token accounts of businesses that the fee payer pays for: for each business and token, at most one in a time.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { PayoutClaim, PayoutCreation, SellerLimit } from '#core/transfers/payout-creation.ts'
import { LIVE_ATTEMPTS } from './transfer-rows.ts'

/** Returns a condition on the attempt of the last claim. */
const heldAttempt = (condition: string) => `EXISTS (
  SELECT FROM transfer_attempts attempt
  WHERE attempt.transfer_id = held.transfer_id AND attempt.number = held.attempt AND ${condition})`

const LANDED = heldAttempt(`attempt.state = 'final_ok'`)
const SPENT = heldAttempt(`attempt.state = 'final_ok' AND attempt.resolved_at > $7`)

/** The attempt may land, or a worker may be about to store it. A transfer that was given back stores nothing. */
const PENDING = `(${heldAttempt(`attempt.state IN ${LIVE_ATTEMPTS}`)} OR EXISTS (
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

/** The accounts that transfers of the same kind have created for other sellers of the marketplace, or may still create. */
const COUNT_OF_OTHERS = `
SELECT count(*)::int AS count FROM payout_creations held
JOIN accounts seller ON seller.id = held.account_id AND seller.marketplace_account_id = $1::uuid
JOIN transfers transfer ON transfer.id = held.transfer_id
  AND transfer.kind = (SELECT kind FROM transfers WHERE id = $6::uuid)
WHERE held.network = $2::network_name AND held.planned_at > $3 AND (held.account_id, held.asset) <> ($4::uuid, $5)
  AND (${LANDED} OR ${PENDING})`

type Query = <Row extends object>(text: string, given: readonly (string | number | Date)[]) => Promise<readonly Row[]>

/** Implements `TransferStore.claimPayoutCreation`. */
export async function claimPayoutCreation(
  db: Pick<Database, 'query' | 'prisma'>,
  claim: PayoutClaim,
  since: Date,
): Promise<PayoutCreation> {
  const { sellerLimit, accountId } = claim
  const marketplaceId = sellerLimit === null ? null : await marketplaceOf(db, accountId)
  if (sellerLimit === null || marketplaceId === null)
    return await claimOwn((...args) => db.query(...args), claim, since)
  return await db.prisma.$transaction(async (tx) => {
    const query: Query = (text, given) => tx.$queryRawUnsafe(text, ...given)
    const isReached = await isLimitReached(tx, query, claim, { ...sellerLimit, marketplaceId })
    return isReached ? 'spent' : await claimOwn(query, claim, since)
  })
}

async function marketplaceOf({ prisma }: Pick<Database, 'prisma'>, accountId: string): Promise<string | null> {
  const account = await prisma.account.findUnique({ where: { id: accountId }, select: { marketplaceAccountId: true } })
  return account?.marketplaceAccountId ?? null
}

/** Locks the limit until the transaction ends, so that each claim counts every earlier one. */
async function isLimitReached(
  tx: Tx,
  query: Query,
  { network, accountId, asset, transferId }: PayoutClaim,
  { marketplaceId, since, most }: SellerLimit & { readonly marketplaceId: string },
): Promise<boolean> {
  const name = `payout accounts of ${marketplaceId} on ${network}`
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const given = [marketplaceId, network, since, accountId, asset, transferId]
  const [others] = await query<{ count: number }>(COUNT_OF_OTHERS, given)
  return (others?.count ?? 0) >= most
}

async function claimOwn(
  query: Query,
  { network, accountId, asset, transferId, attempt, at }: PayoutClaim,
  since: Date,
): Promise<PayoutCreation> {
  const given = [network, accountId, asset, transferId, attempt, at, since]
  const [answer] = await query<{ isClaimed: boolean; isSpent: boolean }>(CLAIM, given)
  if (answer?.isClaimed === true) return 'allowed'
  return answer?.isSpent === true ? 'spent' : 'pending'
}
