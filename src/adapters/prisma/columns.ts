// The columns of a table that derive from the fields of an aggregate: a field is a column of its own name, in snake_case.
import type { Codec, Storage } from '#core/codec.ts'
import { snakeCase } from '#core/text.ts'

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

export const sqlNames = (columns: readonly Column[]): string => columns.map(({ column }) => column).join(', ')
export const rowNames = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

/** For `jsonb_to_record(…) AS row(…)`. */
export const definitions = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')

const WIDE: readonly (string | undefined)[] = [SQL_TYPES.decimal, SQL_TYPES.bigint]

/** For a SELECT, also as JSON: amounts come as decimal digits, because a JSON number does not hold them. */
export const selected = (columns: readonly Column[]): string =>
  columns.map(({ name, column, type }) => `${column}${WIDE.includes(type) ? '::text' : ''} AS "${name}"`).join(', ')
