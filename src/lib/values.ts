/** Returns a field of a value of unknown type; undefined when the value is no object or has no such field. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Returns the items in consecutive groups of at most `size`. */
export const inGroups = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Returns a text that matches itself only, for `contains` of Prisma, which leaves the wildcards of LIKE in a text. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Repeats the last id until their number is a power of two: each number is a statement that PostgreSQL prepares. */
export const padded = (ids: readonly string[]): string[] => {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  return Array.from({ length: size }, (_, at) => ids[Math.min(at, ids.length - 1)] ?? '')
}

/**
 * Returns whether the double means something else than its literal in JSON or GraphQL: integers must not change, and nothing else
 * may become an integer.
 */
export function isRounded(value: number, literal: string): boolean {
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(literal)) return BigInt(literal) !== BigInt(value)
  return Number.isSafeInteger(value) && !isExactly(literal, BigInt(value))
}

/** Returns whether a JSON number means exactly this integer: `1.50e1` means 15, `4.9999999999999999999` does not mean 5. */
function isExactly(literal: string, integer: bigint): boolean {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? []
  const digits = BigInt(`${sign}${whole}${fraction}`)
  if (digits === 0n) return integer === 0n
  const shift = Number(exponent) - fraction.length
  // A safe integer has 16 digits: a literal that means one shifts by at most 16 more than its own length.
  if (Math.abs(shift) > literal.length + 16) return false
  return shift >= 0 ? digits * 10n ** BigInt(shift) === integer : digits === integer * 10n ** BigInt(-shift)
}

/** Returns the code of a system error, such as ENOENT; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
