// Settings of the secrets: the master seed and the operator token.
import { join } from 'node:path'
import { z } from 'zod'
import { integerSetting, secretSetting, setting, type Values } from './setting.ts'
import { dataDirOf } from './storage.ts'

/** A shorter token could be guessed. One that starts with sk_ looks like the key of a business. */
const OPERATOR_TOKEN = /^(?!sk_)[\x21-\x7e]{32,}$/
/** Completes "write …". */
export const OPERATOR_TOKEN_ADVICE =
  '32 or more visible characters without spaces, not beginning with sk_, as `openssl rand -hex 32` makes them'

export const isOperatorToken = (text: string): boolean => OPERATOR_TOKEN.test(text)

export const SECRET_SETTINGS = {
  MASTER_SEED: secretSetting(z.string(), 'a BIP-39 mnemonic of 12 to 24 words'),
  MASTER_SEED_FILE: setting(z.string(), 'the path of a file that contains a BIP-39 mnemonic'),
  OPERATOR_TOKEN: secretSetting(z.string().refine(isOperatorToken), OPERATOR_TOKEN_ADVICE),
  RECEIPT_KEY_VERSION: integerSetting(1, 1_000),
}
type SecretSettings = Values<typeof SECRET_SETTINGS> & { readonly DATA_DIR?: string | undefined }

/**
 * A secret, or the file that contains it; with `create`, a missing file is created with a new secret.
 * `from` is the setting to name when the secret cannot be used.
 */
export type SecretSource = { readonly from: keyof SecretSettings } & (
  | { readonly kind: 'given'; readonly secret: string }
  | { readonly kind: 'file'; readonly path: string; readonly create: boolean }
)

export type SecretsConfig = { readonly masterSeed: SecretSource; readonly operatorToken: SecretSource }

export const secretsOf = (settings: SecretSettings): SecretsConfig => ({
  masterSeed: masterSeedOf(settings),
  operatorToken: operatorTokenOf(settings),
})

function masterSeedOf(settings: SecretSettings): SecretSource {
  const { MASTER_SEED, MASTER_SEED_FILE } = settings
  if (MASTER_SEED !== undefined) return { from: 'MASTER_SEED', kind: 'given', secret: MASTER_SEED }
  if (MASTER_SEED_FILE !== undefined)
    return { from: 'MASTER_SEED_FILE', kind: 'file', path: MASTER_SEED_FILE, create: false }
  // Both are missing only with the embedded chain.
  return { from: 'DATA_DIR', kind: 'file', path: join(dataDirOf(settings), 'master-seed'), create: true }
}

export const operatorTokenOf = (settings: Omit<SecretSettings, 'MASTER_SEED' | 'MASTER_SEED_FILE'>): SecretSource =>
  settings.OPERATOR_TOKEN === undefined
    ? { from: 'DATA_DIR', kind: 'file', path: join(dataDirOf(settings), 'operator-token'), create: true }
    : { from: 'OPERATOR_TOKEN', kind: 'given', secret: settings.OPERATOR_TOKEN }
