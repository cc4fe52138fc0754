/** Converts `camelCase` to `camel_case`: the names of columns, of REST and of webhooks. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
