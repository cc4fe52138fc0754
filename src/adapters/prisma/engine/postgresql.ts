// The shared engine: any PostgreSQL from 15 on, through one pool for Prisma and for statements outside it.
import pg from 'pg'
import type { Database, Parameter, Session } from '#adapters/prisma/engine/engine.ts'
import { createListener } from '#adapters/prisma/engine/listener.ts'
import { onPool, run } from '#adapters/prisma/engine/pooled.ts'
import { resilientPool } from '#adapters/prisma/engine/resilient-pool.ts'
import { rethrowWithClass } from '#adapters/prisma/engine/unavailable.ts'

const DEFAULT_POOL_SIZE = 10
/** Milliseconds. The client's limit is longer than the server's: only a dead connection reaches it. */
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 30_000,
}
const LISTENER_HEARTBEAT = 10_000
const OLDEST_VERSION = 15
const TRANSACTION_LIMITS = { maxWait: 3_000, timeout: 10_000 }

export type PostgresqlOptions = {
  readonly url: string
  readonly poolSize?: number
  /** Limits that replace the defaults, in milliseconds; for tests. */
  readonly limits?: Partial<typeof LIMITS>
  readonly listenerHeartbeat?: number
}

/** Connects once, so that a wrong address or password fails at the start. */
export async function openPostgresql(options: PostgresqlOptions): Promise<Database> {
  // Prisma writes and reads timestamps without their zone, which is right in UTC only.
  const connection: pg.ClientConfig = {
    connectionString: options.url,
    options: '-c TimeZone=UTC',
    application_name: 'solana-payments',
    keepAlive: true,
  }
  const { query_timeout, ...limits } = { ...LIMITS, ...options.limits }
  const max = options.poolSize ?? DEFAULT_POOL_SIZE
  const pool = resilientPool(new pg.Pool({ ...connection, ...limits, max }), query_timeout)
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const { connectionTimeoutMillis } = limits
  const listener = createListener(
    { ...connection, connectionTimeoutMillis, query_timeout },
    options.listenerHeartbeat ?? LISTENER_HEARTBEAT,
  )
  const { prisma, query } = onPool(pool, TRANSACTION_LIMITS)
  let closing: Promise<void> | undefined
  const close = async () => {
    await Promise.all([prisma.$disconnect(), listener.close()])
    await pool.end()
  }
  const database: Database = {
    kind: 'postgresql',
    prisma,
    query,
    listen: listener.listen,
    session: (work) => withSession({ ...connection, connectionTimeoutMillis }, work),
    close: () => {
      closing ??= close()
      return closing
    },
  }
  try {
    await judgeServer(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function judgeServer(database: Pick<Database, 'query'>): Promise<void> {
  const [server] = await database.query<{ version: number; zone: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('TimeZone') AS zone`,
  )
  if (server === undefined || server.version < OLDEST_VERSION)
    throw new Error(`the database is PostgreSQL ${server?.version}: ${OLDEST_VERSION} or later is needed`)
  if (server.zone !== 'UTC') throw new Error(`the database's address sets the time zone ${server.zone}: UTC is needed`)
}

async function withSession<T>(config: pg.ClientConfig, work: (session: Session) => Promise<T>): Promise<T> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect().catch(rethrowWithClass)
    return await work({
      query: <Row extends object>(text: string, params?: readonly Parameter[]) =>
        run<Row>(client, text, params).catch(rethrowWithClass),
      async script(sql) {
        await client.query(sql).catch(rethrowWithClass)
      },
    })
  } finally {
    await client.end()
  }
}
