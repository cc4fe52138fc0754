// Whether the service can use a server: its version, and the sessions that its addresses give.
import type pg from 'pg'
import { readServer, type ServerFacts, type SessionLimits } from '#adapters/prisma/engine/sessions.ts'
import { type ServerAddress, UnusableServerError, unusableServer } from '#adapters/prisma/engine/unusable-server.ts'

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
