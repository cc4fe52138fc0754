// The database on either engine. The rest of the service uses this and never an engine.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { openPostgresql, type PostgresqlOptions } from '#adapters/prisma/engine/postgresql.ts'

export { DirectoryUnavailableError } from '#adapters/prisma/engine/directory-lock.ts'
export type { Database, Parameter, Session } from '#adapters/prisma/engine/engine.ts'
export { DatabaseUnavailableError, isDatabaseUnavailable } from '#adapters/prisma/engine/unavailable.ts'
export { type ServerAddress, UnusableServerError, unusableServer } from '#adapters/prisma/engine/unusable-server.ts'

export type DatabaseOptions =
  /** `dataDir` is the database's own directory; `memory` keeps nothing. */
  | { readonly kind: 'embedded'; readonly dataDir: string | 'memory' }
  | ({ readonly kind: 'postgresql' } & PostgresqlOptions)

/** Opens a database, and creates a new embedded database; migrate.ts applies migrations. Only the embedded engine loads PGlite. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.kind === 'postgresql') return await openPostgresql(options)
  const { openEmbedded } = await import('#adapters/prisma/engine/embedded.ts')
  return await openEmbedded(options.dataDir)
}
