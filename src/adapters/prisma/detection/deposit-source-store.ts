import type { Database } from '#adapters/prisma/engine/database.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import { isAddress } from '#core/chain/base58.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import type { DepositSourceState, DepositSourceStore, SetAsidePayment, WatchedAddress } from '#ports/deposit-sources.ts'

type StateRow = Omit<DepositSourceState, 'cursor'> & {
  readonly slot: bigint | null
  readonly blockhash: string | null
  readonly savedAt: Date | null
}

const STATUSES = sqlList(statusesWhere('isOpen'))
const OPEN = `status IN ${STATUSES}`
const ENDED = `status NOT IN ${STATUSES}`

/** The same tiers as the watcher's. The addresses that ended more than a day ago are the rest of all addresses. */
const LOAD = `
WITH counted AS (
  SELECT CASE
      WHEN status = 'underpaid' OR (status = 'pending' AND asset IS NOT NULL) THEN 'busy'
      WHEN status = 'pending' THEN 'idle'
      ELSE 'closing'
    END AS tier, 1 + cardinality(array_remove(accepted_assets, 'SOL')) AS accounts
  FROM payment_intents WHERE network = $1 AND ${OPEN}
  UNION ALL
  SELECT CASE WHEN updated_at > $2::timestamptz - interval '10 minutes' THEN 'closing' ELSE 'ended' END,
    1 + cardinality(array_remove(accepted_assets, 'SOL'))
  FROM payment_intents
  WHERE network = $1 AND ${ENDED} AND updated_at > $2::timestamptz - interval '24 hours'
)
SELECT tier, sum(accounts)::int AS accounts, count(*)::int AS intents FROM counted GROUP BY tier`

const addressesWhere = (condition: string): string => `
SELECT id AS "intentId", address, derivation_index AS "derivationIndex", created_at AS "createdAt" FROM payment_intents
WHERE network = $1 AND derivation_index > $2 AND ${condition}
ORDER BY derivation_index LIMIT $3`

/** Two queries, so that each reads an index instead of every payment that ever ended. */
const LATEST_ADDRESSES = `
(${addressesWhere(OPEN)}) UNION ALL (${addressesWhere(`${ENDED} AND updated_at > $4`)})
ORDER BY "derivationIndex" LIMIT $3`

type LoadRow = { tier: string; accounts: number; intents: number }

export function createDepositSourceStore(db: Pick<Database, 'query'>): DepositSourceStore {
  return {
    async read(network) {
      const [row] = await db.query<StateRow>(
        `SELECT source, reason, since, slot, blockhash, saved_at AS "savedAt", notice_calls AS "noticeCallsPerMinute",
           polling_calls AS "pollingCallsPerMinute", block_calls AS "blockCallsPerMinute",
           noticed_accounts AS "noticedAccounts", watched_accounts AS "watchedAccounts"
         FROM deposit_sources WHERE network = $1`,
        [network],
      )
      if (row === undefined) return null
      const { slot, blockhash, savedAt, ...state } = row
      return {
        ...state,
        cursor: slot === null || blockhash === null || savedAt === null ? null : { slot, blockhash, savedAt },
      }
    },

    async saveChoice(network, choice) {
      const { noticeCallsPerMinute, pollingCallsPerMinute, blockCallsPerMinute } = choice
      const calls = [noticeCallsPerMinute, pollingCallsPerMinute, blockCallsPerMinute].map(Math.round)
      await db.query(
        `INSERT INTO deposit_sources (network, source, reason, since, notice_calls, polling_calls, block_calls,
           noticed_accounts, watched_accounts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (network) DO UPDATE SET source = excluded.source, reason = excluded.reason,
           since = excluded.since, notice_calls = excluded.notice_calls, polling_calls = excluded.polling_calls,
           block_calls = excluded.block_calls, noticed_accounts = excluded.noticed_accounts,
           watched_accounts = excluded.watched_accounts`,
        [network, choice.source, choice.reason, choice.since, ...calls, choice.noticedAccounts, choice.watchedAccounts],
      )
    },

    async saveCursor(network, { slot, blockhash }, at) {
      await db.query(
        `UPDATE deposit_sources SET slot = $2, blockhash = $3, saved_at = $4
         WHERE network = $1 AND (slot IS NULL OR slot < $2)`,
        [network, slot, blockhash, at],
      )
    },

    async addresses(network, { afterIndex, limit, endedSince }) {
      const page = [network, afterIndex, limit]
      return endedSince === null
        ? await db.query<WatchedAddress>(addressesWhere('true'), page)
        : await db.query<WatchedAddress>(LATEST_ADDRESSES, [...page, endedSince])
    },

    async intentsAt(network, addresses) {
      if (addresses.length === 0) return new Map()
      const rows = await db.query<{ id: string; address: string }>(
        'SELECT id, address FROM payment_intents WHERE address = ANY($2::text[]) AND network = $1',
        [network, addresses],
      )
      return new Map(rows.flatMap(({ id, address }) => (isAddress(address) ? [[address, id] as const] : [])))
    },

    async setAside(network, intentIds, reason, at, nextLookAt) {
      await db.query(
        `INSERT INTO set_aside_payments (intent_id, network, reason, set_aside_at, next_look_at)
         SELECT intent_id, $1::network_name, $3, $4::timestamptz, $5::timestamptz FROM unnest($2::uuid[]) AS intent_id
         ON CONFLICT (intent_id) DO UPDATE
           SET reason = excluded.reason, version = set_aside_payments.version + 1`,
        [network, intentIds, reason, at, nextLookAt],
      )
    },

    async allSetAside(network) {
      const rows = await db.query<{ intent_id: string }>(
        'SELECT intent_id FROM set_aside_payments WHERE network = $1',
        [network],
      )
      return rows.map(({ intent_id }) => intent_id)
    },

    async dueSetAside(network, now, limit) {
      return await db.query<SetAsidePayment>(
        `SELECT intent_id AS "intentId", version, attempts FROM set_aside_payments
         WHERE network = $1 AND next_look_at <= $2 ORDER BY next_look_at, intent_id LIMIT $3`,
        [network, now, limit],
      )
    },

    async postponeSetAside(intentId, attempts, nextLookAt) {
      await db.query('UPDATE set_aside_payments SET attempts = $2, next_look_at = $3 WHERE intent_id = $1', [
        intentId,
        attempts,
        nextLookAt,
      ])
    },

    async endSetAside({ intentId, version }) {
      const rows = await db.query(
        'DELETE FROM set_aside_payments WHERE intent_id = $1 AND version = $2 RETURNING intent_id',
        [intentId, version],
      )
      return rows.length > 0
    },

    async load(network, now, issued) {
      const rows = await db.query<LoadRow>(LOAD, [network, now])
      const of = (tier: string): number => rows.find((row) => row.tier === tier)?.accounts ?? 0
      const known = rows.reduce((sum, { intents }) => sum + intents, 0)
      const accounts = rows.reduce((sum, row) => sum + row.accounts, 0)
      const each = known === 0 ? 1 : accounts / known
      return {
        busy: of('busy'),
        idle: of('idle'),
        closing: of('closing'),
        ended: of('ended'),
        old: Math.round(Math.max(0, issued - known) * each),
      }
    },
  }
}
