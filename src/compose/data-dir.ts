// The directory of the embedded database, the embedded chain and generated secrets. Only its owner may read it.
import { closeToOthers, makeWritableDirectory } from '#adapters/node/directories.ts'
import type { Config } from '#config/config.ts'
import type { ConfigError } from '#config/setting.ts'
import { unusable } from '#config/settings.ts'
import { NETWORKS } from '#core/chain/types.ts'

/** The entries that the service makes in it. Other files are protected by the directory itself. */
const OWN_ENTRIES = [
  'database',
  'database.lock',
  'database.unfinished',
  'chain',
  'demo-keys',
  'demo.json',
  'images',
  'master-seed',
  'operator-token',
  'service.json',
]

/**
 * Makes the directory when something needs it, and closes it to other users. Returns sentences for the operator. Throws
 * ConfigError when it cannot be used.
 */
export async function prepareDataDir(config: Config): Promise<readonly string[]> {
  if (!usesDataDir(config)) return []
  const { dataDir } = config
  try {
    await makeWritableDirectory(dataDir)
  } catch (error) {
    throw refusal(error)
  }
  try {
    const mode = await closeToOthers(dataDir, OWN_ENTRIES)
    return (mode & 0o077) === 0
      ? []
      : [`DATA_DIR ${dataDir} was open to other users (mode ${mode.toString(8)}): closed.`]
  } catch (error) {
    throw refusal(error, 'run chmod -R go-rwx on DATA_DIR as its owner, or write another directory')
  }
}

/** Returns whether the service keeps something in the directory. */
export function usesDataDir({ database, chains, secrets }: Config): boolean {
  const makesSecret = Object.values(secrets).some((secret) => secret.kind === 'file' && secret.create)
  return makesSecret || database.kind === 'embedded' || NETWORKS.some((network) => chains[network]?.kind === 'embedded')
}

const refusal = (error: unknown, instead?: string): ConfigError =>
  unusable('DATA_DIR', error instanceof Error ? error.message : String(error), instead)
