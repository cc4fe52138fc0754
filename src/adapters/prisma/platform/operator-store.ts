// The operator's queries of the records, across all businesses. No other edge gets this.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import { transferFromRow } from '#adapters/prisma/transfers/transfer-rows.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type {
  ListedTransfer,
  OperatorCounts,
  OperatorLogStore,
  OperatorStore,
  Queue,
  WorkerBeat,
  WorkerStore,
} from '#ports/operator.ts'

// A later round of the same kind, intent and asset replaces an earlier round. Each token account, each wallet of a refund, and the
// rent reserve have rounds of their own.
const SUPERSEDED = `EXISTS (
  SELECT FROM transfers later
  WHERE later.intent_id = transfer.intent_id AND later.kind = transfer.kind AND later.asset = transfer.asset
    AND later.round > transfer.round AND later.portion = transfer.portion
    AND later.source_account IS NOT DISTINCT FROM transfer.source_account
    AND (transfer.kind <> 'refund' OR EXISTS (
      SELECT FROM transfer_legs own JOIN transfer_legs other USING (role, destination)
      WHERE own.transfer_id = transfer.id AND other.transfer_id = later.id AND role = 'refund')))`

// Failed charges are planned again automatically. A charge has its own alerts, and the time
// of its try is not the time at which its transfer was planned. The release of a token without books is ordered again.
const COUNTS = `
WITH stopped AS (
  SELECT transfer.intent_id, transfer.status FROM transfers transfer
  WHERE transfer.status IN ('failed', 'held') AND NOT ${SUPERSEDED}
    AND NOT (transfer.status = 'failed' AND transfer.kind IN ('${CHARGE}', '${TOKEN_RELEASE}'))
), waiting AS (
  SELECT transfer.key, transfer.reason, transfer.created_at FROM transfers transfer
  WHERE transfer.status IN ('planned', 'in_progress') AND transfer.created_at < $1
    AND transfer.kind NOT IN ('rent', '${CHARGE}') AND transfer.portion <> 'rent_reserve'
    AND NOT EXISTS (SELECT FROM halts WHERE halts.address = transfer.source AND halts.cleared_at IS NULL)
)
SELECT
  (SELECT count(*)::int FROM payment_intents
   WHERE status IN ${sqlList(statusesWhere('isOpen'))}) AS "openIntents",
  (SELECT count(*)::int FROM transfers WHERE status IN ('planned', 'in_progress')) AS "unfinishedTransfers",
  (SELECT count(*)::int FROM waiting) AS "waitingTransfers",
  (SELECT json_build_object('key', key, 'reason', reason) FROM waiting ORDER BY created_at, key LIMIT 1)
    AS "longestWaiting",
  (SELECT count(*)::int FROM stopped WHERE status = 'failed') AS "failedTransfers",
  (SELECT count(*)::int FROM stopped WHERE status = 'held') AS "heldTransfers",
  (SELECT count(*)::int FROM payment_intents intent WHERE intent.status IN ('settle_failed', 'refund_failed')
     AND NOT EXISTS (SELECT FROM stopped WHERE stopped.intent_id = intent.id)) AS "stuckIntents",
  (SELECT count(*)::int FROM halts WHERE cleared_at IS NULL) AS "haltedAddresses",
  (SELECT count(*)::int FROM set_aside_payments) AS "setAsidePayments",
  (SELECT json_build_object('intentId', intent_id, 'reason', reason) FROM set_aside_payments
   ORDER BY set_aside_at, intent_id LIMIT 1) AS "firstSetAside",
  (SELECT count(*)::int FROM webhook_endpoints
   WHERE disabled_reason IS NOT NULL AND deleted_at IS NULL) AS "disabledEndpoints"`

// Each part is read by a partial index of what waits. The first try is no retry.
const QUEUES = `
SELECT name, waiting::int, oldest AS "oldestSince", retries::int FROM (
  SELECT kind AS name, count(*) AS waiting, min(created_at) AS oldest, sum(greatest(attempt_count - 1, 0)) AS retries
  FROM transfers WHERE status IN ('planned', 'in_progress') GROUP BY kind
  UNION ALL
  SELECT 'webhook', count(*), min(created_at), sum(greatest(attempts - 1, 0))
  FROM webhook_deliveries WHERE status = 'pending'
  UNION ALL
  SELECT 'set_aside', count(*), min(set_aside_at), sum(attempts) FROM set_aside_payments
) queue
WHERE waiting > 0 ORDER BY name`

const NEWEST_FIRST = 'ORDER BY created_at DESC, id DESC LIMIT $1::int'

// Each status is read by its index. It is a literal: by a parameter, PostgreSQL would not find the index.
const newestOf = (...statuses: readonly TransferStatus[]): string => `
SELECT id::text FROM (
  ${statuses.map((status) => `(SELECT id, created_at FROM transfers WHERE status = '${status}' ${NEWEST_FIRST})`).join(' UNION ALL ')}
) newest ${NEWEST_FIRST}`

const NEWEST: Readonly<Record<TransferStatus | 'any', string>> = {
  any: newestOf('planned', 'in_progress', 'done', 'failed', 'held'),
  planned: newestOf('planned'),
  in_progress: newestOf('in_progress'),
  done: newestOf('done'),
  failed: newestOf('failed'),
  held: newestOf('held'),
}

const INCLUDE = { legs: true, intent: { select: { derivationIndex: true } } } satisfies Prisma.TransferInclude

const listedFromRow = (row: Prisma.TransferGetPayload<{ include: typeof INCLUDE }>): ListedTransfer => ({
  ...transferFromRow(row),
  intentIndex: row.intent?.derivationIndex ?? null,
})

export function createOperatorStore(db: Pick<Database, 'prisma' | 'query'>): OperatorStore {
  return {
    async ping() {
      await db.query('SELECT 1 AS answer')
    },

    async counts({ waitingSince }) {
      const [row] = await db.query<OperatorCounts>(COUNTS, [waitingSince])
      if (row === undefined) throw new Error('a count has a row')
      return row
    },

    queues: () => db.query<Queue>(QUEUES),

    async transfers({ status, limit }) {
      const newest = await db.query<{ id: string }>(NEWEST[status ?? 'any'], [limit])
      const rows = await db.prisma.transfer.findMany({
        where: { id: { in: newest.map(({ id }) => id) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        include: INCLUDE,
      })
      return rows.map(listedFromRow)
    },

    async transfer(id) {
      const row = await db.prisma.transfer.findUnique({ where: { id }, include: INCLUDE })
      return row === null ? null : listedFromRow(row)
    },
  }
}

export function createWorkerStore(db: Pick<Database, 'prisma' | 'query'>): WorkerStore {
  return {
    // Two statements: instances that are at work again after a long silence would wait for each other in one.
    async beat({ id, role, startedAt }, forgetAfterMs) {
      await db.query(
        `INSERT INTO workers (id, role, started_at, last_seen_at) VALUES ($1::uuid, $2, $3, now())
         ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at`,
        [id, role, startedAt],
      )
      await db.query("DELETE FROM workers WHERE last_seen_at < now() - $1 * interval '1 millisecond'", [forgetAfterMs])
    },

    async retire(id) {
      await db.prisma.worker.deleteMany({ where: { id } })
    },

    list: () =>
      db.query<WorkerBeat>(
        `SELECT id::text, role, started_at AS "startedAt", last_seen_at AS "lastSeenAt",
           (extract(epoch FROM now() - last_seen_at) * 1000)::float8 AS "silentMs"
         FROM workers ORDER BY started_at, id`,
      ),
  }
}

export const createOperatorLogStore = (prisma: PrismaClient): OperatorLogStore => ({
  async begin(entry) {
    const { id } = await prisma.operatorLogEntry.create({ data: entry, select: { id: true } })
    return id
  },

  async end(id, outcome, endedAt) {
    await prisma.operatorLogEntry.updateMany({ where: { id, outcome: null }, data: { outcome, endedAt } })
  },

  async list(limit, before, without) {
    const after = before === null ? null : await prisma.operatorLogEntry.findUnique({ where: { id: before } })
    const where = {
      ...(after !== null && { position: { lt: after.position } }),
      ...(without.length > 0 && { action: { notIn: [...without] } }),
    }
    return await prisma.operatorLogEntry.findMany({ where, orderBy: { position: 'desc' }, take: limit })
  },
})
