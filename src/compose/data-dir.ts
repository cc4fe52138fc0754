// The directory in which the embedded database and the embedded chain live.
import { makeWritableDirectory } from '#adapters/node/directories.ts'
import { type Config, unusable } from '#config.ts'
import { NETWORKS } from '#core/chain/types.ts'

/** Makes it where something is to live in it. Throws ConfigError when nothing can. */
export async function prepareDataDir({ dataDir, database, chains }: Config): Promise<void> {
  const isHome = database.kind === 'embedded' || NETWORKS.some((network) => chains[network]?.kind === 'embedded')
  if (!isHome) return
  try {
    await makeWritableDirectory(dataDir)
  } catch (error) {
    throw unusable('DATA_DIR', error instanceof Error ? error.message : String(error))
  }
}
