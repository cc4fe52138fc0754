// What makes a server unusable, for the person who starts the service.
import pg from 'pg'
import { fieldOf } from '#lib/values.ts'

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
