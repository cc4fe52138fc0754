// Parts of SQL statements.

/**
 * Returns the list for IN as literals: `('a', 'b')`. They are part of the text because a partial index does not serve a
 * parameter, and Prisma sends each value as one. The values are constants of this code, never input: nothing is escaped.
 */
export const sqlList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(', ')})`

/**
 * A part of a WITH list, for what may be lost in a power cut. The commit of a statement that reads `unflushed` does not wait
 * for the disk. Each commit that waits flushes the earlier commits, so no later decision can survive without them.
 */
export const UNFLUSHED = "unflushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
