// Metadata that a business gives an object: any JSON object of its own, stored and shown as it is.
import { plain } from '#core/codec.ts'
import { checked, isRecord, type Json } from '#core/json.ts'

export type Metadata = Readonly<Record<string, Json>>

export const MAX_METADATA_KEYS = 50
const MAX_LENGTH = 16_384
const MAX_DEPTH = 8
/** The database client takes this key for the prototype of the object, and would lose its value. */
const LOST_KEY = '__proto__'

/** Completes "metadata …". */
export const METADATA_RULE = `must be a JSON object of at most ${MAX_METADATA_KEYS} keys, ${MAX_LENGTH} characters and ${MAX_DEPTH} levels, without a key ${LOST_KEY}`

export const isMetadata = (value: unknown): value is Metadata =>
  isRecord(value) &&
  Object.keys(value).length <= MAX_METADATA_KEYS &&
  isStorable(value, MAX_DEPTH) &&
  JSON.stringify(value).length <= MAX_LENGTH

/** A key, and its value as a text. */
export type MetadataEntry = readonly [key: string, text: string]

/** Returns the entries by which metadata can be found: each value that is a text, a number, true or false. */
export const metadataEntriesOf = (metadata: object): readonly MetadataEntry[] =>
  Object.entries(metadata).flatMap(([key, value]): readonly MetadataEntry[] =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)]] : [],
  )

export const metadataCodec = plain('json', checked(isMetadata))

/** PostgreSQL stores neither NUL nor half of a surrogate pair. JSON has no number that is not finite. */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'boolean') return true
  if (typeof value !== 'object' || depth === 0) return false
  return Object.entries(value).every(
    ([key, part]) => key !== LOST_KEY && isStorable(key, 1) && isStorable(part, depth - 1),
  )
}
