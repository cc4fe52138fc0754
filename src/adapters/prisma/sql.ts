// The columns of a table that derive from the fields of an aggregate: a field is a column of its own name, in snake_case.

import { type Codec, type Decoded, type Encoded, type Fields, record, type Storage } from '#core/codec.ts'
import { isRecord } from '#core/json.ts'
import { snakeCase } from '#core/text.ts'
import { Prisma } from './generated/client.ts'

/** `name` is the column in rows, as Prisma names it; `column` and `type` are its name and type in SQL. */
export type Column = { readonly name: string; readonly column: string; readonly type: string }

export const SQL_TYPES: Readonly<Record<Storage, string>> = {
  uuid: 'uuid',
  text: 'text',
  texts: 'text[]',
  integer: 'int',
  bigint: 'bigint',
  decimal: 'numeric',
  time: 'timestamptz',
  flag: 'boolean',
  json: 'jsonb',
}

export const column = (name: string, type: string): Column => ({ name, column: snakeCase(name), type })

export const columnOf = (name: string, { storage }: Pick<Codec<unknown, unknown>, 'storage'>): Column =>
  column(name, SQL_TYPES[storage])

/** Returns the columns of an aggregate whose fields are columns. `enums` names the types of its enumerations. */
export const columnsOf = (fields: Fields, enums: Readonly<Record<string, string>> = {}): readonly Column[] =>
  Object.entries(fields).map(([name, codec]) =>
    column(name, name === 'network' ? 'network_name' : (enums[name] ?? SQL_TYPES[codec.storage])),
  )

export const sqlNames = (columns: readonly Column[]): string => columns.map(({ column }) => column).join(', ')
export const rowNames = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

/** For `jsonb_to_record(…) AS row(…)`. */
export const definitions = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')

const WIDE: readonly (string | undefined)[] = [SQL_TYPES.decimal, SQL_TYPES.bigint]

/** For a SELECT, also as JSON: amounts come as decimal digits, because a JSON number does not hold them. */
export const selected = (columns: readonly Column[]): string =>
  columns.map(({ name, column, type }) => `${column}${WIDE.includes(type) ? '::text' : ''} AS "${name}"`).join(', ')

export type ReadTable<F extends Fields> = {
  /** The columns for a SELECT, named as the fields. */
  readonly columns: string
  /** Reads a row of `columns`, also as JSON, or as Prisma gives it. Throws RangeError with the place of a wrong value. */
  fromRow(row: unknown): Decoded<F>
}

/** Returns how a table is read, whose columns have the names of the fields. */
export function readTable<const F extends Fields>(table: string, fields: F): ReadTable<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  return { columns: selected(columnsOf(fields)), fromRow: (row) => codec.read(withDigits(row), table) }
}

/** Returns a row with its amounts in decimal digits: Prisma has a type of its own for them. A statement gives digits. */
const withDigits = (row: unknown): unknown =>
  isRecord(row) && Object.values(row).some(Prisma.Decimal.isDecimal)
    ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, digitsOf(value)]))
    : row

const digitsOf = (value: unknown): unknown => (Prisma.Decimal.isDecimal(value) ? value.toFixed(0) : value)

// Parts of SQL statements.

/**
 * Returns the list for IN as literals: `('a', 'b')`. They are part of the text because a partial index does not serve a
 * parameter, and Prisma sends each value as one. The values are constants of this code, never input: nothing is escaped.
 */
export const sqlList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(', ')})`

/**
 * A part of a WITH list, for what may be lost in a power cut. The commit of a statement that reads `unflushed` does not wait
 * for the disk. Each commit that waits flushes the earlier commits, so no later decision can survive without them.
 */
export const UNFLUSHED = "unflushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
