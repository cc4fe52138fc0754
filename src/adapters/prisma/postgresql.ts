// The shared engine: any PostgreSQL from 15 on, through one pool for Prisma and for statements outside it.
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Database, Parameter, Session } from '#adapters/prisma/engine.ts'
import { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { createListener } from '#adapters/prisma/listener.ts'
import { withClass } from '#adapters/prisma/unavailable.ts'
import { PARSERS, toWire } from '#adapters/prisma/values.ts'

const DEFAULT_POOL_SIZE = 10
/** Milliseconds. The client gives up after the server should have: only a dead connection takes that long. */
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
  idle_in_transaction_session_timeout: 30_000,
}
const LISTENER_HEARTBEAT = 10_000
const TRANSACTION_LIMITS = { maxWait: 3_000, timeout: 10_000 }

export type PostgresqlOptions = {
  readonly url: string
  readonly poolSize?: number
  /** Other limits than the usual, in milliseconds; for tests. */
  readonly limits?: Partial<typeof LIMITS>
  readonly listenerHeartbeat?: number
}

/** Connects once, so that a wrong address or password is told at the start. */
export async function openPostgresql(options: PostgresqlOptions): Promise<Database> {
  // Prisma writes and reads timestamps without their zone, which is right in UTC only.
  const connection: pg.ClientConfig = {
    connectionString: options.url,
    options: '-c TimeZone=UTC',
    application_name: 'solana-payments',
    keepAlive: true,
  }
  const limits = { ...LIMITS, ...options.limits }
  const pool = guarded(new pg.Pool({ ...connection, ...limits, max: options.poolSize ?? DEFAULT_POOL_SIZE }))
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const { connectionTimeoutMillis, query_timeout } = limits
  const listener = createListener(
    { ...connection, connectionTimeoutMillis, query_timeout },
    options.listenerHeartbeat ?? LISTENER_HEARTBEAT,
  )
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION_LIMITS })
  let closing: Promise<void> | undefined
  const close = async () => {
    await Promise.all([prisma.$disconnect(), listener.close()])
    await pool.end()
  }
  const database: Database = {
    kind: 'postgresql',
    prisma,
    query: (text, params) => run(pool, text, params),
    listen: listener.listen,
    session: (work) => withSession({ ...connection, connectionTimeoutMillis }, work),
    close: () => {
      closing ??= close()
      return closing
    },
  }
  try {
    await database.query('SELECT 1')
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function run<Row extends object>(
  client: pg.Pool | pg.Client,
  text: string,
  params: readonly Parameter[] = [],
): Promise<Row[]> {
  const { rows } = await client.query<Row>({ text, values: params.map(toWire), types: TYPES })
  return rows
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}

async function withSession<T>(config: pg.ClientConfig, work: (session: Session) => Promise<T>): Promise<T> {
  const client = guarded(new pg.Client(config))
  client.on('error', () => {})
  try {
    await client.connect()
    return await work({
      query: (text, params) => run(client, text, params),
      async script(sql) {
        await client.query(sql)
      },
    })
  } finally {
    await client.end()
  }
}

/**
 * The same pool or client, except that what it throws has a class (unavailable.ts), and that a connection which
 * failed under a caller is not given to the next one.
 */
function guarded<T extends pg.Pool | pg.Client | pg.PoolClient>(target: T): T {
  let broken: Error | undefined
  const fail = (cause: unknown): never => {
    const error = withClass(cause)
    if (error !== cause && error instanceof Error) broken = error
    throw error
  }
  return new Proxy(target, {
    get(_, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      if (key === 'release') return (error: unknown) => Reflect.apply(member, target, [broken ?? error])
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args)
        if (!(result instanceof Promise)) return result
        return result.then((value) => (isPoolClient(value) ? guarded(value) : value), fail)
      }
    },
  })
}

const isPoolClient = (value: unknown): value is pg.PoolClient =>
  typeof value === 'object' && value !== null && 'release' in value
