// Telling a database that is away from a statement that is wrong: the one is answered with "try again", the other is
// a defect.
import pg from 'pg'
import { Prisma } from '#adapters/prisma/generated/client.ts'

/** No connection could be had, or it was lost with the answer outstanding: what was sent may have been done or not. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
}

/**
 * SQLSTATEs by prefix: 08 connection exceptions, 53 insufficient resources, 57014 statement timeout, 57P shutdowns,
 * 55P03 a lock that was not to be had in time, 58 system errors.
 */
const SQLSTATES = ['08', '53', '57014', '57P', '55P03', '58']
/** Unreachable, timed out, closed, pool exhausted, no transaction in time, too many connections. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/** Whether `error`, thrown by a Database, says that the database is away rather than that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true
  if (error instanceof pg.DatabaseError) return isAway(error.code)
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false
  return PRISMA_CODES.has(error.code) || isAway(sqlStateOf(error.meta))
}

const isAway = (sqlState: string | undefined): boolean =>
  sqlState !== undefined && SQLSTATES.some((prefix) => sqlState.startsWith(prefix))

// Prisma gives the driver's own code as meta.driverAdapterError.cause.originalCode.
function sqlStateOf(meta: unknown): string | undefined {
  const code = property(property(property(meta, 'driverAdapterError'), 'cause'), 'originalCode')
  return typeof code === 'string' ? code : undefined
}

const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && key in value ? Reflect.get(value, key) : undefined

/** What a driver threw, with a class: pg reports lost connections and its own time-outs as plain Errors. */
export function withClass(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof TypeError || !(error instanceof Error)) return error
  return new DatabaseUnavailableError(error.message, { cause: error })
}

/** For a promise's `catch`: see withClass. */
export function rethrowWithClass(error: unknown): never {
  throw withClass(error)
}
