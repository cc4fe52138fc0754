// What makes a server unusable, for the person who starts the service.
import pg from 'pg'
import { fieldOf } from '#lib/values.ts'
import { readServer, type ServerFacts, type SessionLimits } from './sessions.ts'

/** The two addresses of one database: `url` for statements, `directUrl` for what needs a session of its own. */
export type ServerAddress = 'url' | 'directUrl'

/** The server at `address` cannot be used: the reason, and a remedy. Without one, the address may be wrong. */
export class UnusableServerError extends Error {
  override readonly name = 'UnusableServerError'
  readonly address: ServerAddress
  readonly advice: string | undefined

  constructor(address: ServerAddress, message: string, advice: string | undefined, cause?: unknown) {
    super(message, { cause })
    this.address = address
    this.advice = advice
  }
}

const CORRECT = 'correct this, and start the service again'
/** SQLSTATEs by prefix: a refused user or password, and an unknown database. */
const OF_ADDRESS = ['28', '3D']
/** PgBouncer refuses each parameter that it does not know. */
const PARAMETER = /unsupported startup parameter/
/** A message of pg. A pooler accepts a connection for which it has no session. */
const NO_ANSWER = 'Query read timeout'
const UNKNOWN_HOST = ['ENOTFOUND', 'EAI_AGAIN']
/** The codes of the system; those of TLS contain an underscore. */
const SYSTEM_CODE = /^E[A-Z]+$/

/**
 * Returns the error of opening or using a connection as that of its server. A message of the server shows no password. A message of
 * the system may contain a part of one that was not escaped.
 */
export function unusableServer(address: ServerAddress, error: unknown): UnusableServerError {
  if (error instanceof UnusableServerError) return error
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const unusable = (reason: string, advice?: string) => new UnusableServerError(address, reason, advice, error)
  if (error instanceof pg.DatabaseError) return unusable(`the database does not open: ${message}`, remedyOf(error))
  if (message === NO_ANSWER)
    return unusable(
      'the database accepts connections, and answers no statement',
      'give it, or its pooler, more sessions',
    )
  const code = fieldOf(cause, 'code')
  if (typeof code !== 'string') return unusable(`the database does not open: ${message}`)
  if (code === 'ECONNREFUSED') return unusable(`no database listens there (${code})`)
  if (UNKNOWN_HOST.includes(code)) return unusable(`its host is not known (${code})`)
  return unusable(`the database cannot be reached (${code})`, SYSTEM_CODE.test(code) ? undefined : CORRECT)
}

function remedyOf({ message, code = '' }: pg.DatabaseError): string | undefined {
  if (PARAMETER.test(message)) return 'remove this parameter from the address'
  return OF_ADDRESS.some((prefix) => code.startsWith(prefix)) ? undefined : CORRECT
}

// Whether the service can use a server: its version, and the sessions that its addresses give.

const OLDEST_VERSION = 15
const LENT = 'its pooler gives each transaction another session'

/** `directUrl` is null where `url` is the only address. */
type Addresses = { readonly url: pg.ClientConfig; readonly directUrl: pg.ClientConfig | null }

/** Returns the server of `url`. Throws UnusableServerError when an address cannot be used; `limits` are those of statements. */
export async function judgedServer({ url, directUrl }: Addresses, limits: SessionLimits): Promise<ServerFacts> {
  const server = await serverAt('url', url)
  const own = directUrl === null ? server : await serverAt('directUrl', directUrl)
  if (own.lending === 'transaction') {
    const reason = `${LENT}, and notices and migrations need one of their own`
    throw directUrl === null
      ? new UnusableServerError('url', reason, 'set DATABASE_DIRECT_URL to the address of the server itself')
      : new UnusableServerError('directUrl', reason, 'write the address of the server itself')
  }
  if (own.database !== server.database)
    throw new UnusableServerError('directUrl', 'this is not the database of DATABASE_URL', 'write its address')
  if (server.lending === 'transaction') judgeRole(server, limits)
  return server
}

async function serverAt(address: ServerAddress, config: pg.ClientConfig): Promise<ServerFacts> {
  const server = await readServer(config).catch((error: unknown) => Promise.reject(unusableServer(address, error)))
  if (server.version >= OLDEST_VERSION) return server
  const reason = `the database is PostgreSQL ${server.version}`
  throw new UnusableServerError(address, reason, `use PostgreSQL ${OLDEST_VERSION} or later`)
}

const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const

/** Throws UnusableServerError when the role lacks settings that a connection cannot give to the session of each transaction. */
export function judgeRole({ role, zone, limits }: ServerFacts, needed: SessionLimits): void {
  const missing = [
    ...(/^(Etc\/)?UTC$/.test(zone) ? [] : [`TimeZone = 'UTC'`]),
    ...LIMITS.flatMap((name) => (limits[name] === '0' ? [`${name} = ${needed[name]}`] : [])),
  ]
  if (missing.length === 0) return
  const statements = missing.map((setting) => `ALTER ROLE ${role} SET ${setting}`).join('; ')
  const reason = `${LENT}, and the role ${role} lacks settings that each of them needs`
  throw new UnusableServerError('url', reason, `run ${statements}; then let the pooler reconnect`)
}
