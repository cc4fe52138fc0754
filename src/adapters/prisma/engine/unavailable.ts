// Distinguishes an unreachable database from a wrong statement: the caller may retry the first, and the second is a
// defect.
import pg from 'pg'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { fieldOf } from '#lib/values.ts'

/** No connection was available, or it was lost before the answer: the statement may have been executed or not. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
}

/**
 * SQLSTATEs by prefix: 08 connection exceptions, 53 insufficient resources, 57014 statement timeout, 57P shutdowns,
 * 55P03 a lock that was not available in time, 58 system errors.
 */
const SQLSTATES = ['08', '53', '57014', '57P', '55P03', '58']
/** Unreachable, timed out, closed, pool exhausted, no transaction in time, too many connections. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])

/** Returns true when `error`, thrown by a Database, means an unreachable database and not a wrong statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true
  if (error instanceof pg.DatabaseError) return isUnavailableState(error.code)
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false
  return PRISMA_CODES.has(error.code) || isUnavailableState(sqlStateOf(error.meta))
}

/** Resolves to null when the database is unavailable. Rejects as the reading does for any other reason. */
export async function nullWhenUnavailable<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null
    throw error
  }
}

const isUnavailableState = (sqlState: string | undefined): boolean =>
  sqlState !== undefined && SQLSTATES.some((prefix) => sqlState.startsWith(prefix))

/** A row with the same unique key exists. */
const UNIQUE_VIOLATION = '23505'

/** Returns true when the statement would have stored a second row with a key that is unique. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && sqlStateOf(error.meta) === UNIQUE_VIOLATION

// Prisma gives the driver's own code as meta.driverAdapterError.cause.originalCode.
function sqlStateOf(meta: unknown): string | undefined {
  const code = fieldOf(fieldOf(fieldOf(meta, 'driverAdapterError'), 'cause'), 'originalCode')
  return typeof code === 'string' ? code : undefined
}

/** Returns the error of a driver with a class: pg reports lost connections and its own timeouts as plain Errors. */
export function withClass(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof TypeError || !(error instanceof Error)) return error
  return new DatabaseUnavailableError(error.message, { cause: error })
}

/** For a promise's `catch`: see withClass. */
export function rethrowWithClass(error: unknown): never {
  throw withClass(error)
}
