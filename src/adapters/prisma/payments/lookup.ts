// Intents by index, reference or client secret. A status is the most frequent request, so lookups of the same moment share
// one statement, and none of them passes through Prisma.
import { type Database, isDatabaseUnavailable, type Parameter } from '#adapters/prisma/engine/database.ts'
import { INTENT_COLUMNS, type IntentRow, intentFromRow } from '#adapters/prisma/payments/intent-columns.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { DepositAddressStore } from '#ports/payments.ts'

const MAX_BATCH = 200
/** The pool has ten connections; the rest are for writes. */
const CONCURRENT_BATCHES = 4

type Ask<Key> = (key: Key) => Promise<PaymentIntent | null>

export type IntentLookup = {
  /** Finds an intent of the tenant, or an intent that it created for a seller. */
  readonly byIndex: Ask<{ readonly tenant: Tenant; readonly index: number }>
  readonly byId: Ask<{ readonly tenant: Tenant; readonly id: string }>
  /** Finds an intent that the tenant created, for itself or for a seller. */
  readonly byReference: Ask<{ readonly tenant: Tenant; readonly reference: string }>
  readonly byClientSecretHash: Ask<Uint8Array>
}

export const createIntentLookup = (db: Database): IntentLookup => ({
  byIndex: lookup(db, {
    types: ['network_name', 'uuid', 'int'],
    key: ({ tenant, index }) => [tenant.network, tenant.accountId, index],
    where: 'network = asked.a AND asked.b IN (account_id, caller_account_id) AND derivation_index = asked.c',
  }),
  byId: lookup(db, {
    types: ['network_name', 'uuid', 'uuid'],
    key: ({ tenant, id }) => [tenant.network, tenant.accountId, id],
    where: 'network = asked.a AND asked.b IN (account_id, caller_account_id) AND id = asked.c',
  }),
  byReference: lookup(db, {
    types: ['network_name', 'uuid', 'text'],
    key: ({ tenant, reference }) => [tenant.network, tenant.accountId, reference],
    where: 'network = asked.a AND caller_account_id = asked.b AND reference = asked.c',
  }),
  byClientSecretHash: lookup(db, { types: ['bytea'], key: (hash) => [hash], where: 'client_secret_hash = asked.a' }),
})

/** `where` names the parts of a key `asked.a`, `asked.b`…, and finds one row at most. */
function lookup<Key>(
  db: Database,
  by: { types: readonly string[]; key: (key: Key) => readonly Parameter[]; where: string },
): Ask<Key> {
  const arrays = by.types.map((type, at) => `$${at + 1}::${type}[]`)
  const names = [...'abc'.slice(0, by.types.length), 'place']
  // Row by row, because a planner that believes in a small table would read all of it for a handful of rows.
  const statement = `
    SELECT asked.place, intent.*
    FROM unnest(${arrays}) WITH ORDINALITY AS asked(${names})
    CROSS JOIN LATERAL (SELECT ${INTENT_COLUMNS} FROM payment_intents WHERE ${by.where} LIMIT 1) intent`
  return createBatcher(
    async (keys) => {
      const parts = keys.map(by.key)
      const params = by.types.map((_, at) => parts.map((part) => part[at] ?? null))
      const rows = await db.query<IntentRow & { place: bigint }>(statement, params)
      const found = new Map(rows.map((row) => [Number(row.place), intentFromRow(row)]))
      return keys.map((_, at) => found.get(at + 1) ?? null)
    },
    { maxSize: MAX_BATCH, concurrency: CONCURRENT_BATCHES, isSharedFailure: isDatabaseUnavailable },
  )
}

export const createDepositAddressStore = ({ prisma }: Pick<Database, 'prisma'>): DepositAddressStore => ({
  isIssued: async (address) =>
    (await prisma.paymentIntent.findUnique({ where: { address }, select: { id: true } })) !== null,
})
