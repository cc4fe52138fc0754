// Reading stored JSON back into domain types: each reader returns its type or throws RangeError naming the place.

/** How `T` looks as JSON: amounts and dates as strings, everything else as it is. */
export type Jsonified<T> = T extends bigint | Date
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Jsonified<Item>[]
      : { readonly [Key in keyof T]: Jsonified<T[Key]> }

/** A JSON value that holds whatever its author put there. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export type Read<T> = (value: unknown, path: string) => T

export function misread(path: string, value: unknown): never {
  throw new RangeError(`stored JSON is not as it was written: ${path} is ${JSON.stringify(value) ?? 'missing'}`)
}

/** A reader from a type's `isX` function. */
export const checked =
  <T>(is: (value: unknown) => value is T): Read<T> =>
  (value, path) =>
    is(value) ? value : misread(path, value)

export const readString = checked((value): value is string => typeof value === 'string')
export const readFlag = checked((value): value is boolean => typeof value === 'boolean')
export const readInteger = checked((value): value is number => Number.isSafeInteger(value))

/** Unsigned decimal digits, as the branded amount that `is` accepts. */
export const readAmount =
  <T>(is: (value: unknown) => value is T): Read<T> =>
  (value, path) => {
    const units = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null
    return is(units) ? units : misread(path, value)
  }

export const readDate: Read<Date> = (value, path) => {
  const read = new Date(readString(value, path))
  return Number.isNaN(read.getTime()) ? misread(path, value) : read
}

export const oneOf = <T extends string>(values: readonly T[]): Read<T> =>
  checked((value): value is T => values.some((candidate) => candidate === value))

export const readNullable =
  <T>(read: Read<T>): Read<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path)

export const readOptional =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : read(value, path)

export const readList =
  <T>(read: Read<T>): Read<readonly T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((item, at) => read(item, `${path}[${at}]`)) : misread(path, value)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a function that reads one field of the object by name. */
export function fieldsOf(value: unknown, path: string): <T>(name: string, read: Read<T>) => T {
  const record = isRecord(value) ? value : misread(path, value)
  return (name, read) => read(record[name], `${path}.${name}`)
}
