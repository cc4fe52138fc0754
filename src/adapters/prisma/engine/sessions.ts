// The sessions of a server behind an address. A pooler such as PgBouncer lends its sessions: to a connection until its end, or for
// one transaction only. What a session remembers (statements, settings, LISTEN, locks) is then another connection's after that.
import pg from 'pg'
import { rethrowWithClass } from '#adapters/prisma/engine/unavailable.ts'
import { fieldOf } from '#lib/values.ts'

/** For how long a connection has its session: `always` without a pooler. */
export type Lending = 'always' | 'connection' | 'transaction'

export type ServerFacts = {
  readonly version: number
  readonly role: string
  /** Identifies the database among those of all servers. */
  readonly database: string
  readonly lending: Lending
  /** The time zone of the next session, after a connection has set UTC in its first. */
  readonly zone: string
  /** The limits that sessions have without being set; `0` is none. */
  readonly limits: { readonly [Name in keyof SessionLimits]: string }
}

/** The limits of the statements and transactions of a session, in milliseconds. */
export type SessionLimits = {
  readonly statement_timeout: number
  readonly idle_in_transaction_session_timeout: number
}

type Row = Omit<ServerFacts, 'lending'> & { readonly pid: number }

const FACTS = `
SELECT pg_backend_pid() AS pid, current_setting('server_version_num')::int / 10000 AS version,
  quote_ident(current_user) AS role, concat(system_identifier, '/', pg_database.oid) AS database,
  current_setting('TimeZone') AS zone, json_build_object(
    'statement_timeout', current_setting('statement_timeout'),
    'idle_in_transaction_session_timeout', current_setting('idle_in_transaction_session_timeout')
  ) AS limits
FROM pg_database, pg_control_system() WHERE datname = current_database()`

/** Reads what the server is, and how its sessions are lent. */
export function readServer(config: pg.ClientConfig): Promise<ServerFacts> {
  return withClient(config, (one) => withClient(config, (other) => compare(one, other).catch(rethrowWithClass)))
}

/**
 * A session that is lent for a transaction is free between two: the transaction of the other connection takes it, and the next
 * statement of the first one runs elsewhere. PgBouncer gives each connection a process id of its own invention.
 */
async function compare(one: pg.Client, other: pg.Client): Promise<ServerFacts> {
  await one.query(`SET TimeZone = 'UTC'`)
  const before = await factsOf(one)
  await other.query('BEGIN')
  const taken = await factsOf(other)
  const { pid, ...facts } = await factsOf(one)
  await other.query('COMMIT')
  const isLent = taken.pid === before.pid || pid !== before.pid
  const isOwn = fieldOf(one, 'processID') === pid
  return { ...facts, lending: isLent ? 'transaction' : isOwn ? 'always' : 'connection' }
}

async function factsOf(client: pg.Client): Promise<Row> {
  const { rows } = await client.query<Row>(FACTS)
  const [row] = rows
  if (row === undefined) throw new Error('the server does not describe itself')
  return row
}

/** Opens a connection for `work`, and closes it. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect().catch(rethrowWithClass)
    return await work(client)
  } finally {
    await client.end()
  }
}
