// The shared engine: any PostgreSQL from 15 on, through one pool for Prisma and for statements outside it.
import pg from 'pg'
import type { Database, Parameter, Session } from '#adapters/prisma/engine/engine.ts'
import { createListener } from '#adapters/prisma/engine/listener.ts'
import { onPool, run } from '#adapters/prisma/engine/pooled.ts'
import { resilientPool } from '#adapters/prisma/engine/resilient-pool.ts'
import { type SessionLimits, withClient } from '#adapters/prisma/engine/sessions.ts'
import { rethrowWithClass } from '#adapters/prisma/engine/unavailable.ts'
import { judgedServer } from './unusable-server.ts'

const DEFAULT_POOL_SIZE = 10
/** Milliseconds. The client's limit is longer than the server's: only a dead connection reaches it. */
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 30_000,
}
/** Prisma writes and reads timestamps without their zone, which is right in UTC only. */
const ZONE = 'UTC'
const LISTENER_HEARTBEAT = 10_000
const TRANSACTION_LIMITS = { maxWait: 3_000, timeout: 10_000 }

export type PostgresqlOptions = {
  readonly url: string
  /** Another address of the same database, for notices and separate connections. Needed where `url` has no session of its own. */
  readonly directUrl?: string
  readonly poolSize?: number
  /** Limits that replace the defaults, in milliseconds; for tests. */
  readonly limits?: Partial<typeof LIMITS>
  readonly listenerHeartbeat?: number
}

/** Throws UnusableServerError when a server cannot be reached, refuses the connection, or lacks what the service needs. */
export async function openPostgresql(options: PostgresqlOptions): Promise<Database> {
  const { url, directUrl, poolSize: max = DEFAULT_POOL_SIZE } = options
  const { query_timeout, connectionTimeoutMillis, ...sessionLimits } = { ...LIMITS, ...options.limits }
  const common = { application_name: 'solana-payments', keepAlive: true, connectionTimeoutMillis }
  const pooled = { ...common, connectionString: url }
  const direct = { ...common, connectionString: directUrl ?? url }
  const listening = { ...direct, query_timeout }
  const judged = { url: { ...pooled, query_timeout }, directUrl: directUrl === undefined ? null : listening }
  const { lending } = await judgedServer(judged, sessionLimits)
  const settings = settingsOf(lending === 'transaction' ? {} : sessionLimits)
  const start = { text: settings, query_timeout: connectionTimeoutMillis }
  const onConnect = (client: pg.ClientBase) => client.query(start)
  const pool = resilientPool(new pg.Pool({ ...pooled, max, onConnect }), query_timeout)
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const listener = createListener(listening, options.listenerHeartbeat ?? LISTENER_HEARTBEAT)
  const { prisma, query } = onPool(pool, { limits: TRANSACTION_LIMITS, prepares: lending === 'always' })
  let closing: Promise<void> | undefined
  const close = async () => {
    await Promise.all([prisma.$disconnect(), listener.close()])
    await pool.end()
  }
  return {
    kind: 'postgresql',
    prisma,
    query,
    listen: listener.listen,
    session: (work) => withSession(direct, work),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

const NO_LIMITS: SessionLimits = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 }

/** Returns the statements that set up a session: a pooler refuses most settings in the start of a connection. */
const settingsOf = (limits: Partial<SessionLimits>): string =>
  Object.entries({ TimeZone: ZONE, ...limits })
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')

function withSession<T>(config: pg.ClientConfig, work: (session: Session) => Promise<T>): Promise<T> {
  return withClient(config, async (client) => {
    const script = async (sql: string) => void (await client.query(sql).catch(rethrowWithClass))
    await script(settingsOf(NO_LIMITS))
    return await work({
      query: <Row extends object>(text: string, params?: readonly Parameter[]) =>
        run<Row>(client, text, params).catch(rethrowWithClass),
      script,
    })
  })
}
