// Reads JSON of the service. Amounts can exceed 2^53, so JSON.parse would round them.
import { AMOUNTS, FREE_FORM } from './generated/api.ts'

/** Matches a string or a number, whole: digits within a string, or after a point, are part of it. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const LONG_INTEGER = /^-?\d{16,}$/
/** Marks the text of a long integer while it is read. The database of the service stores no text with this character. */
const MARK = '\u0000'

/** Returns JSON with what `write` makes of each integer that JSON.parse could round. */
export const withLongIntegers = (text: string, write: (digits: string) => string): string =>
  /\d{16}/.test(text) ? text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? write(token) : token)) : text

/** Returns the value with each amount as a bigint, and everything else as JSON.parse reads it. Throws SyntaxError. */
export function parseExact(text: string) {
  const parsed = JSON.parse(withLongIntegers(text, (digits) => JSON.stringify(MARK + digits)))
  convertWithin(Object(parsed), false)
  return parsed
}

/** `isFree` is true within metadata and the like, where a name means what the business chose. */
function convertWithin(holder: Record<string, unknown>, isFree: boolean): void {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === 'object' && value !== null) convertWithin(Object(value), isFree || FREE_FORM.has(name))
    else if (typeof value === 'number' || typeof value === 'string') {
      const isMarked = typeof value === 'string' && value.startsWith(MARK)
      const plain = isMarked ? value.slice(1) : value
      if (AMOUNTS.has(name) && !isFree) holder[name] = BigInt(plain)
      else if (isMarked) holder[name] = Number(plain)
    }
  }
}
