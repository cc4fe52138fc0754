// The statements of an aggregate that is a table with a column for each of its fields.
import { type Column, column, columnOf, definitions, rowNames, selected, sqlNames } from '#adapters/prisma/columns.ts'
import { MovedOn, type Tx } from '#adapters/prisma/transfers/records.ts'
import { type Codec, type Decoded, type Encoded, type Fields, record } from '#core/codec.ts'

type Identified = { readonly id: Codec<string, string> }
type Versioned = Identified & { readonly version: Codec<number, number> }

export type Table<F extends Fields> = {
  /** The columns for a SELECT from the table under this alias. */
  readonly columns: string
  /** Reads a row of `columns`, also as JSON. Throws RangeError with the place of a wrong value. */
  fromRow(row: unknown): Decoded<F>
  insert(tx: Tx, values: readonly Decoded<F>[]): Promise<void>
}

/** Returns the statements of a table. A field `network` has the type of networks, every other the type of its codec. */
export function tableOf<const F extends Fields & Identified>(table: string, fields: F): Table<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  const columns = columnsOf(fields)
  return {
    columns: selected(columns),
    fromRow: (row) => codec.read(row, table),
    async insert(tx, values) {
      if (values.length === 0) return
      const rows = JSON.stringify(values.map((value) => codec.write(value)))
      await tx.$executeRawUnsafe(
        `INSERT INTO ${table} (${sqlNames(columns)})
         SELECT ${rowNames(columns)} FROM jsonb_to_recordset($1::jsonb) AS row(${definitions(columns)})`,
        rows,
      )
    },
  }
}

/**
 * Returns a function that writes an aggregate over the version that was read. Throws MovedOn when the stored version is another
 * one.
 */
export function updaterOf<const F extends Fields & Versioned>(
  table: string,
  fields: F,
): (tx: Tx, value: Decoded<F>, version: number) => Promise<void> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  const columns = columnsOf(fields).filter(({ name }) => name !== 'id')
  const statement = `
    UPDATE ${table} SET (${sqlNames(columns)}) = (
      SELECT ${rowNames(columns)} FROM jsonb_to_record($1::jsonb) AS row(${definitions(columns)}))
    WHERE id = ($1::jsonb->>'id')::uuid AND version = $2::int`
  return async (tx, value, version) => {
    const count = await tx.$executeRawUnsafe(statement, JSON.stringify(codec.write(value)), version)
    if (count !== 1) throw new MovedOn()
  }
}

const columnsOf = (fields: Fields): readonly Column[] =>
  Object.entries(fields).map(([name, codec]) =>
    name === 'network' ? column(name, 'network_name') : columnOf(name, codec),
  )
