// Rows of billing as Prisma gives them, decoded to the types of the domain.
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Codec, type Decoded, type Encoded, type Fields, record } from '#core/codec.ts'

/** Returns the decoder of the rows of a model. Throws RangeError on a row that a later version wrote. */
export function decoderOf<const F extends Fields>(model: string, fields: F): (row: object) => Decoded<F> {
  const codec: Codec<Decoded<F>, Encoded<F>> = record(fields)
  return (row) => {
    const columns = Object.entries(row).map(([name, value]) => [name, digitsOf(value)])
    return codec.read(Object.fromEntries(columns), model)
  }
}

/** A column of amounts, in decimal digits. */
const digitsOf = (value: unknown): unknown => (Prisma.Decimal.isDecimal(value) ? value.toFixed(0) : value)
