// A real PostgreSQL that keeps what it acknowledges: fsync and synchronous_commit are on, as in production.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { type PostgresServer, startPostgresServer } from '../../test/support/postgres-server.ts'

/** Everything else is as PostgreSQL comes. */
const DURABLE = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']

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
