// Everything that a decision about a subscription rests on, in one statement and so of one moment.
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import {
  LIVE_ATTEMPTS,
  type TransferRow,
  transferFromRow,
  transfersWhere,
} from '#adapters/prisma/transfers/transfer-rows.ts'
import { asChargeTransfer, CHARGE } from '#core/billing/charge-transfer.ts'
import type { ChargeFacts } from '#core/billing/machine/facts.ts'
import type { Slice } from '#core/billing/room.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { unitsCodec } from '#core/chain/codecs.ts'
import { time } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { BillingStore, StoredFacts } from '#ports/billing.ts'
import { CHARGES, DELEGATIONS, ENDED_STATUSES, SUBSCRIPTIONS, TIERS } from './tables.ts'

// The slices of a delegation, as JSON that one statement reads with other facts.

export type SliceJson = {
  readonly subscriptionId: string
  readonly status: string
  readonly remaining: string
  readonly inFlight: string
  readonly createdAt: string
}

const readStatus = oneOf(SUBSCRIPTION_STATUSES)

export const sliceFromJson = ({ subscriptionId, status, remaining, inFlight, createdAt }: SliceJson): Slice => ({
  subscriptionId,
  status: readStatus(status, 'slice.status'),
  remaining: unitsCodec.read(remaining, 'slice.remaining'),
  inFlight: unitsCodec.read(inFlight, 'slice.inFlight'),
  createdAt: time.read(createdAt, 'slice.createdAt'),
})

/**
 * Returns an expression for the slices that fulfil a condition on `slice`, the oldest first. An ended subscription is among them
 * only while a charge of it may still land.
 */
export const slicesWhere = (condition: string): string => `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('subscriptionId', slice.id, 'status', slice.status,
      'remaining', (slice.authorized_amount - slice.spent_amount)::text,
      'inFlight', coalesce(submitted.amount, 0)::text, 'createdAt', slice.created_at)
      ORDER BY slice.created_at, slice.id), '[]')
    FROM billing_subscriptions slice
    LEFT JOIN charges submitted ON submitted.subscription_id = slice.id AND submitted.status = 'submitted'
    WHERE ${condition} AND (slice.status NOT IN ${ENDED_STATUSES} OR submitted.id IS NOT NULL))`

const MAX_BATCH = 64
const CONCURRENT_BATCHES = 1

/** Whatever is asked for at one moment shares one statement. */
export function createFactsReader(db: Database): Pick<BillingStore, 'facts' | 'factsOfCharge'> {
  const readerOf = (statement: string) =>
    createBatcher(
      async (ids: readonly string[]) => {
        const rows = await db.query<FactsRow>(statement, [ids])
        const found = new Map(rows.map((row) => [row.askedFor, factsFromRow(row)]))
        // The database writes a UUID in small letters.
        return ids.map((id) => found.get(id.toLowerCase()) ?? null)
      },
      { maxSize: MAX_BATCH, concurrency: CONCURRENT_BATCHES, isSharedFailure: isDatabaseUnavailable },
    )
  return { facts: readerOf(FACTS), factsOfCharge: readerOf(FACTS_OF_CHARGE) }
}

type FactsRow = {
  readonly askedFor: string
  readonly subscription: unknown
  readonly tier: unknown
  readonly delegation: unknown
  readonly others: readonly SliceJson[]
  readonly charge: unknown
  readonly transfers: readonly TransferRow[]
  readonly live: ChargeFacts['live']
}

const factsFromRow = (row: FactsRow): StoredFacts => ({
  subscription: SUBSCRIPTIONS.fromRow(row.subscription),
  tier: TIERS.fromRow(row.tier),
  delegation: DELEGATIONS.fromRow(row.delegation),
  others: row.others.map(sliceFromJson),
  charge: row.charge === null ? null : chargeFromRow(row),
})

function chargeFromRow({ charge, transfers: [transfer], live }: FactsRow): ChargeFacts {
  if (transfer === undefined) throw new Error('a charge has a transfer')
  return { charge: CHARGES.fromRow(charge), transfer: asChargeTransfer(transferFromRow(transfer)), live }
}

const OTHERS = slicesWhere('slice.delegation_id = subscription.delegation_id AND slice.id <> subscription.id')

const SELECTED = `
  (SELECT to_jsonb(own) FROM (SELECT ${SUBSCRIPTIONS.columns} FROM billing_subscriptions WHERE id = subscription.id) own) AS subscription,
  (SELECT to_jsonb(tier) FROM (SELECT ${TIERS.columns} FROM subscription_tiers WHERE id = subscription.tier_id) tier) AS tier,
  (SELECT to_jsonb(delegation) FROM (
    SELECT ${DELEGATIONS.columns} FROM delegations WHERE id = subscription.delegation_id) delegation) AS delegation,
  ${OTHERS} AS others, charge.json AS charge,
  ${transfersWhere(`subject_kind = '${CHARGE}' AND subject_id = charge.id`)} AS transfers,
  (SELECT attempt.state FROM transfers transfer JOIN transfer_attempts attempt ON attempt.transfer_id = transfer.id
    WHERE transfer.subject_kind = '${CHARGE}' AND transfer.subject_id = charge.id
      AND attempt.state IN ${LIVE_ATTEMPTS}) AS live
FROM billing_subscriptions subscription
LEFT JOIN LATERAL (
  SELECT id, to_jsonb(latest) AS json
  FROM (SELECT ${CHARGES.columns} FROM charges WHERE subscription_id = subscription.id
    ORDER BY period_index DESC LIMIT 1) latest
) charge ON true`

const FACTS = `
SELECT subscription.id::text AS "askedFor", ${SELECTED}
WHERE subscription.id = ANY ($1::uuid[])`

const FACTS_OF_CHARGE = `
SELECT asked.id::text AS "askedFor", ${SELECTED}
JOIN charges asked ON asked.subscription_id = subscription.id
WHERE asked.id = ANY ($1::uuid[])`
