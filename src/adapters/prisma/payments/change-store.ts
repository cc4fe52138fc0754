// Applies decisions: the intent, its deposits, ledger, transfers, attempt, events and notices in one transaction, or
// nothing of them.

import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import { type Commit, commit } from '#adapters/prisma/commit.ts'
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { DEPOSITS, type PayeeRow, payeeFromRow } from '#adapters/prisma/rows.ts'
import { columnsOf, definitions, rowNames, sqlList, sqlNames } from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { type TransferRow, transferFromRow, transfersWhere } from '#adapters/prisma/transfers/transfer-rows.ts'
import { SERVICE_ACTOR } from '#core/accounts/audit.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import { record } from '#core/codec.ts'
import { waiverEntry } from '#core/marketplace/audit.ts'
import { endsWithoutEvent, INTENT_UPDATED, type IntentChange, type IntentFacts } from '#core/payments/change.ts'
import { DEPOSIT_FIELDS, type Deposit, intentToJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { type SearchEntry, searchEntryOf } from '#core/payments/payment-search.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import { asPaymentTransfer, PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { ChangeStore, IntentWorkStore, WatchedIntent } from '#ports/payments.ts'
import {
  columnsJson,
  INTENT_COLUMNS,
  type IntentRow,
  intentFromRow,
  UPDATE_INTENT,
  UPDATE_SEARCHED_INTENT,
} from './intent-columns.ts'
import { createUnacceptedStore } from './unaccepted-store.ts'

// A payment's events, as the outbox takes them: the snapshot of the payment with what the outbox has to know of it.

/** Returns the events of a change. An entry for the feed of a marketplace follows when the last event does not show all of it. */
function stagedEvents(change: IntentChange): readonly StagedEvent[] {
  const events = change.events.map(({ type, intent }) => stagedEvent(type, intent))
  return endsWithoutEvent(change) ? [...events, stagedEvent(INTENT_UPDATED, change.after)] : events
}

/**
 * Deletes the entry of a payment that a new entry replaces. So a payment has one entry at most, however often a stranger sends
 * dust or a buyer changes their details.
 */
const deleteReplacedEntry = (tx: Tx, intentId: string) =>
  tx.$executeRaw`DELETE FROM events WHERE intent_id = ${intentId}::uuid AND type = ${INTENT_UPDATED}`

/** An event of a seller's payment is the seller's, and goes to the endpoints of its marketplace, which made the payment. */
const stagedEvent = (type: IntentEventType | typeof INTENT_UPDATED, intent: PaymentIntent): StagedEvent => ({
  network: intent.network,
  accountId: intent.accountId,
  receiverAccountId: intent.callerAccountId,
  type,
  subject: { kind: PAYMENT_SUBJECT, id: intent.id },
  version: intent.version,
  data: intentToJson(intent),
  at: intent.updatedAt,
})

// Everything that a decision about an intent rests on, in one statement and so of one moment. Whatever is asked for at one
// moment shares it.

const MAX_BATCH = 64
const CONCURRENT_BATCHES = 4

/** Null for an intent that does not exist. */
function createFactsReader(db: Database): (intentId: string) => Promise<IntentFacts | null> {
  return createBatcher(
    async (ids) => {
      const rows = await db.query<FactsRow>(FACTS, [ids])
      const found = new Map(rows.map((row) => [row.id, factsFromRow(row)]))
      return ids.map((id) => found.get(id) ?? null)
    },
    { maxSize: MAX_BATCH, concurrency: CONCURRENT_BATCHES, isSharedFailure: isDatabaseUnavailable },
  )
}

type FactsRow = IntentRow &
  PayeeRow & { readonly deposits: readonly unknown[]; readonly transfers: readonly TransferRow[] }

const factsFromRow = (row: FactsRow): IntentFacts => ({
  intent: intentFromRow(row),
  payee: payeeFromRow(row),
  deposits: row.deposits.map(DEPOSITS.fromRow),
  transfers: row.transfers.map((transfer) => asPaymentTransfer(transferFromRow(transfer))),
})

const FACTS = `
SELECT intent.*,
  payee.derivation_index AS "accountIndex", payee.sweep_destination AS "sweepDestination",
  owner.id IS NOT NULL AS "isForSeller",
  coalesce(marketplace.fee_wallet, owner.sweep_destination) AS "feeDestination",
  (SELECT coalesce(jsonb_agg(to_jsonb(own)), '[]')
    FROM (SELECT ${DEPOSITS.columns} FROM deposits WHERE intent_id = intent.id ORDER BY deposits.slot, deposits.signature) own) AS deposits,
  ${transfersWhere('intent_id = intent.id')} AS transfers
FROM (SELECT ${INTENT_COLUMNS} FROM payment_intents WHERE id = ANY ($1::uuid[])) intent
JOIN accounts payee ON payee.id = intent."accountId"
LEFT JOIN accounts owner ON owner.id = payee.marketplace_account_id
LEFT JOIN marketplaces marketplace ON marketplace.account_id = owner.id`

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
  const { before, after, deposits, waived = [], audit } = change
  const row = [columnsJson(after), before.id, before.version]
  const search = changedSearch(before, after)
  const count = await (search === null
    ? tx.$executeRawUnsafe(UPDATE_INTENT, ...row)
    : tx.$executeRawUnsafe(UPDATE_SEARCHED_INTENT, ...row, search.shortText))
  if (count !== 1) throw new VersionConflict()
  if (search !== null) await writeSearch(tx, after, search)
  if (endsWithoutEvent(change)) await deleteReplacedEntry(tx, after.id)
  await writeDeposits(tx, deposits)
  if (waived.length > 0) {
    const by = { actor: SERVICE_ACTOR, at: after.updatedAt }
    await writeAudit(tx, after.callerAccountId, by, [waiverEntry(after, waived)])
  }
  if (audit !== undefined) {
    const by = { actor: audit.actor, at: after.updatedAt }
    await writeAudit(tx, after.callerAccountId, by, [audit.entry])
  }
}

/** Returns the texts by which a search finds the payment, when the buyer has changed them. */
const changedSearch = (before: PaymentIntent, after: PaymentIntent): SearchEntry | null =>
  after.customerDetails !== before.customerDetails ? searchEntryOf(after) : null

const writeSearch = (tx: Tx, { id, callerAccountId, createdAt }: PaymentIntent, { text }: SearchEntry) =>
  tx.$executeRaw`
INSERT INTO payment_search (intent_id, text, caller_account_id, created_at)
VALUES (${id}::uuid, ${text}, ${callerAccountId}::uuid, ${createdAt})
ON CONFLICT (intent_id) DO UPDATE SET text = excluded.text, parts = '{}', is_indexed = false`

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
