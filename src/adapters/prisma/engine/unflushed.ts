// Commits that do not wait for the disk, for what may be lost in a power cut.

/**
 * A part of a WITH list. The commit of a statement that reads `unflushed` does not wait for the disk. Each commit that
 * waits flushes the earlier commits, so no later decision can survive without them.
 */
export const UNFLUSHED = "unflushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))"
