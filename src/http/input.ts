// Reads input with zod schemas. The first violation becomes one sentence that names its field.
import { z } from 'zod'
import { isGivenAsset, isPublicKey } from '#core/chain/public-key.ts'
import { isRecord } from '#core/json.ts'
import { LINE_CENTS, LINE_QUANTITY, MAX_LINE_ITEMS, MAX_LINE_NAME } from '#core/payments/intent-values.ts'
import { clampBound } from '#core/stats/calendar.ts'
import {
  CLEAN_TEXT,
  cleanedText,
  hasAtMost,
  isBlank,
  isCleanText,
  isOneLine,
  isShortText,
  MAX_TEXT,
} from '#core/text.ts'

/** The input does not match its schema. `message` is for the caller. */
export class BadInput extends Error {
  /** The field of the input that is wrong, or in which something is wrong; null for the input itself. */
  readonly field: string | null
  /** What the schema says of it. */
  readonly rule: string

  constructor(message: string, { field, rule }: { readonly field: string | null; readonly rule: string }) {
    super(message)
    this.field = field
    this.rule = rule
  }
}

/** Throws BadInput naming the field. Unknown fields are ignored. */
export function readInput<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const { path = [], message = 'is not valid' } = read.error.issues[0] ?? {}
  const rule = Number.isNaN(valueAt(path, value)) ? 'is a number that cannot be read exactly' : message
  const [field] = path
  throw new BadInput(`${path.length === 0 ? 'the body' : pathOf(path)} ${rule}`, {
    field: typeof field === 'string' ? field : null,
    rule: message,
  })
}

const valueAt = (path: readonly PropertyKey[], value: unknown): unknown =>
  path.reduce<unknown>((within, key) => Object(within)[key], value)

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')

/** Says in openapi.json what a schema reads, where the schema itself says less than that. */
export const shownAs = (shown: Readonly<Record<string, unknown>>) => ({ shown })

/** Reads one of these names as its value. */
export function nameIn<Value>(names: Iterable<readonly [name: string, value: Value]>) {
  const values = new Map(names)
  const rule = `must be one of ${[...values.keys()].join(', ')}`
  const named = z.string(rule).meta(shownAs({ type: 'string', enum: [...values.keys()] }))
  return named.transform((name, { addIssue }): Value => {
    const value = values.get(name)
    if (value !== undefined) return value
    addIssue(rule)
    return z.NEVER
  })
}

const STRING = 'must be a string'
const TOO_LONG = `must have at most ${MAX_TEXT} characters`
const BLANK = 'must not be blank'
const SEVERAL_LINES = 'must be one line'
const isVisible = (given: string): boolean => !isBlank(given)

/** Text that people write for people, cleaned. */
export const text = z.string(STRING).transform(cleanedText).refine(isShortText, TOO_LONG)

/** A name, cleaned. */
export const line = text.refine(isVisible, BLANK).refine(isOneLine, SEVERAL_LINES)

/** Text that identifies something: it is taken exactly, or refused. */
export const keyText = z
  .string(STRING)
  .refine(isShortText, TOO_LONG)
  .refine(isCleanText, `must be ${CLEAN_TEXT}`)
  .refine(isVisible, BLANK)
  .refine(isOneLine, SEVERAL_LINES)

/** Removes the fields that were not sent: the executor reads an undefined field as null, which clears. */
export function sent<T extends object>(fields: T): T {
  for (const name in fields) if (fields[name] === undefined) Reflect.deleteProperty(fields, name)
  return fields
}

export const body = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, 'must be a JSON object')

const within = ({ min, max }: { readonly min: number; readonly max: number }) => {
  const rule = `must be an integer from ${min} to ${max}`
  return z.int(rule).min(min, rule).max(max, rule)
}

const lineName = line.refine((name) => hasAtMost(MAX_LINE_NAME, name), `must have at most ${MAX_LINE_NAME} characters`)

/** The lines of an order. */
export const lineItems = z
  .array(
    body({ name: lineName, quantity: within(LINE_QUANTITY), amount_usd_cents: within(LINE_CENTS) }),
    'must be a list',
  )
  .max(MAX_LINE_ITEMS, `must have at most ${MAX_LINE_ITEMS} entries`)

/** Accepts a JSON object with whatever keys its author gave it. A record of zod leaves out a key `__proto__`. */
export const jsonObject = (rule: string) =>
  z.custom<Readonly<Record<string, unknown>>>(isRecord, rule).meta(shownAs({ type: 'object' }))

const IMAGE = 'must be the bytes of a PNG, JPEG or WebP file'
/** The image of a body, in base64. */
export const imageField = z
  .instanceof(Uint8Array, { error: IMAGE })
  .refine(({ length }) => length > 0, IMAGE)
  .transform((bytes) => Buffer.from(bytes).toString('base64'))

const ADDRESS = 'must be a Solana address'
export const address = z.string(ADDRESS).refine(isPublicKey, ADDRESS)

const MINT = 'must be the mint address of a token'
export const mint = z.string(MINT).refine(isPublicKey, MINT)

const ASSET = 'must be SOL, or the mint address of a token'
export const asset = z.string(ASSET).refine(isGivenAsset, ASSET)

const SOL_OR_MINT = 'must be null for SOL, or the mint address of a token'
/** Null chooses SOL. The field itself is required. */
export const solOrMint = z
  .string(SOL_OR_MINT)
  .refine(isPublicKey, SOL_OR_MINT)
  .nullable()
  .describe('The mint of the token; null for SOL.')

const MAX_INDEX = 2 ** 31 - 1
/** Replaces an index that is too large to exist: no intent has it, so the answer is that for an unknown index. */
const NO_INTENT = -1
const clampIndex = (index: number): number => (index > MAX_INDEX ? NO_INTENT : index)

/** A query parameter that holds a derivation index. */
export const indexParameter = z
  .string('is required, once')
  .regex(/^\d+$/, 'must be a non-negative integer')
  .meta(shownAs({ type: 'integer', minimum: 0 }))
  .transform((digits) => clampIndex(Number(digits)))

/** A derivation index in a body. */
export const indexField = z.int('must be an integer').min(0, 'must not be negative').transform(clampIndex)

/** A client secret in a query. A missing one is answered like a wrong one, with 401. */
export const secretParameter = z
  .string('is required, once')
  .default('')
  .meta(shownAs({ type: 'string' }))

/** A client secret in a body. A missing one makes the body malformed: 400. */
export const secretField = z.string('must be a string').min(1, 'must not be empty')

const TIME = 'must be a time as in RFC 3339, such as 2026-11-20T12:00:00Z'
/** The second 60 of a minute: RFC 3339, 5.7. */
const LEAP_SECOND = /^(.{10}T\d\d:\d\d:)60/
const isLastOfDay = (text: string): boolean => new Date(text).toISOString().includes('T23:59:59')

/** Reads a leap second as the second after it: no clock of this service has one. RFC 3339, 5.6 allows `t` and `z`. */
const timeText = z
  .string(TIME)
  .meta(shownAs({ type: 'string', format: 'date-time' }))
  .transform((given, context) => {
    const text = given.toUpperCase()
    const before = text.replace(LEAP_SECOND, (_second, minute: string) => `${minute}59`)
    const isValid = z.iso.datetime({ offset: true }).safeParse(before).success
    const isLeap = before !== text
    if (isValid && (!isLeap || isLastOfDay(before))) return { text: before, addedMs: isLeap ? 1_000 : 0 }
    context.addIssue({ code: 'custom', message: TIME })
    return z.NEVER
  })

/**
 * A query parameter that is a bound in time, as ISO 8601 in UTC. Times of payments have milliseconds: a finer bound is
 * rounded up, which includes and excludes the same payments. A bound outside the years 0 to 9999 of UTC is clamped.
 */
export const timeParameter = timeText.transform(({ text, addedMs }) => {
  const hasSubMilliseconds = /\.\d{3}\d*[1-9]/.test(text)
  return clampBound(Date.parse(text) + addedMs + (hasSubMilliseconds ? 1 : 0)).toISOString()
})
