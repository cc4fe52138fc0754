// Reads the master seed and the operator token, from where the settings name them.
import { random } from '#adapters/node/random.ts'
import { readOrCreateSecretFile, readSecretFile, type SecretFile } from '#adapters/node/secret-files.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import type { Config } from '#config/config.ts'
import { isOperatorToken, OPERATOR_TOKEN_ADVICE, type SecretSource } from '#config/secrets.ts'
import type { ConfigError } from '#config/setting.ts'
import { unusable } from '#config/settings.ts'

export type LoadedSecrets = {
  readonly seed: Uint8Array
  readonly operatorToken: string
  /** Sentences for the operator, about a file that others can read or a secret that was just made. */
  readonly remarks: readonly string[]
}

const OPERATOR_TOKEN_BYTES = 32
const newOperatorToken = (): string => `op_${Buffer.from(random.bytes(OPERATOR_TOKEN_BYTES)).toString('base64url')}`

/** Throws ConfigError, which names the setting and never the secret. */
export async function loadSecrets({ masterSeed, operatorToken }: Config['secrets']): Promise<LoadedSecrets> {
  const mnemonic = await load(masterSeed, newMnemonic)
  const seed = seedOf(masterSeed, mnemonic.secret)
  const token = await load(operatorToken, newOperatorToken)
  requireOperatorToken(operatorToken, token.secret)
  return {
    seed,
    operatorToken: token.secret,
    remarks: [
      ...(mnemonic.created
        ? ['A master seed was made: every deposit address derives from it. Keep a copy of it.']
        : []),
      ...[mnemonic.warning, token.warning].filter((warning) => warning !== null),
    ],
  }
}

async function load(setting: SecretSource, make: () => string): Promise<SecretFile> {
  if (setting.kind === 'given') return { secret: setting.secret, created: false, warning: null }
  try {
    return setting.create ? await readOrCreateSecretFile(setting.path, make) : await readSecretFile(setting.path)
  } catch (error) {
    throw refusal(setting, error)
  }
}

/** A token of a setting was judged when the setting was read. The file in DATA_DIR may have been written by hand. */
function requireOperatorToken(setting: SecretSource, token: string): void {
  if (setting.kind === 'given' || isOperatorToken(token)) return
  const advice = `write ${OPERATOR_TOKEN_ADVICE} into it, or remove it`
  throw unusable(setting.from, `the file ${setting.path} holds no operator token`, advice)
}

function seedOf(setting: SecretSource, mnemonic: string): Uint8Array {
  try {
    return loadMasterSeed(mnemonic)
  } catch (error) {
    throw refusal(setting, error, setting.kind === 'file' ? `the file ${setting.path} holds no seed: ` : '')
  }
}

/** A damaged secret in DATA_DIR has to be restored: the setting itself is right. */
function refusal({ from }: SecretSource, error: unknown, where = ''): ConfigError {
  const why = where + (error instanceof Error ? error.message : String(error))
  return unusable(from, why, from === 'DATA_DIR' ? 'put that right, or write another directory' : undefined)
}
