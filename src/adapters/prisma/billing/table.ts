// How an aggregate with a column for each of its fields is read and written.
import { type Column, column, columnOf, definitions, rowNames, selected, sqlNames } from '#adapters/prisma/columns.ts'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { type Codec, type Decoded, type Encoded, type Fields, record } from '#core/codec.ts'
import { isRecord } from '#core/json.ts'

export type ReadTable<F extends Fields> = {
  /** The columns for a SELECT, named as the fields. */
  readonly columns: string
  /** Reads a row of `columns`, also as JSON, or as Prisma gives it. Throws RangeError with the place of a wrong value. */
  fromRow(row: unknown): Decoded<F>
}

/** Returns how a table is read. A field `network` has the type of networks, every other the type of its codec. */
export function readTable<const F extends Fields>(table: string, fields: F): ReadTable<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  return { columns: selected(columnsOf(fields)), fromRow: (row) => codec.read(withDigits(row), table) }
}

/** Returns a row with its amounts in decimal digits: Prisma has a type of its own for them. */
const withDigits = (row: unknown): unknown =>
  isRecord(row) ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, digitsOf(value)])) : row

const digitsOf = (value: unknown): unknown => (Prisma.Decimal.isDecimal(value) ? value.toFixed(0) : value)

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

const columnsOf = (fields: Fields): readonly Column[] =>
  Object.entries(fields).map(([name, codec]) =>
    name === 'network' ? column(name, 'network_name') : columnOf(name, codec),
  )
