// A real PostgreSQL that keeps what it acknowledges: fsync and synchronous_commit are on, as in production.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { type PostgresServer, startPostgresServer } from '../../test/support/postgres-server.ts'

/** Everything else is as PostgreSQL comes. The log keeps the segments that `FILL_LOG` makes. */
const DURABLE = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'min_wal_size=1GB']

/**
 * A new server writes each segment of its log as 16 MB of zeros first, and every commit waits for that. A server that
 * has run for some hours renames old segments instead. This gives a new server as many segments as a run needs.
 */
const FILL_LOG = `DO $$ BEGIN
  FOR segment IN 1..50 LOOP
    PERFORM pg_logical_emit_message(false, 'fill', '');
    PERFORM pg_switch_wal();
  END LOOP;
END $$`

export type BenchPostgres = PostgresServer & {
  readonly version: string
  createDatabase(name: string): Promise<string>
}

export async function startDurablePostgres(directory: string): Promise<BenchPostgres> {
  // The server may run as a user who owns nothing else.
  chmodSync(directory, 0o711)
  mkdirSync(directory, { recursive: true })
  const server = await startPostgresServer(join(directory, 'postgres'), undefined, DURABLE)
  const administer = async <Row extends object>(statement: string): Promise<Row[]> => {
    const admin = await openDatabase({ kind: 'postgresql', url: `${server.url}/postgres`, poolSize: 1 })
    try {
      return await admin.query<Row>(statement)
    } finally {
      await admin.close()
    }
  }
  await administer(FILL_LOG)
  await administer('CHECKPOINT')
  const [row] = await administer<{ server_version: string }>('SHOW server_version')
  return {
    ...server,
    version: row?.server_version ?? 'unknown',
    async createDatabase(name) {
      await administer(`CREATE DATABASE ${name}`)
      return `${server.url}/${name}`
    },
  }
}
