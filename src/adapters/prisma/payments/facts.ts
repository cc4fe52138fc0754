// Everything that a decision about an intent rests on, in one statement and so of one moment. Whatever is asked for at one
// moment shares it.

import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { INTENT_COLUMNS, type IntentRow, intentFromRow } from '#adapters/prisma/payments/intent-columns.ts'
import { DEPOSITS, type PayeeRow, payeeFromRow } from '#adapters/prisma/rows.ts'
import { type TransferRow, transferFromRow, transfersWhere } from '#adapters/prisma/transfers/transfer-rows.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { asPaymentTransfer } from '#core/payments/transfers.ts'
import { createBatcher } from '#lib/batcher.ts'

const MAX_BATCH = 64
const CONCURRENT_BATCHES = 4

/** Null for an intent that does not exist. */
export function createFactsReader(db: Database): (intentId: string) => Promise<IntentFacts | null> {
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
