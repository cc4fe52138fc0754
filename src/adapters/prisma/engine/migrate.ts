// Applies the migrations of this program to a database, and keeps the table of `prisma migrate deploy`, so that either
// may be used at any time.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Database, Session } from '#adapters/prisma/engine/engine.ts'

const MIGRATIONS = resolve(import.meta.dirname, '../../../../prisma/migrations')
/** The lock that Prisma's own command takes. */
const ADVISORY_LOCK = 72_707_369

const CREATE_BOOK = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`

type Migration = { readonly name: string; readonly sql: string; readonly checksum: string }
type Entry = { readonly migration_name: string; readonly checksum: string; readonly finished_at: Date | null }

/**
 * Applies pending migrations, each in one transaction, and returns their names. Any number of processes may start
 * together: one applies, the others wait for it. Throws, and changes nothing more, when an applied migration was edited
 * later, failed, or is unknown to this program.
 */
export function applyMigrations(db: Pick<Database, 'session'>, directory: string = MIGRATIONS): Promise<string[]> {
  const migrations = readMigrations(directory)
  return db.session(async (session) => {
    await session.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK])
    try {
      await session.script(CREATE_BOOK)
      const pending = pendingOf(migrations, await readBook(session))
      for (const migration of pending) await apply(session, migration)
      return pending.map(({ name }) => name)
    } finally {
      await session.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK])
    }
  })
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

const readBook = (session: Session) =>
  session.query<Entry>(
    `SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  )

function pendingOf(migrations: readonly Migration[], book: readonly Entry[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { migration_name: name, checksum, finished_at } of book) {
    const migration = known.get(name)
    if (finished_at === null) throw new Error(`migration ${name} failed half-way: resolve it by hand before starting`)
    if (migration === undefined) throw new Error(`the database has migration ${name}, which this version does not know`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} was edited after it had been applied`)
  }
  const applied = new Set(book.map((entry) => entry.migration_name))
  return migrations.filter(({ name }) => !applied.has(name))
}

async function apply(session: Session, { name, sql, checksum }: Migration): Promise<void> {
  const record = `
    INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "applied_steps_count")
    VALUES (gen_random_uuid()::text, ${quote(checksum)}, clock_timestamp(), ${quote(name)}, 1)`
  try {
    // Statements that are sent together are one transaction.
    await session.script(`${sql}\n;${record}`)
  } catch (cause) {
    throw new Error(`migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
