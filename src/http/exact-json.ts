// Reads and writes JSON with exact numbers: amounts in base units are integers of any size, and none is rounded.
import { isRounded } from '#lib/values.ts'

// JSON between systems is UTF-8 (RFC 8259, 8.1). Another encoding could read two different texts as the same one.

const DECODER = new TextDecoder('utf-8', { fatal: true })
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i
/** ASCII is a subset of UTF-8. */
const READABLE: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Returns whether a Content-Type names no other encoding than UTF-8. */
export function isUtf8Type(contentType = ''): boolean {
  const charset = CHARSET.exec(contentType)?.[1]
  return charset === undefined || READABLE.has(charset.toLowerCase())
}

/** Decodes without a byte order mark. Throws TypeError when the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string => DECODER.decode(bytes)

declare const exact: unique symbol

/** A number in its JSON form, made by the executor. It is only written, and never computed with. */
export type ExactNumber = { readonly [exact]: true }

/** A body that is not JSON. `message` is for the caller. */
export class UnreadableJson extends Error {}

/**
 * Matches every text that may contain a number which a double rounds: many digits, or a fraction or exponent that gives an
 * integer. A number follows a bracket, a comma or a colon, so that addresses and ids do not match.
 */
const SUSPICIOUS = /(?:^|[[,:])\s*-?(?:\d{16}|\d+[.eE])/

/** Throws UnreadableJson. */
export const readJson = (bytes: Uint8Array): unknown => parseJson(textOf(bytes))

function textOf(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch (error) {
    throw new UnreadableJson('the body is not valid UTF-8', { cause: error })
  }
}

/** Reads a number that a double would round as NaN, which no field accepts. Throws UnreadableJson. */
export function parseJson(text: string): unknown {
  try {
    return SUSPICIOUS.test(text) ? JSON.parse(text, withoutRounded) : JSON.parse(text)
  } catch (error) {
    throw new UnreadableJson('the body is not valid JSON', { cause: error })
  }
}

const withoutRounded = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && isRounded(value, source) ? Number.NaN : value
