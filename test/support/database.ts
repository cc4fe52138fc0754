// Databases for tests: new, migrated and fast. A suite can run on both engines.
import { cpSync, constants as fs, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PGlite } from '@electric-sql/pglite'
import type pg from 'pg'
import { afterAll, describe, inject } from 'vitest'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { embeddedDatabase, embeddedPool } from '#adapters/prisma/engine/embedded.ts'
import { TEMPLATE_DATABASE } from './global-setup.ts'

/** The connections of a test's pool on the shared server. */
export const TEST_POOL_SIZE = 5
/** Less memory than usual: most of the start time is memory allocation. */
const SMALL = ['shared_buffers=8MB', 'max_connections=5'].flatMap((setting) => ['-c', setting])

/** Opens a new migrated database. The caller closes it. */
export function openTestDatabase(kind: Database['kind'] = 'embedded'): Promise<Database> {
  return kind === 'embedded' ? openEmbedded() : openPostgresql()
}

/** Runs `suite` once on each engine. Databases that it opens are new and migrated, and are closed after the suite. */
export function describeOnBothEngines(name: string, suite: (open: () => Promise<Database>) => void): void {
  describe.each(['embedded', 'postgresql'] as const)(`${name}, on the %s engine`, (kind) => {
    const opened: Database[] = []
    afterAll(() => Promise.all(opened.map((database) => database.close())))
    suite(async () => {
      const database = await openTestDatabase(kind)
      opened.push(database)
      return database
    })
  })
}

/** Creates a migrated database on the shared PostgreSQL server of the run, for tests that open it themselves. */
export async function createPostgresDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = await ask('/postgres')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`)
  return {
    url: `${server}/${name}`,
    drop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

/** Puts a migrated embedded database into `directory`, so that a service starts faster there. */
export async function copyEmbeddedTemplate(directory: string): Promise<void> {
  cpSync(await ask('/template'), directory, { recursive: true, mode: fs.COPYFILE_FICLONE })
}

export type Statement = { readonly sql: string; readonly values: readonly unknown[] }

/** A fresh migrated database with the statements that reach it outside of transactions, in order. */
export async function openRecordedDatabase(): Promise<{ database: Database; statements: Statement[] }> {
  const statements: Statement[] = []
  const database = await openEmbedded((pglite) => {
    const pool = embeddedPool(pglite)
    const query = (config: pg.QueryConfig, values: readonly unknown[] = config.values ?? []) => {
      statements.push({ sql: config.text, values })
      return pool.query(config, [...values])
    }
    return new Proxy(pool, { get: (_, key) => (key === 'query' ? query : Reflect.get(pool, key)) })
  })
  return { database, statements }
}

async function openEmbedded(poolOf: (pglite: PGlite) => pg.Pool = embeddedPool): Promise<Database> {
  const directory = mkdtempSync(join(inject('testResources').directory, 'embedded-'))
  await copyEmbeddedTemplate(directory)
  const startParams = [...PGlite.defaultStartParams, ...SMALL]
  const pglite = await PGlite.create(directory, { startParams })
  return embeddedDatabase(pglite, () => rmSync(directory, { recursive: true, force: true }), poolOf(pglite))
}

async function openPostgresql(): Promise<Database> {
  const { url, drop } = await createPostgresDatabase()
  const database = await openDatabase({ kind: 'postgresql', url, poolSize: TEST_POOL_SIZE })
  return { ...database, close: () => database.close().then(drop) }
}

async function administer(server: string, statement: string): Promise<void> {
  const admin = await openDatabase({ kind: 'postgresql', url: `${server}/postgres`, poolSize: 1 })
  try {
    await admin.query(statement)
  } finally {
    await admin.close()
  }
}

async function ask(path: string): Promise<string> {
  const { socketPath } = inject('testResources')
  const { body, status } = await new Promise<{ body: string; status?: number }>((done, fail) => {
    // Opens a new connection: a kept-alive connection may have been closed since the last request.
    const asked = request({ socketPath, path, agent: false }, (response) => {
      text(response).then((body) => done({ body, status: response.statusCode }), fail)
    })
    asked.on('error', fail).end()
  })
  if (status !== 200) throw new Error(`no ${path} for this run: ${body}`)
  return body
}

/**
 * Empties tables, those that refer to them, and the events, which name their subjects by id. Without triggers: audit entries
 * are never removed, but between two tests. The rows are deleted, because TRUNCATE makes new files for every table and index,
 * which takes half a second.
 */
export async function emptyTables(db: Pick<Database, 'query'>, ...tables: readonly string[]): Promise<void> {
  await db.query(`DO $$
    DECLARE emptied regclass;
    BEGIN
      SET LOCAL session_replication_role = replica;
      FOR emptied IN
        WITH RECURSIVE affected AS (
          SELECT unnest('{events,${tables}}'::regclass[]) AS oid
          UNION SELECT conrelid FROM pg_constraint JOIN affected ON confrelid = affected.oid WHERE contype = 'f'
        ) SELECT oid FROM affected
      LOOP
        EXECUTE format('DELETE FROM %s', emptied);
      END LOOP;
    END $$`)
}
