// The real database in memory, opened once and emptied for each seed. Its generated ids are the same in each run.
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'

export type SimulatedDatabase = {
  readonly db: Database
  /** Empties the database, and restarts every sequence. */
  reset(): Promise<void>
}

/** Most tables are small, so planning a statement again takes longer than running it. */
const PLAN_ONCE = 'SET plan_cache_mode = force_generic_plan; SET synchronous_commit = off;'
const SEQUENTIAL_IDS = `
  CREATE SEQUENCE simulated_ids;
  CREATE FUNCTION simulated_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT ('00000000-0000-4000-9000-' || lpad(nextval('simulated_ids')::text, 12, '0'))::uuid
  $$;`

/** `alteration` is the change of a planted bug to the rules of the database. */
export async function openSimulatedDatabase(alteration = ''): Promise<SimulatedDatabase> {
  const db = await openDatabase({ kind: 'embedded', dataDir: 'memory' })
  await applyMigrations(db)
  const drawn = await db.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public' AND column_default = 'time_ordered_uuid()' ORDER BY table_name`,
  )
  const tables = await db.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
  )
  // The audit trail refuses to be emptied while triggers are on.
  const empty = `DROP SCHEMA IF EXISTS kept CASCADE;
    SET session_replication_role = replica;
    TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(', ')} RESTART IDENTITY CASCADE;
    RESET session_replication_role;
    ALTER SEQUENCE simulated_ids RESTART;
    SELECT pg_stat_force_next_flush()`
  await db.session((session) =>
    session.script(
      PLAN_ONCE +
        SEQUENTIAL_IDS +
        drawn.map((one) => `ALTER TABLE "${one.table}" ALTER "${one.column}" SET DEFAULT simulated_id();`).join('') +
        alteration,
    ),
  )
  return { db, reset: () => db.session((session) => session.script(empty)) }
}
