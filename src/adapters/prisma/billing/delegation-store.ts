// Delegations, as the engine reads the chain for them.
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import type { Replacement } from '#adapters/prisma/table.ts'
import { unlessChanged, VersionConflict } from '#adapters/prisma/transaction.ts'
import { writeLedger } from '#adapters/prisma/transfers/records.ts'
import { LIVE_ATTEMPTS } from '#adapters/prisma/transfers/transfer-rows.ts'
import { APPROVAL, LIVE_APPROVAL_STATES } from '#core/billing/approval.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { Signature } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { DelegationLookup, DelegationStore, KnownAs, LiveOn, UnexplainedPull } from '#ports/billing.ts'
import { type SliceJson, sliceFromJson, slicesWhere } from './facts.ts'
import { DELEGATIONS, ENDED_STATUSES } from './tables.ts'

/** A round of readings asks for slices and saves delegations at one moment: they share a few statements. */
const TOGETHER = { maxSize: 64, concurrency: 1, isSharedFailure: isDatabaseUnavailable }

export function createDelegationStore(db: Database): DelegationStore {
  const save = createBatcher((some: readonly Replacement<Delegation>[]) => saveAll(db, some), TOGETHER)
  return {
    async stale(network, { before, now }, limit) {
      return (await db.query(STALE, [network, before, limit, now])).map(DELEGATIONS.fromRow)
    },

    slices: createBatcher(async (ids: readonly string[]) => {
      const rows = await db.query<{ slices: readonly SliceJson[] }>(SLICES, [ids])
      return rows.map(({ slices }) => slices.map(sliceFromJson))
    }, TOGETHER),

    async pullsAfter(delegationId, slot) {
      const rows = await db.query<{ subscriptionId: string; amount: string }>(PULLS_AFTER, [delegationId, slot])
      return rows.map(({ subscriptionId, amount }) => ({ subscriptionId, amount: makeBaseUnits(amount) }))
    },

    async knownAs(signatures) {
      const rows = await db.query<{ signature: Signature; known: KnownAs }>(KNOWN, [signatures])
      return new Map(rows.map(({ signature, known }) => [signature, known]))
    },

    haltFor: (pull) => haltFor(db, pull),

    save: (delegation, version) => save({ value: { ...delegation, version: version + 1 }, version }),
  }
}

/** In the order of their ids, as every change of a subscription locks them, so that two transactions never wait for each other. */
const LOCK = 'SELECT FROM delegations WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE'

/** Returns for each whether it was saved. Throws VersionConflict when one of several has changed: each is then tried alone. */
async function saveAll(db: Database, some: readonly Replacement<Delegation>[]): Promise<readonly boolean[]> {
  const ids = some.map(({ value }) => value.id)
  const isSaved = await unlessChanged(() =>
    db.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(LOCK, ids)
      await DELEGATIONS.update(tx, some)
    }),
  )
  if (!isSaved && some.length > 1) throw new VersionConflict()
  return some.map(() => isSaved)
}

const KNOWN = `
SELECT signature, CASE WHEN bool_or(known = 'under_way') THEN 'under_way' ELSE min(known) END AS known
FROM (
  SELECT signature, CASE kind WHEN '${APPROVAL}' THEN 'approve' ELSE 'booked' END AS known
  FROM ledger_entries WHERE signature = ANY ($1::text[])
  UNION ALL
  SELECT signature, 'under_way' FROM transfer_attempts WHERE signature = ANY ($1::text[]) AND state IN ${LIVE_ATTEMPTS}
  UNION ALL
  SELECT fee_payer_signature, 'approve' FROM approvals
  WHERE fee_payer_signature = ANY ($1::text[]) AND state IN ${sqlList(LIVE_APPROVAL_STATES)}
) found GROUP BY signature`

/** A wallet that is halted already stays so, with the reason of its first pull. */
async function haltFor(db: Database, { delegation, version, ledger, reason, at }: UnexplainedPull): Promise<boolean> {
  const { network, wallet: address } = delegation
  return await unlessChanged(() =>
    db.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(LOCK, [delegation.id])
      await DELEGATIONS.update(tx, [{ value: { ...delegation, version: version + 1 }, version }])
      await writeLedger(tx, [{ entries: ledger, at }])
      const open = await tx.halt.findFirst({ where: { address, clearedAt: null }, select: { id: true } })
      if (open === null) await tx.halt.create({ data: { network, address, reason, faults: [], haltedAt: at } })
    }),
  )
}

export function createDelegationLookup(db: Database): DelegationLookup {
  return {
    // The subscriptions of a page ask at one moment, and share a few statements.
    find: createBatcher(
      async (ids: readonly string[]) => {
        const rows = (await db.query(BY_ID, [ids])).map(DELEGATIONS.fromRow)
        const found = new Map(rows.map((delegation) => [delegation.id, delegation]))
        return ids.map((id) => found.get(id) ?? null)
      },
      { maxSize: 100, concurrency: 4, isSharedFailure: isDatabaseUnavailable },
    ),

    countLive: createBatcher(
      async (asked: readonly LiveOn[]) => {
        const delegationIds = asked.map(({ delegationId }) => delegationId)
        const accountIds = asked.map(({ accountId }) => accountId)
        const rows = await db.query<{ count: number }>(COUNT_LIVE, [delegationIds, accountIds])
        return rows.map(({ count }) => count)
      },
      { maxSize: 100, concurrency: 4, isSharedFailure: isDatabaseUnavailable },
    ),

    async ofMerchant({ network, accountId }, wallet) {
      return (await db.query(OF_MERCHANT, [network, wallet, accountId])).map(DELEGATIONS.fromRow)
    },
  }
}

const BY_ID = `SELECT ${DELEGATIONS.columns} FROM delegations WHERE id = ANY ($1::uuid[])`

const COUNT_LIVE = `
SELECT (
  SELECT count(*)::int FROM billing_subscriptions subscription
  WHERE subscription.delegation_id = asked.delegation_id AND subscription.account_id = asked.account_id
    AND subscription.status NOT IN ${ENDED_STATUSES}
) AS count
FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY asked (delegation_id, account_id, place) ORDER BY place`

const OF_MERCHANT = `
SELECT ${DELEGATIONS.columns} FROM delegations
WHERE network = $1::network_name AND wallet = $2 AND EXISTS (
  SELECT FROM billing_subscriptions subscription
  WHERE subscription.delegation_id = delegations.id AND subscription.account_id = $3::uuid)
ORDER BY created_at DESC LIMIT 10`

const readingsOf = (condition: string): string => `
(SELECT ${DELEGATIONS.columns}, row_number() OVER (ORDER BY chain_checked_at) AS place FROM delegations
 WHERE network = $1::network_name AND ${condition}
 ORDER BY chain_checked_at LIMIT $3::int)`

const USED = "IN ('active', 'exhausted')"

/**
 * The old readings and those of the future take turns: more old ones may always be due than a round reads. A delegation is read once
 * more after its last subscription has ended: the last pull may be lost.
 */
const STALE = `
SELECT * FROM (${readingsOf(`status ${USED} AND chain_checked_at <= $2`)} UNION ALL ${readingsOf(`status ${USED} AND chain_checked_at > $4`)}
  UNION ALL ${readingsOf("status = 'cleared' AND chain_checked_at < cleared_at")}) stale
ORDER BY place, "chainCheckedAt" LIMIT $3::int`

const SLICES = `
SELECT ${slicesWhere('slice.delegation_id = asked.id')} AS slices
FROM unnest($1::uuid[]) WITH ORDINALITY asked (id, place) ORDER BY place`

const PULLS_AFTER = `
SELECT charge.subscription_id AS "subscriptionId", charge.amount::text AS amount
FROM billing_subscriptions subscription
JOIN charges charge ON charge.subscription_id = subscription.id AND charge.status = 'succeeded'
JOIN transfer_attempts attempt ON attempt.signature = charge.signature
WHERE subscription.delegation_id = $1::uuid AND attempt.slot > $2::bigint`
