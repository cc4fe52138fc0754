// The columns of payment_intents. They derive from the fields of a payment: a field is a column of its own name, in
// snake_case. Only a selection takes four columns, and the received amount has a longer name.

import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Column, column, columnOf, definitions, rowNames, SQL_TYPES, sqlNames } from '#adapters/prisma/sql.ts'
import {
  FIELD_NAMES,
  INTENT_FIELDS,
  type IntentField,
  intentFromColumns,
  intentToJson,
  isWritten,
  type PaymentIntent,
} from '#core/payments/payment-intent.ts'

/** The fields that are not a column of their own name and type. */
const SPECIAL: { readonly [Field in IntentField]?: readonly Column[] } = {
  network: [column('network', 'network_name')],
  status: [column('status', 'intent_status')],
  received: [column('receivedAmount', SQL_TYPES.decimal)],
  selection: [
    column('asset', SQL_TYPES.text),
    column('assetDecimals', SQL_TYPES.integer),
    column('expectedAmount', SQL_TYPES.decimal),
    column('lockedRate', SQL_TYPES.json),
  ],
}

const columnsOf = (fields: readonly IntentField[]): readonly Column[] =>
  fields.flatMap((field) => SPECIAL[field] ?? [columnOf(field, INTENT_FIELDS[field])])

const INSERTED = columnsOf(FIELD_NAMES.filter((field) => isWritten(field, 'once', 'both')))
const UPDATED = columnsOf(FIELD_NAMES.filter((field) => isWritten(field, 'later', 'both')))

/** Every column that a payment is read from. The hash of the client secret is not one of them. */
export const INTENT_COLUMNS = columnsOf(FIELD_NAMES)
  .map(({ name, column }) => `${column} AS "${name}"`)
  .join(', ')

/** The columns that a creation writes: their names in SQL, and their names and types in the JSON of a payment. */
export const INSERTED_COLUMNS = sqlNames(INSERTED)
export const INSERTED_NAMES = rowNames(INSERTED)
export const INSERTED_DEFINITIONS = definitions(INSERTED)

/** Updates a payment at a version, from `columnsJson`, and what `more` sets. Parameters: JSON, id, version. */
const updateIntentWith = (more: string): string => `
UPDATE payment_intents SET ${more}(${sqlNames(UPDATED)}) = (
  SELECT ${rowNames(UPDATED)} FROM jsonb_to_record($1::jsonb) AS row(${definitions(UPDATED)}))
WHERE id = $2::uuid AND version = $3::int`

export const UPDATE_INTENT = updateIntentWith('')
/** The same, and the text for the indexes of payments. */
export const UPDATE_SEARCHED_INTENT = updateIntentWith('search_text = $4::text, ')

/** Returns the columns of a payment as JSON. */
export function columnsJson(intent: PaymentIntent): string {
  const { selection, received, ...fields } = intentToJson(intent)
  return JSON.stringify({
    ...fields,
    receivedAmount: received,
    asset: selection?.asset,
    assetDecimals: selection?.decimals,
    expectedAmount: selection?.expected,
    lockedRate: selection?.rate,
  })
}

/** A row as a statement with `INTENT_COLUMNS` gives it. */
export type IntentRow = Readonly<Record<string, unknown>>

export const intentFromRow = (row: IntentRow): PaymentIntent =>
  intentFromColumns({
    ...row,
    received: row.receivedAmount,
    selection:
      row.asset === null || row.assetDecimals === null || row.expectedAmount === null
        ? null
        : { asset: row.asset, decimals: row.assetDecimals, expected: row.expectedAmount, rate: row.lockedRate },
  })

/** What no payment is read from. */
export const UNREAD = { clientSecretHash: true, searchText: true } as const satisfies Prisma.PaymentIntentOmit

export type PrismaIntentRow = Prisma.PaymentIntentGetPayload<{ omit: typeof UNREAD }>

export const intentFromPrisma = (row: PrismaIntentRow): PaymentIntent =>
  intentFromRow({
    ...row,
    receivedAmount: row.receivedAmount.toFixed(0),
    expectedAmount: row.expectedAmount === null ? null : row.expectedAmount.toFixed(0),
  })
