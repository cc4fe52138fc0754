// The engine of the embedded database, over the files of a directory.
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/** PostgreSQL initializes its default of 128 MB at every start; the file cache of the system is as good. */
const SHARED_BUFFERS = ['-c', 'shared_buffers=16MB']
/** Statistics of a table read at most 3,000 rows, not 30,000: no request is answered meanwhile. */
const STATISTICS = ['-c', 'default_statistics_target=10']
const NO_FSYNC = '-F'

/** Opens the engine, and creates its files where there are none. */
export function openPGlite(options: PGliteOptions, { durable }: { readonly durable: boolean }): Promise<PGlite> {
  const startParams = [
    ...PGlite.defaultStartParams.filter((param) => !(durable && param === NO_FSYNC)),
    ...(durable ? ['-c', 'wal_sync_method=fsync'] : []),
    ...SHARED_BUFFERS,
    ...STATISTICS,
  ]
  return PGlite.create({ ...options, startParams })
}
