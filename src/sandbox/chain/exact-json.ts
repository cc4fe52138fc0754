// JSON in which every integer keeps its value: one beyond 2^53 (lamports and rent epochs go to 2^64) is a bigint here
// and plain digits on the wire.

/** Sixteen digits in a row are the fewest that a double may round; most texts have none and parse faster. */
const LONG_NUMBER = /\d{16}/

/** Throws SyntaxError on text that is not JSON. */
export function parseExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
}

export const stringifyExactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? JSON.rawJSON(part.toString()) : part))

function exactly(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}
