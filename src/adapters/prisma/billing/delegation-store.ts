// Delegations, as the engine reads the chain for them.

import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { unlessChanged, VersionConflict } from '#adapters/prisma/transaction.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { DelegationLookup, DelegationStore, LiveOn } from '#ports/billing.ts'
import { ENDED_STATUSES } from './ended.ts'
import { type SliceJson, sliceFromJson, slicesWhere } from './slices.ts'
import type { Replacement } from './table.ts'
import { DELEGATIONS } from './tables.ts'

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

const readingsOf = (time: string): string => `
(SELECT ${DELEGATIONS.columns}, row_number() OVER (ORDER BY chain_checked_at) AS place FROM delegations
 WHERE network = $1::network_name AND status IN ('active', 'exhausted') AND chain_checked_at ${time}
 ORDER BY chain_checked_at LIMIT $3::int)`

/** The old readings and those of the future take turns: more old ones may always be due than a round reads. */
const STALE = `
SELECT * FROM (${readingsOf('<= $2')} UNION ALL ${readingsOf('> $4')}) stale
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
