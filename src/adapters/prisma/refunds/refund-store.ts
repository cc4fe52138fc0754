// Refunds by businesses, and what they take of what settled.
import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { DELIVERIES_DUE } from '#adapters/prisma/engine/notices.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { GIVEN_EVENTS, STAGE_EVENTS, type StagedEvent } from '#adapters/prisma/events/outbox.ts'
import { readTable } from '#adapters/prisma/sql.ts'
import { tableOf } from '#adapters/prisma/table.ts'
import { type Tx, unlessChanged } from '#adapters/prisma/transaction.ts'
import { addressCodec, networkCodec, unitsCodec } from '#core/chain/codecs.ts'
import { type Decoded, flag, integer, nullable, plain, record, text, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { makeBaseUnits, ZERO } from '#core/money/amounts.ts'
import { type Counted, countedIn, type Settled } from '#core/refunds/plan.ts'
import {
  PARTS,
  REFUND_FIELDS,
  REFUND_SUBJECT,
  REFUND_TRANSACTION_FIELDS,
  type Refund,
  type RefundEventType,
  refundCreatedEntry,
  refundToJson,
  SHOWN_REFUNDS,
} from '#core/refunds/refund.ts'
import type { RefundStore, RefundWorkStore } from '#ports/refunds.ts'

export const REFUNDS = tableOf('refunds', REFUND_FIELDS)
const TRANSACTIONS = readTable('refund_transactions', REFUND_TRANSACTION_FIELDS)

const subjectOf = ({ intentId, chargeId }: Pick<Refund, 'intentId' | 'chargeId'>): string => intentId ?? chargeId ?? ''

const stagedEvent = (type: RefundEventType, refund: Refund): StagedEvent => ({
  network: refund.network,
  accountId: refund.accountId,
  receiverAccountId: refund.callerAccountId,
  type,
  subject: { kind: REFUND_SUBJECT, id: refund.id },
  version: refund.version,
  data: refundToJson(refund),
  at: refund.updatedAt,
})

const STAGE = `
WITH ${GIVEN_EVENTS}, ${STAGE_EVENTS}
SELECT CASE WHEN EXISTS (SELECT FROM queued) THEN pg_notify('${DELIVERIES_DUE}', '') END::text`

const stage = (tx: Tx, events: readonly StagedEvent[]) => tx.$queryRawUnsafe(STAGE, JSON.stringify(events))

const BY_ID = `SELECT ${REFUNDS.columns} FROM refunds WHERE id = $1::uuid AND network = $2::network_name
  AND $3::uuid IN (account_id, caller_account_id)`
const BY_REFERENCE = `SELECT ${REFUNDS.columns} FROM refunds WHERE reference = $1 AND caller_account_id = $2::uuid`
/** Locks the row, so that the refunds of one payment or charge are decided one after the other. What settled only grows. */
const LOCK_LIMIT = `
INSERT INTO refund_limits (subject_id, settled) VALUES ($1::uuid, $2::numeric)
ON CONFLICT (subject_id) DO UPDATE SET settled = greatest(refund_limits.settled, excluded.settled)`

const COUNTED = `
SELECT part, reverse_fee AS "reverseFee", recipient, sum(refund_counted(status, ended_at, amount, paid_amount))::text AS counted,
  count(*) FILTER (WHERE ended_at IS NULL)::int AS waiting
FROM refunds WHERE coalesce(intent_id, charge_id) = $1::uuid AND (intent_id = $1::uuid OR charge_id = $1::uuid)
GROUP BY part, reverse_fee, recipient`

const countedRow = record({
  part: plain('text', oneOf(PARTS)),
  reverseFee: flag,
  recipient: addressCodec,
  counted: unitsCodec,
  waiting: integer,
})

const readCounted = (rows: readonly unknown[]): Counted => countedIn(rows.map((row) => countedRow.read(row, 'refunds')))

export function createRefundStore(db: Database): RefundStore {
  const refundOrNull = ([row]: readonly unknown[]): Refund | null => (row === undefined ? null : REFUNDS.fromRow(row))
  const findByReference: RefundStore['findByReference'] = async ({ accountId }, reference) =>
    refundOrNull(await db.query(BY_REFERENCE, [reference, accountId]))
  return {
    find: async ({ network, accountId }, id) => refundOrNull(await db.query(BY_ID, [id, network, accountId])),

    findByReference,

    async create(by, settled, reference, decide) {
      try {
        return await db.prisma.$transaction((tx) => createOnce(tx, by, settled, reference, decide))
      } catch (error) {
        const stored =
          reference !== null && isUniqueViolation(error) ? await findByReference(by.tenant, reference) : null
        if (stored === null) throw error
        return { refund: stored, created: false }
      }
    },

    async settledCharge({ network, accountId }, chargeId) {
      const [row] = await db.query(SETTLED_CHARGE, [chargeId, network, accountId])
      return row === undefined ? null : settledCharge(row)
    },

    counted: async (settled) => readCounted(await db.query(COUNTED, [subjectOf(settled)])),

    async lookSoon({ id }, at) {
      await db.query(LOOK_SOON, [id, at])
    },

    async refundsOf(subjectIds) {
      const rows = await db.query<RefundsRow>(REFUNDS_OF, [subjectIds])
      return new Map(
        rows.map(({ subjectId, counted, refunds }) => [
          subjectId,
          { refunds: refunds.map(REFUNDS.fromRow), total: makeBaseUnits(counted) },
        ]),
      )
    },
  }
}

type RefundsRow = { readonly subjectId: string; readonly counted: string; readonly refunds: readonly unknown[] }

/** A payment without refunds has no limit. */
const REFUNDS_OF = `
SELECT own.subject_id::text AS "subjectId", own.counted::text AS counted,
  (SELECT coalesce(jsonb_agg(to_jsonb(newest)), '[]') FROM (
    SELECT ${REFUNDS.columns} FROM refunds WHERE intent_id = own.subject_id OR charge_id = own.subject_id
    ORDER BY created_at DESC, id DESC LIMIT ${SHOWN_REFUNDS}) newest) AS refunds
FROM refund_limits own WHERE own.subject_id = ANY ($1::uuid[])`

async function createOnce(
  tx: Tx,
  { tenant: { accountId }, actor }: Parameters<RefundStore['create']>[0],
  settled: Settled,
  reference: string | null,
  decide: (counted: Counted) => readonly Refund[],
) {
  const subject = subjectOf(settled)
  await tx.$executeRawUnsafe(LOCK_LIMIT, subject, settled.amount.toString())
  // Another create with the reference may have held the lock.
  const [stored] = reference === null ? [] : await tx.$queryRawUnsafe<unknown[]>(BY_REFERENCE, reference, accountId)
  if (stored !== undefined) return { refund: REFUNDS.fromRow(stored), created: false }
  const refunds = decide(readCounted(await tx.$queryRawUnsafe<unknown[]>(COUNTED, subject)))
  const [refund] = refunds
  if (refund === undefined) throw new Error('a decision to refund has a refund')
  await REFUNDS.insert(tx, refunds)
  await stage(
    tx,
    refunds.map((one) => stagedEvent('refund.created', one)),
  )
  await writeAudit(tx, accountId, { actor, at: refund.createdAt }, refunds.map(refundCreatedEntry))
  return { refund, created: true }
}

const LOOK_SOON = `UPDATE refunds SET next_look_at = $2 WHERE id = $1::uuid AND next_look_at > $2`

const SETTLED_CHARGE = `
SELECT charge.id, charge.subscription_id AS "subscriptionId", charge.network, charge.account_id AS "accountId", charge.mint, charge.status, charge.amount::text AS amount,
  subscription.receiver_account_id AS "receiverAccountId", subscription.subscriber_wallet AS "wallet",
  delegation.token_program AS "tokenProgram", delegation.decimals, account.sweep_destination AS "payer",
  coalesce(account.label, account.name) AS label
FROM charges charge
JOIN billing_subscriptions subscription ON subscription.id = charge.subscription_id
JOIN delegations delegation ON delegation.id = subscription.delegation_id
JOIN accounts account ON account.id = charge.account_id
WHERE charge.id = $1::uuid AND charge.network = $2::network_name
  AND $3::uuid IN (charge.account_id, subscription.receiver_account_id)`

const chargeRow = record({
  id: uuid,
  subscriptionId: uuid,
  network: networkCodec,
  accountId: uuid,
  receiverAccountId: uuid,
  mint: addressCodec,
  status: text,
  amount: unitsCodec,
  wallet: addressCodec,
  tokenProgram: addressCodec,
  decimals: integer,
  payer: nullable(addressCodec),
  label: text,
})

/** The token of a charge is a dollar, of which a cent is a whole number of base units. */
function settledCharge(row: unknown): Settled {
  const charge = chargeRow.read(row, 'charges')
  const amount = charge.status === 'succeeded' ? charge.amount : ZERO
  const unitsOfCent = 10n ** BigInt(charge.decimals - 2)
  return {
    intentId: null,
    chargeId: charge.id,
    subscriptionId: charge.subscriptionId,
    network: charge.network,
    callerAccountId: charge.receiverAccountId,
    asset: charge.mint,
    decimals: charge.decimals,
    tokenProgram: charge.tokenProgram,
    label: charge.label,
    amount,
    cut: ZERO,
    rate: { units: makeBaseUnits((charge.amount / unitsOfCent) * unitsOfCent), cents: charge.amount / unitsOfCent },
    payee: { accountId: charge.accountId, wallet: charge.payer },
    marketplace: null,
    senders: [{ address: charge.wallet, amount }],
  }
}

export function createRefundWorkStore(db: Database): RefundWorkStore {
  return {
    due: async (network, now, limit) => (await db.query(dueWithin(limit), [network, now])).map(REFUNDS.fromRow),

    transactions: async (refundId) => (await db.query(OF_REFUND, [refundId])).map(TRANSACTIONS.fromRow),

    async paid(refundId) {
      const [row] = await db.query<{ transactions: readonly unknown[] }>(PAID, [refundId])
      if (row === undefined) return null
      const { transactions, ...refund } = row
      return { refund: REFUNDS.fromRow(refund), transactions: transactions.map(TRANSACTIONS.fromRow) }
    },

    named: async (network, addresses) => (await db.query(NAMED, [network, addresses])).map(REFUNDS.fromRow),

    async apply(before, { after, event, audit }, found) {
      const { version, updatedAt } = before
      const refund = isShownEqual(before, after) ? { ...after, updatedAt } : { ...after, version: version + 1 }
      const isWritten = await unlessChanged(() =>
        db.prisma.$transaction(async (tx) => {
          await REFUNDS.update(tx, [{ value: refund, version }])
          if (found.length > 0) await tx.$executeRawUnsafe(ADD_TRANSACTIONS, JSON.stringify(found.map(written)))
          if (event !== null) await stage(tx, [stagedEvent(event, refund)])
          if (audit !== undefined)
            await writeAudit(tx, refund.callerAccountId, { actor: audit.actor, at: refund.updatedAt }, [audit.entry])
        }),
      )
      return isWritten ? refund : null
    },

    async lookLater({ id }, at, now) {
      await db.query(LOOK_LATER, [id, at, now])
    },
  }
}

const LOOK_LATER = `
UPDATE refunds SET next_look_at = $2, looked_at = $3, failed_looks = failed_looks + 1
WHERE id = $1::uuid AND next_look_at IS NOT NULL`

/** Returns whether two states of a refund are shown in the same way. */
function isShownEqual(before: Refund, after: Refund): boolean {
  return (
    before.status === after.status &&
    before.paidAmount === after.paidAmount &&
    before.problem === after.problem &&
    before.signatures.length === after.signatures.length &&
    before.endedAt?.getTime() === after.endedAt?.getTime()
  )
}

const transactionCodec = record(REFUND_TRANSACTION_FIELDS)
const written = (transaction: Decoded<typeof REFUND_TRANSACTION_FIELDS>) => transactionCodec.write(transaction)

const ADD_TRANSACTIONS = `
INSERT INTO refund_transactions (refund_id, signature, slot, amount, paid_by)
SELECT "refundId", signature, slot, amount, "paidBy"
FROM jsonb_to_recordset($1::jsonb) AS given("refundId" uuid, signature text, slot bigint, amount numeric, "paidBy" text)`

const OF_REFUND = `SELECT ${TRANSACTIONS.columns} FROM refund_transactions WHERE refund_id = $1::uuid`

const PAID = `
SELECT ${REFUNDS.columns}, (
  SELECT coalesce(jsonb_agg(paid), '[]')
  FROM (SELECT ${TRANSACTIONS.columns} FROM refund_transactions WHERE refund_id = refunds.id) paid
) AS transactions
FROM refunds WHERE id = $1::uuid`

const NAMED = `SELECT ${REFUNDS.columns} FROM refunds
WHERE network = $1::network_name AND reference_key = ANY ($2::text[])`

/** The limit is part of the text, as in other queues. Businesses take turns, so one with many refunds does not keep the others waiting. */
const dueWithin = (limit: number): string => `
WITH due AS (
  SELECT id, row_number() OVER (PARTITION BY caller_account_id ORDER BY next_look_at) AS turn FROM refunds
  WHERE network = $1::network_name AND next_look_at <= $2)
SELECT ${REFUNDS.columns} FROM refunds JOIN due USING (id) ORDER BY turn, next_look_at LIMIT ${limit}`
