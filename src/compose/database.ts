// Opens the database that the settings name, and applies pending migrations.
import {
  type Database,
  DirectoryUnavailableError,
  isDatabaseUnavailable,
  openDatabase,
  UnusableServerError,
  unusableServer,
} from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { continueEventOrder } from '#adapters/prisma/events/event-log.ts'
import type { Config } from '#config/config.ts'
import { unusable } from '#config/settings.ts'

type Setting = Config['database']

/** Opens the database. Throws ConfigError when it cannot be used. */
export async function openMigrated(setting: Setting, progress: (line: string) => void): Promise<Database> {
  const db =
    setting.kind === 'embedded' ? await openHere(setting.directory, progress) : await connect(setting, progress)
  try {
    const applied = await applyMigrations(db)
    await continueEventOrder(db)
    if (applied.length > 0) progress(`applied migrations: ${applied.length}`)
    return db
  } catch (error) {
    await db.close()
    if (setting.kind === 'embedded' || !isDatabaseUnavailable(error)) throw error
    throw namingItsSetting(unusableServer(setting.directUrl === undefined ? 'url' : 'directUrl', error))
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

async function connect(
  { url, directUrl }: Extract<Setting, { kind: 'postgres' }>,
  progress: (line: string) => void,
): Promise<Database> {
  progress('connecting to PostgreSQL')
  try {
    return await openDatabase({ kind: 'postgresql', url, directUrl })
  } catch (error) {
    throw error instanceof UnusableServerError ? namingItsSetting(error) : error
  }
}

const SETTING = { url: 'DATABASE_URL', directUrl: 'DATABASE_DIRECT_URL' } as const

const namingItsSetting = ({ address, message, advice }: UnusableServerError) =>
  unusable(SETTING[address], message, advice)
