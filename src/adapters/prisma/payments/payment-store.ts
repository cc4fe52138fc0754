// Payment intents as businesses and buyers reach them.

import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { type Announce, createLateNotices, DELIVERIES_DUE, INTENTS_CREATED } from '#adapters/prisma/engine/notices.ts'
import { STAGE_FIRST_EVENTS } from '#adapters/prisma/events/outbox.ts'
import { INSERTED_COLUMNS, INSERTED_DEFINITIONS, INSERTED_NAMES } from '#adapters/prisma/payments/intent-columns.ts'
import { createIntentLookup } from '#adapters/prisma/payments/lookup.ts'
import { DEPOSITS } from '#adapters/prisma/rows.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { paymentEntry } from '#core/marketplace/audit.ts'
import { metadataEntriesOf } from '#core/metadata.ts'
import { createdIntent, intentToJson, isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { searchEntryOf } from '#core/payments/payment-search.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { CheckoutStore, IntentStore } from '#ports/payments.ts'
import { digestOf } from './search-index.ts'

const CREATED: IntentEventType = 'intent.created'

const MAX_BATCH = 150
/** Two statements in flight keep the database busy while the next batch gathers. */
const CONCURRENT_BATCHES = 2

export function createIntentStore(db: Database): IntentStore {
  const announce = createLateNotices(db)
  const insert = createBatcher((items: readonly Creation[]) => insertBatch(db, announce, items), {
    maxSize: MAX_BATCH,
    concurrency: CONCURRENT_BATCHES,
    isSharedFailure: isDatabaseUnavailable,
  })
  const lookup = createIntentLookup(db)
  const findByReference = (tenant: Tenant, reference: string) => lookup.byReference({ tenant, reference })

  return {
    async reserveIndexes(count) {
      const rows = await db.query<{ index: bigint }>(
        `SELECT nextval('payment_intents_derivation_index_seq') AS index FROM generate_series(1, $1)`,
        [count],
      )
      return rows.map(({ index }) => Number(index))
    },

    async create(tenant, draft) {
      const intent = createdIntent(tenant, draft)
      if (await insert({ intent, clientSecretHash: draft.clientSecretHash, createdBy: draft.createdBy }))
        return { intent, created: true }
      const stored = draft.reference === null ? null : await findByReference(tenant, draft.reference)
      if (stored === null) throw new Error('an intent was refused for a reference that no intent has')
      return { intent: stored, created: false }
    },

    findByIndex: (tenant, index) => lookup.byIndex({ tenant, index }),
    findById: (tenant, id) => lookup.byId({ tenant, id }),
    findByReference,
  }
}

export function createCheckoutStore(db: Database): CheckoutStore {
  return {
    findByClientSecretHash: createIntentLookup(db).byClientSecretHash,
    async countedDeposits(intentId, most) {
      const rows = await db.prisma.deposit.findMany({
        where: { intentId, use: 'applied' },
        orderBy: [{ slot: 'desc' }, { signature: 'desc' }],
        take: most,
      })
      return rows.map(DEPOSITS.fromRow).reverse()
    },
  }
}

type Creation = {
  readonly intent: PaymentIntent
  readonly clientSecretHash: Uint8Array
  readonly createdBy: Actor | null
}

// Intent, outbox event and deliveries of the whole batch in one statement, and so in one transaction. The row
// is read out of the event's own snapshot, so the two cannot differ, and each word travels once. A reference that is
// taken, be it by an earlier row of the same batch, inserts nothing and stages nothing.
const insertBatchWith = ({ audited }: { readonly audited: string }): string => `
WITH input AS (
  SELECT place, data, client_secret_hash, searched_text, search_text, row.*
  FROM ROWS FROM (json_array_elements($1::json), unnest($2::bytea[]), unnest($3::text[]), unnest($4::text[])) WITH ORDINALITY
      AS given(data, client_secret_hash, searched_text, search_text, place),
    json_to_record(data) AS row(${INSERTED_DEFINITIONS})
), inserted AS (
  INSERT INTO payment_intents (client_secret_hash, search_text, ${INSERTED_COLUMNS})
  SELECT client_secret_hash, search_text, ${INSERTED_NAMES} FROM input
  ON CONFLICT (caller_account_id, reference) DO NOTHING
  RETURNING id
), described AS (
  INSERT INTO payment_metadata (entry, created_at, intent_id)
  SELECT entry, "createdAt", id FROM unnest($5::uuid[], $6::bytea[]) AS given (id, entry) JOIN inserted USING (id) JOIN input USING (id)
), searched AS (
  INSERT INTO payment_search (intent_id, text, caller_account_id, created_at)
  SELECT id, searched_text, "callerAccountId", "createdAt" FROM input JOIN inserted USING (id) WHERE searched_text <> ''
), ${audited}given_events AS (
  SELECT place, network, "accountId" AS account_id, "callerAccountId" AS receiver_account_id, '${CREATED}' AS type,
    '${PAYMENT_SUBJECT}' AS subject_kind, id AS subject_id, 1 AS version, data, "createdAt" AS at
  FROM input JOIN inserted USING (id)
), ${STAGE_FIRST_EVENTS}
SELECT EXISTS (SELECT FROM queued) AS due, ARRAY(SELECT id FROM input WHERE id NOT IN (SELECT id FROM inserted)) AS refused`

const INSERT_OWN = insertBatchWith({ audited: '' })
/** Payments for sellers are audited. */
const INSERT_ANY = insertBatchWith({
  audited: `audited AS (
  INSERT INTO audit_log (account_id, seller_account_id, action, actor_kind, actor_credential, actor_member_id, actor_ip,
    changes, created_at)
  SELECT account_id, "sellerId", action, kind, credential, "memberId", ip, changes, at
  FROM jsonb_to_recordset($7::jsonb) AS given (id uuid, "marketplaceId" uuid, "sellerId" uuid, action text, kind text,
      credential text, "memberId" uuid, ip text, changes jsonb, at timestamptz)
    JOIN inserted USING (id) JOIN marketplaces ON account_id = "marketplaceId"
), `,
})

const auditRow = ({ intent, createdBy }: Creation): readonly object[] =>
  createdBy === null
    ? []
    : [
        {
          ...paymentEntry(intent),
          ...createdBy,
          id: intent.id,
          marketplaceId: intent.callerAccountId,
          at: intent.createdAt,
        },
      ]

/** The ids of payments, and for each an entry of its metadata. */
function metadataParameters(items: readonly Creation[]): readonly [readonly string[], readonly Uint8Array[]] {
  const entries = items.flatMap(({ intent: { id, callerAccountId, metadata } }) =>
    metadataEntriesOf(metadata ?? {}).map((entry) => ({ id, digest: digestOf(callerAccountId, entry) })),
  )
  return [entries.map(({ id }) => id), entries.map(({ digest }) => digest)]
}

/** `due`: a webhook is to be delivered. `refused`: the payments with a reference that is taken. */
type Inserted = { readonly due: boolean; readonly refused: readonly string[] }

async function insertBatch(db: Database, announce: Announce, items: readonly Creation[]): Promise<readonly boolean[]> {
  const forSellers = items.filter(({ intent }) => isForSeller(intent))
  const snapshots = items.map(({ intent }) => intentToJson(intent))
  const entries = items.map(({ intent }) => searchEntryOf(intent))
  const own = [
    JSON.stringify(snapshots),
    items.map(({ clientSecretHash }) => clientSecretHash),
    entries.map(({ text }) => text),
    entries.map(({ shortText }) => shortText),
    ...metadataParameters(items),
  ]
  const [answer] = await (forSellers.length === 0
    ? db.query<Inserted>(INSERT_OWN, own)
    : db.query<Inserted>(INSERT_ANY, [...own, JSON.stringify(forSellers.flatMap(auditRow))]))
  if (answer === undefined) throw new Error('the statement that creates payments returned no row')
  const refused = new Set(answer.refused)
  const ids = items.map(({ intent }) => intent.id)
  announce(
    INTENTS_CREATED,
    ids.filter((id) => !refused.has(id)),
  )
  if (answer.due) announce(DELIVERIES_DUE)
  return ids.map((id) => !refused.has(id))
}
