/** Returns a value as JSON, with each bigint as its digits, so that two values can be compared and shown. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
