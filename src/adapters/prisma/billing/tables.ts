// The tables of recurring billing, from the fields of their aggregates.
import {
  type Column,
  column,
  columnsOf,
  definitions,
  type ReadTable,
  readTable,
  rowNames,
  sqlList,
  sqlNames,
} from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { REDIRECT_DOMAIN_FIELDS } from '#core/billing/catalogue.ts'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { DELEGATION_FIELDS } from '#core/billing/delegation.ts'
import { PRODUCT_FIELDS } from '#core/billing/product.ts'
import { SUBSCRIPTION_FIELDS, SUBSCRIPTION_POLICY, SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { SUBSCRIPTION_INTENT_FIELDS } from '#core/billing/subscription-intent.ts'
import { TIER_FIELDS } from '#core/billing/tier.ts'
import { type Codec, type Decoded, type Encoded, type Fields, record } from '#core/codec.ts'

// How an aggregate with a column for each of its fields is read and written.

/** Fields of an aggregate that grows a version with every change. */
type Versioned = Fields & { readonly id: Codec<string, string>; readonly version: Codec<number, number> }
type Value<F extends Fields> = Decoded<F> & { readonly id: string; readonly version: number }

/** A value, and the version that it is written over. */
export type Replacement<V> = { readonly value: V; readonly version: number }

export type Table<F extends Versioned> = ReadTable<F> & {
  insert(tx: Tx, values: readonly Value<F>[]): Promise<void>
  /** Writes each value over the version that was read. Throws VersionConflict when a stored version is another one. */
  update(tx: Tx, replacements: readonly Replacement<Value<F>>[]): Promise<void>
}

/** Returns how a table is read and written. */
function tableOf<const F extends Versioned>(table: string, fields: F): Table<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  const columns = columnsOf(fields)
  const later = columns.filter(({ name }) => name !== 'id')
  const given = (defined: readonly Column[]) => `jsonb_to_recordset($1::jsonb) AS row(${definitions(defined)})`
  const insert = `INSERT INTO ${table} (${sqlNames(columns)}) SELECT ${rowNames(columns)} FROM ${given(columns)}`
  const update = `UPDATE ${table} SET (${sqlNames(later)}) = (SELECT ${rowNames(later)} FROM (SELECT row.*) own)
    FROM ${given([...columns, REPLACED])} WHERE ${table}.id = row.id AND ${table}.version = row."${REPLACED.name}"`
  return {
    ...readTable(table, fields),
    async insert(tx, values) {
      if (values.length === 0) return
      await tx.$executeRawUnsafe(insert, JSON.stringify(values.map((value) => codec.write(value))))
    },
    async update(tx, replacements) {
      if (replacements.length === 0) return
      const rows = replacements.map(({ value, version }) => ({ ...codec.write(value), [REPLACED.name]: version }))
      const count = await tx.$executeRawUnsafe(update, JSON.stringify(rows))
      if (count !== replacements.length) throw new VersionConflict()
    },
  }
}

/** The version that a row is written over. */
const REPLACED = column('replacedVersion', 'int')

export const SUBSCRIPTIONS = tableOf('billing_subscriptions', SUBSCRIPTION_FIELDS)
export const CHARGES = tableOf('charges', CHARGE_FIELDS)
export const DELEGATIONS = tableOf('delegations', DELEGATION_FIELDS)
export const SUBSCRIPTION_INTENTS = tableOf('subscription_intents', SUBSCRIPTION_INTENT_FIELDS)
export const TIERS = readTable('subscription_tiers', TIER_FIELDS)
export const PRODUCTS = readTable('subscription_products', PRODUCT_FIELDS)
export const REDIRECT_DOMAINS = readTable('redirect_domains', REDIRECT_DOMAIN_FIELDS)

// The statuses that end a subscription, as SQL.

const ENDED = SUBSCRIPTION_STATUSES.filter((status) => SUBSCRIPTION_POLICY[status].isFinal)

/** The list for IN. Every other status is live: it counts against the limit of a wallet. */
export const ENDED_STATUSES = sqlList(ENDED)
