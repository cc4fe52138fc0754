// The reads of an audit of recurring billing: pages of charges, subscriptions and delegations, each page in one statement.
import { type SliceJson, sliceFromJson, slicesWhere } from '#adapters/prisma/billing/facts.ts'
import { CHARGES, DELEGATIONS, SUBSCRIPTIONS } from '#adapters/prisma/billing/tables.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { type TransferRow, transferFromRow, transfersWhere } from '#adapters/prisma/transfers/transfer-rows.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { makeSignature } from '#core/chain/base58.ts'
import type { ChargeAuditStore } from '#ports/audit.ts'

const CHARGE_BOOKS = `
SELECT to_jsonb(charge) AS charge,
  ${transfersWhere(`subject_kind = '${CHARGE}' AND subject_id = charge.id`)} AS transfers,
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
      'signature', attempt.signature, 'succeeded', attempt.state = 'final_ok')), '[]')
    FROM transfers transfer JOIN transfer_attempts attempt ON attempt.transfer_id = transfer.id
    WHERE transfer.subject_kind = '${CHARGE}' AND transfer.subject_id = charge.id
      AND attempt.state IN ('final_ok', 'final_err')) AS transactions,
  (SELECT coalesce(jsonb_agg(DISTINCT signature), '[]') FROM ledger_entries
    WHERE subject_id = charge.id AND address = $4) AS booked,
  (SELECT coalesce(-sum(delta), 0)::text FROM ledger_entries
    WHERE subject_id = charge.id AND address = $4 AND asset = 'SOL') AS spent,
  (SELECT count(*)::int FROM charges other
    WHERE other.subscription_id = charge."subscriptionId" AND other.id <> charge.id AND other.status = 'succeeded'
      AND other.period_start < charge."periodEnd" AND other.period_end > charge."periodStart") AS overlapping
FROM (SELECT ${CHARGES.columns} FROM charges WHERE network = $1::network_name AND id > $2::uuid ORDER BY id LIMIT $3::int) charge
ORDER BY charge.id`

type ChargeRow = {
  readonly charge: unknown
  readonly transfers: readonly TransferRow[]
  readonly transactions: readonly { readonly signature: string; readonly succeeded: boolean }[]
  readonly booked: readonly string[]
  readonly spent: string
  readonly overlapping: number
}

const SUBSCRIPTION_BOOKS = `
SELECT to_jsonb(subscription) AS subscription, to_jsonb(delegation) AS delegation, charged.amount, charged.period
FROM (SELECT ${SUBSCRIPTIONS.columns} FROM billing_subscriptions
  WHERE network = $1::network_name AND id > $2::uuid ORDER BY id LIMIT $3::int) subscription
JOIN LATERAL (SELECT ${DELEGATIONS.columns} FROM delegations WHERE id = subscription."delegationId") delegation ON true
CROSS JOIN LATERAL (
  SELECT coalesce(sum(amount), 0)::text AS amount, max(period_index) AS period FROM charges
  WHERE subscription_id = subscription.id AND status = 'succeeded') charged
ORDER BY subscription.id`

type SubscriptionRow = {
  readonly subscription: unknown
  readonly delegation: unknown
  readonly amount: string
  readonly period: number | null
}

const DELEGATION_BOOKS = `
SELECT to_jsonb(delegation) AS delegation, ${slicesWhere('slice.delegation_id = delegation.id')} AS slices,
  (SELECT coalesce(-sum(entry.delta), 0)::text
    FROM approvals approval JOIN ledger_entries entry ON entry.subject_id = approval.id
    WHERE approval.delegation_id = delegation.id AND entry.address = $4 AND entry.asset = 'SOL') AS spent
FROM (SELECT ${DELEGATIONS.columns} FROM delegations
  WHERE network = $1::network_name AND id > $2::uuid ORDER BY id LIMIT $3::int) delegation
ORDER BY delegation.id`

type DelegationRow = {
  readonly delegation: unknown
  readonly slices: readonly SliceJson[]
  readonly spent: string
}

export const createChargeAuditStore = (db: Pick<Database, 'query'>): ChargeAuditStore => ({
  async charges(network, { after, limit }, feePayer) {
    const rows = await db.query<ChargeRow>(CHARGE_BOOKS, [network, after, limit, feePayer])
    return rows.map(({ charge, transfers, transactions, booked, spent, overlapping }) => ({
      charge: CHARGES.fromRow(charge),
      transfers: transfers.map(transferFromRow),
      transactions: transactions.map(({ signature, succeeded }) => ({
        signature: makeSignature(signature),
        succeeded,
      })),
      booked: booked.map(makeSignature),
      feePayerSpent: BigInt(spent),
      overlapping,
    }))
  },

  async subscriptions(network, { after, limit }) {
    const rows = await db.query<SubscriptionRow>(SUBSCRIPTION_BOOKS, [network, after, limit])
    return rows.map(({ subscription, delegation, amount, period }) => ({
      subscription: SUBSCRIPTIONS.fromRow(subscription),
      delegation: DELEGATIONS.fromRow(delegation),
      charged: BigInt(amount),
      lastPaid: period,
    }))
  },

  async delegations(network, { after, limit }, feePayer) {
    const rows = await db.query<DelegationRow>(DELEGATION_BOOKS, [network, after, limit, feePayer])
    return rows.map(({ delegation, slices, spent }) => ({
      delegation: DELEGATIONS.fromRow(delegation),
      slices: slices.map(sliceFromJson),
      feePayerSpent: BigInt(spent),
    }))
  },
})
