// Values of queries.

/** Returns a text that matches itself only, for `contains` of Prisma, which leaves the wildcards of LIKE in a text. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Repeats the last id until their number is a power of two: each number is a statement that PostgreSQL prepares. */
export const padded = (ids: readonly string[]): string[] => {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  return Array.from({ length: size }, (_, at) => ids[Math.min(at, ids.length - 1)] ?? '')
}
