// How an aggregate with a column for each of its fields is read and written.
import { type Column, column, columnOf, definitions, rowNames, selected, sqlNames } from '#adapters/prisma/columns.ts'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transfers/records.ts'
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

/** A row with its amounts in decimal digits: Prisma has a type of its own for them. */
const withDigits = (row: unknown): unknown =>
  isRecord(row) ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, digitsOf(value)])) : row

const digitsOf = (value: unknown): unknown => (Prisma.Decimal.isDecimal(value) ? value.toFixed(0) : value)

/** Fields of an aggregate that grows a version with every change. */
type Versioned = Fields & { readonly id: Codec<string, string>; readonly version: Codec<number, number> }
type Value<F extends Fields> = Decoded<F> & { readonly id: string; readonly version: number }

export type Table<F extends Versioned> = ReadTable<F> & {
  insert(tx: Tx, value: Value<F>): Promise<void>
  /** Writes a value over the version that was read. Throws VersionConflict when the stored version is another one. */
  update(tx: Tx, value: Value<F>, version: number): Promise<void>
}

/** Returns how a table is read and written. */
export function tableOf<const F extends Versioned>(table: string, fields: F): Table<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  const columns = columnsOf(fields)
  const later = columns.filter(({ name }) => name !== 'id')
  const given = `jsonb_to_record($1::jsonb) AS row(${definitions(columns)})`
  const insert = `INSERT INTO ${table} (${sqlNames(columns)}) SELECT ${rowNames(columns)} FROM ${given}`
  const update = `UPDATE ${table} SET (${sqlNames(later)}) = (SELECT ${rowNames(later)} FROM ${given})
    WHERE id = $2::uuid AND version = $3::int`
  const json = (value: Decoded<F>) => JSON.stringify(codec.write(value))
  return {
    ...readTable(table, fields),
    async insert(tx, value) {
      await tx.$executeRawUnsafe(insert, json(value))
    },
    async update(tx, value, version) {
      if ((await tx.$executeRawUnsafe(update, json(value), value.id, version)) !== 1) throw new VersionConflict()
    },
  }
}

const columnsOf = (fields: Fields): readonly Column[] =>
  Object.entries(fields).map(([name, codec]) =>
    name === 'network' ? column(name, 'network_name') : columnOf(name, codec),
  )
