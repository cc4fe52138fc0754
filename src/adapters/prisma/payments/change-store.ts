// Applies decisions: the intent, its deposits, ledger, transfers, attempt, events and notices in one transaction, or
// nothing of them.
import { columnsOf, definitions, rowNames, sqlNames } from '#adapters/prisma/columns.ts'
import { type Commit, commit } from '#adapters/prisma/commit.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { writeAudit } from '#adapters/prisma/marketplace/audit-trail.ts'
import { deleteReplacedEntry, stagedEvents } from '#adapters/prisma/payments/events.ts'
import { createFactsReader } from '#adapters/prisma/payments/facts.ts'
import { columnsJson, UPDATE_INTENT, UPDATE_SEARCHED_INTENT } from '#adapters/prisma/payments/intent-columns.ts'
import { createUnacceptedStore } from '#adapters/prisma/payments/unaccepted-store.ts'
import { sqlList } from '#adapters/prisma/sql-parts.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import { record } from '#core/codec.ts'
import { SERVICE_ACTOR, waiverEntry } from '#core/marketplace/audit.ts'
import { type SearchEntry, searchEntryOf } from '#core/marketplace/payment-search.ts'
import { endsWithoutEvent, type IntentChange } from '#core/payments/change.ts'
import { DEPOSIT_FIELDS, type Deposit, isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import type { ChangeStore, IntentWorkStore, WatchedIntent } from '#ports/payments.ts'

const OPEN = sqlList(statusesWhere('isOpen'))

const watchList = (open: boolean) => `
SELECT id FROM payment_intents
WHERE network = $1::network_name AND status ${open ? '' : 'NOT '}IN ${OPEN} AND derivation_index > $2
ORDER BY derivation_index LIMIT $3::int`
const WATCH_LIST = { open: watchList(true), ended: watchList(false) }

/** $3 and $4: the payment after which the page begins, or null for the first page. */
const EXPIRED = `
SELECT id, expires_at FROM payment_intents
WHERE network = $1::network_name AND status IN ${sqlList(statusesWhere('canExpire'))} AND expires_at < $2
  AND (expires_at, id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::uuid, '00000000-0000-0000-0000-000000000000'))
ORDER BY expires_at, id LIMIT $5::int`

export function createChangeStore(db: Database): ChangeStore {
  return {
    apply: (change) => commit(db, (tx) => writeState(tx, change), [commitOf(change)]),
  }
}

/** The intent's row comes first: every change of an intent queues here. */
async function writeState(tx: Tx, change: IntentChange): Promise<void> {
  const { before, after, deposits, waived = [] } = change
  const row = [columnsJson(after), before.id, before.version]
  const search = changedSearch(before, after)
  const count = await (search === null
    ? tx.$executeRawUnsafe(UPDATE_INTENT, ...row)
    : tx.$executeRawUnsafe(UPDATE_SEARCHED_INTENT, ...row, search.shortText))
  if (count !== 1) throw new VersionConflict()
  if (search !== null) await writeSearch(tx, after.id, search)
  if (endsWithoutEvent(change)) await deleteReplacedEntry(tx, after.id)
  await writeDeposits(tx, deposits)
  if (waived.length > 0) {
    const by = { actor: SERVICE_ACTOR, at: after.updatedAt }
    await writeAudit(tx, after.callerAccountId, by, [waiverEntry(after, waived)])
  }
}

/** Returns the texts by which a search of the marketplace finds the payment, when the buyer has changed them. */
const changedSearch = (before: PaymentIntent, after: PaymentIntent): SearchEntry | null =>
  isForSeller(after) && after.customerDetails !== before.customerDetails ? searchEntryOf(after) : null

const writeSearch = (tx: Tx, intentId: string, { text, parts }: SearchEntry) =>
  tx.$executeRaw`UPDATE payment_search SET text = ${text}, parts = ${[...parts]}::text[] WHERE intent_id = ${intentId}::uuid`

const commitOf = (change: IntentChange): Commit => ({
  ...change,
  at: change.after.updatedAt,
  version: change.after.version,
  reasons: new Map(change.releases.map(({ key, reason }) => [key, reason])),
  events: stagedEvents(change),
  notice: { channel: INTENT_CHANGED, payload: change.after.id },
})

/** Writes all deposits in one statement: one for each would exceed the transaction's time limit. */
async function writeDeposits(tx: Tx, deposits: readonly Deposit[]): Promise<void> {
  if (deposits.length === 0) return
  await tx.$executeRawUnsafe(WRITE_DEPOSITS, JSON.stringify(deposits.map((deposit) => depositCodec.write(deposit))))
}

const depositCodec = record(DEPOSIT_FIELDS)
const DEPOSIT_COLUMNS = columnsOf(DEPOSIT_FIELDS, { use: 'deposit_use' })
const WRITE_DEPOSITS = `
INSERT INTO deposits (${sqlNames(DEPOSIT_COLUMNS)})
SELECT DISTINCT ON (signature, account, asset) ${rowNames(DEPOSIT_COLUMNS)}
FROM jsonb_to_recordset($1::jsonb) AS given (${definitions(DEPOSIT_COLUMNS)})
ON CONFLICT (signature, account, asset) DO UPDATE SET use = excluded.use, senders = excluded.senders`

// ── what workers read ────────────────────────────────────────────────────────────────────────────────────────────

const WATCHED = {
  id: true,
  version: true,
  network: true,
  derivationIndex: true,
  address: true,
  acceptedAssets: true,
  asset: true,
  status: true,
  createdAt: true,
  expiresAt: true,
  updatedAt: true,
} satisfies Prisma.PaymentIntentSelect

const watchedFromRow = (row: Prisma.PaymentIntentGetPayload<{ select: typeof WATCHED }>): WatchedIntent => ({
  ...row,
  address: makeAddress(row.address),
  acceptedAssets: row.acceptedAssets.map(makeAsset),
  asset: row.asset === null ? null : makeAsset(row.asset),
})

export function createIntentWorkStore(db: Database): IntentWorkStore {
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  const watched = async (ids: readonly string[]): Promise<readonly WatchedIntent[]> => {
    const rows = await db.prisma.paymentIntent.findMany({ where: { id: { in: [...ids] } }, select: WATCHED })
    return rows.map(watchedFromRow)
  }

  return {
    ...createChangeStore(db),

    facts: createFactsReader(db),

    async selectionTimes(intentId, most) {
      const type: IntentEventType = 'intent.token_selected'
      const rows = await db.prisma.event.findMany({
        where: { intentId, type },
        orderBy: { sequence: 'desc' },
        take: most,
        select: { createdAt: true },
      })
      return rows.map(({ createdAt }) => createdAt)
    },

    recordUnaccepted: createUnacceptedStore(db).record,

    async watchList(network, { afterIndex, limit, open }) {
      const page = await db.query<{ id: string }>(WATCH_LIST[open ? 'open' : 'ended'], [network, afterIndex, limit])
      return (await watched(idsOf(page))).toSorted((a, b) => a.derivationIndex - b.derivationIndex)
    },

    watched,

    async expired(network, before, { after, limit }) {
      const rows = await db.query<ExpiredRow>(EXPIRED, [
        network,
        before,
        after?.expiresAt ?? null,
        after?.id ?? null,
        limit,
      ])
      return rows.map(({ id, expires_at: expiresAt }) => ({ id, expiresAt }))
    },
  }
}

type ExpiredRow = { readonly id: string; readonly expires_at: Date }
