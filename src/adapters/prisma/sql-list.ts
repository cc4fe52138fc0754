/**
 * Returns the list for IN as literals: `('a', 'b')`. They are part of the text because a partial index does not serve a
 * parameter, and Prisma sends each value as one. The values are constants of this code, never input: nothing is escaped.
 */
export const sqlList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(', ')})`
