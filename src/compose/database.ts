// Opens the database that the settings name, and applies pending migrations.
import { codeOf } from '#adapters/node/system-error.ts'
import {
  type Database,
  DirectoryUnavailableError,
  isDatabaseUnavailable,
  openDatabase,
} from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { continueEventOrder } from '#adapters/prisma/events/event-order.ts'
import type { Config } from '#config/config.ts'
import type { ConfigError } from '#config/setting.ts'
import { unusable } from '#config/settings.ts'

type Setting = Config['database']

/** Opens the database. Throws ConfigError when it cannot be used. */
export async function openMigrated(setting: Setting, progress: (line: string) => void): Promise<Database> {
  const db =
    setting.kind === 'embedded' ? await openHere(setting.directory, progress) : await connect(setting, progress)
  try {
    const applied = await applyMigrations(db)
    await continueEventOrder(db)
    if (applied.length > 0) progress(`applied ${applied.length} migrations`)
    return db
  } catch (error) {
    await db.close()
    throw setting.kind === 'postgres' && isDatabaseUnavailable(error) ? unreachable(error) : error
  }
}

async function openHere(dataDir: string, progress: (line: string) => void): Promise<Database> {
  progress('opening the embedded database')
  try {
    return await openDatabase({ kind: 'embedded', dataDir })
  } catch (error) {
    if (!(error instanceof DirectoryUnavailableError)) throw error
    throw unusable('DATA_DIR', error.message, error.advice)
  }
}

/** Names the setting of the server in every error: a server can be unusable in many ways. */
async function connect({ url }: { url: string }, progress: (line: string) => void): Promise<Database> {
  progress('connecting to PostgreSQL')
  try {
    return await openDatabase({ kind: 'postgresql', url })
  } catch (error) {
    throw unreachable(error)
  }
}

const unreachable = (error: unknown): ConfigError => unusable('DATABASE_URL', reasonOf(error))

/** A message of the server shows no password. A message of the system may contain a part of one that was not escaped. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const code = codeOf(cause)
  if (code === 'ECONNREFUSED') return `no database listens there (${code})`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its host is not known (${code})`
  return code === undefined ? `the database does not open: ${message}` : `the database cannot be reached (${code})`
}
