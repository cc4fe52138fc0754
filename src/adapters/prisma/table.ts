// How an aggregate with a column for each of its fields is read and written.
import {
  type Column,
  column,
  columnsOf,
  definitions,
  type ReadTable,
  readTable,
  rowNames,
  sqlNames,
} from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { type Codec, type Decoded, type Encoded, type Fields, record } from '#core/codec.ts'

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
export function tableOf<const F extends Versioned>(table: string, fields: F): Table<F> {
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
