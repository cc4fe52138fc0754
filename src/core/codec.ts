// Codecs: how a value of the domain looks as JSON, and how it is read back. A codec of an object is made of the codecs of
// its fields, so a field is declared once.

import {
  isRecord,
  misread,
  type Read,
  readAmount,
  readDate,
  readFlag,
  readInteger,
  readList,
  readString,
} from '#core/json.ts'
import { isoText } from './text.ts'

/** What a column must be able to store for a value. Adapters map it to the types of their database. */
export type Storage = 'uuid' | 'text' | 'texts' | 'integer' | 'bigint' | 'decimal' | 'time' | 'flag' | 'json'

/** `T` is the value in the domain, `J` its JSON: amounts as decimal digits, times as ISO 8601. */
export type Codec<T, J> = {
  readonly storage: Storage
  /** Reads the JSON, and what a database gives for it. Throws RangeError with the place of what it cannot read. */
  readonly read: Read<T>
  write(value: T): J
}

export type Fields = Readonly<Record<string, Codec<unknown, unknown>>>
/** The value of a codec in the domain, and its JSON. */
export type ValueOf<C> = C extends { readonly read: Read<infer T> } ? T : never
export type JsonOf<C> = C extends { write(value: never): infer J } ? J : never
export type Decoded<F> = { readonly [Name in keyof F]: ValueOf<F[Name]> }
export type Encoded<F> = { readonly [Name in keyof F]: JsonOf<F[Name]> }

/** Encodes a value that looks the same as JSON. */
export const plain = <T>(storage: Storage, read: Read<T>): Codec<T, T> => ({ storage, read, write: (value) => value })

export const text = plain('text', readString)
export const uuid = plain('uuid', readString)
export const integer = plain('integer', readInteger)
export const flag = plain('flag', readFlag)

/** Encodes an amount: decimal digits in JSON. Reads a bigint as well, because a database gives one for a bigint column. */
export const digits = <T extends bigint>(
  storage: 'bigint' | 'decimal',
  is: (value: unknown) => value is T,
): Codec<T, string> => {
  const ofDigits = readAmount(is)
  return { storage, read: (value, path) => (is(value) ? value : ofDigits(value, path)), write: String }
}

/** A time: ISO 8601 in JSON. Reads a Date as well, because a database gives one. */
export const time: Codec<Date, string> = {
  storage: 'time',
  read: (value, path) => (value instanceof Date ? value : readDate(value, path)),
  write: isoText,
}

export const nullable = <T, J>({ storage, read, write }: Codec<T, J>): Codec<T | null, J | null> => ({
  storage,
  read: (value, path) => (value === null ? null : read(value, path)),
  write: (value) => (value === null ? null : write(value)),
})

/** Encodes a list in one JSON column. */
export const listOf = <T, J>({ read, write }: Codec<T, J>): Codec<readonly T[], readonly J[]> => ({
  storage: 'json',
  read: readList(read),
  write: (values) => values.map((value) => write(value)),
})

/** Encodes a list of texts in one column. */
export const texts = <T extends string>(read: Read<T>): Codec<readonly T[], readonly T[]> =>
  plain('texts', readList(read))

/** Encodes an object with these fields, and no others. */
export function record<const F extends Fields>(fields: F): Codec<Decoded<F>, Encoded<F>>
export function record(fields: Fields): Codec<object, object> {
  const entries = Object.entries(fields)
  // A copy of an object with all the fields is faster to fill than an empty one.
  const blank: Record<string, unknown> = Object.fromEntries(entries.map(([name]) => [name, undefined]))
  return {
    storage: 'json',
    read(value, path) {
      const given = isRecord(value) ? value : misread(path, value)
      const decoded = { ...blank }
      for (const [name, codec] of entries) decoded[name] = codec.read(given[name], `${path}.${name}`)
      return decoded
    },
    write(value) {
      const given: Readonly<Record<string, unknown>> = { ...value }
      const encoded = { ...blank }
      for (const [name, codec] of entries) encoded[name] = codec.write(given[name])
      return encoded
    },
  }
}
