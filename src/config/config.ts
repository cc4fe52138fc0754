// Reads the settings of the service once, checks them against each other, and groups them by subject.
import { readFileSync } from 'node:fs'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { type SubscriptionsConfig, subscriptionsOf } from './billing.ts'
import { type ChainsConfig, chainsOf, depositSourceOf, isEmbedded } from './chain.ts'
import type { Env } from './environment.ts'
import { type FeesConfig, feesOf, type SettlementConfig, settlementOf } from './fees.ts'
import { type PricesConfig, pricesOf } from './prices.ts'
import { operatorTokenOf, type SecretSource, type SecretsConfig, secretsOf } from './secrets.ts'
import { type ServerConfig, serverOf } from './server.ts'
import { ConfigError } from './setting.ts'
import { judgeTogether } from './setting-rules.ts'
import { FILE_SETTINGS, readSettings, type Settings } from './settings.ts'
import { type DatabaseConfig, databaseOf, dataDirOf, type ImagesConfig, imagesOf } from './storage.ts'

// Reads secrets from files, as container platforms provide them: OPERATOR_TOKEN_FILE=/run/secrets/operator-token. An
// environment variable is visible to everyone who may inspect the container, and is passed on to every child process.

/** Returns the environment with the content of each file in place of its name. Throws ConfigError. */
function withFiles(env: Env): Env {
  const read = FILE_SETTINGS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim() ?? ''
    if (path === '') return []
    if ((env[name]?.trim() ?? '') !== '') {
      throw new ConfigError(`${name}: is set next to ${name}_FILE; set one of them`)
    }
    return [[name, contentOf(`${name}_FILE`, path)] as const]
  })
  return { ...env, ...Object.fromEntries(read) }
}

function contentOf(setting: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8').trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new ConfigError(
      `${setting}: the file ${path} cannot be read (${code}); write the path of a file that contains it`,
    )
  }
  if (content === '')
    throw new ConfigError(`${setting}: the file ${path} is empty; write the path of a file that contains it`)
  return content
}

export type Config = {
  readonly role: NonNullable<Settings['ROLE']>
  readonly logLevel: NonNullable<Settings['LOG_LEVEL']>
  readonly dataDir: string
  readonly server: ServerConfig
  readonly database: DatabaseConfig
  readonly chains: ChainsConfig
  readonly settlement: SettlementConfig
  /** How deposits are found; null chooses by cost. */
  readonly depositSource: DepositSourceKind | null
  /** How many other calls a call for a block counts as. */
  readonly blockCredits: number
  readonly secrets: SecretsConfig
  /** The newest key that signs receipts, from 1. */
  readonly receiptKeyVersion: number
  readonly prices: PricesConfig
  readonly fees: FeesConfig
  /** null: recurring billing is off. */
  readonly subscriptions: SubscriptionsConfig | null
  /** Where images are stored; null stores none. */
  readonly images: ImagesConfig | null
  readonly webhooks: { readonly allowPrivate: boolean }
  /** Where traces are sent; null: nowhere. */
  readonly tracing: { readonly endpoint: string; readonly serviceName: string } | null
  /** How long a change of a payout wallet waits. */
  readonly payoutDelayHours: number
  readonly sandbox: boolean
}

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export function parseConfig(env: Env): Config {
  const settings = readSettings(withFiles(env))
  judgeTogether(settings)
  const embedded = isEmbedded(settings)
  const settlement = settlementOf(settings, embedded)
  const fees = feesOf(settings, settlement)
  return {
    role: settings.ROLE ?? 'all',
    logLevel: settings.LOG_LEVEL ?? 'info',
    dataDir: dataDirOf(settings),
    server: serverOf(settings, embedded),
    database: databaseOf(settings),
    chains: chainsOf(settings),
    settlement,
    depositSource: depositSourceOf(settings),
    blockCredits: settings.BLOCK_CREDITS ?? 10,
    secrets: secretsOf(settings),
    receiptKeyVersion: settings.RECEIPT_KEY_VERSION ?? 1,
    prices: pricesOf(settings, embedded),
    fees,
    subscriptions: subscriptionsOf(settings, { embedded, platformFeeBps: fees.platformFeeBps }),
    images: imagesOf(settings),
    webhooks: { allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE ?? embedded },
    tracing: tracingOf(settings),
    payoutDelayHours: settings.PAYOUT_CHANGE_DELAY_HOURS ?? 0,
    sandbox: settings.SANDBOX ?? embedded,
  }
}

function tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME }: Settings): Config['tracing'] {
  return endpoint === undefined ? null : { endpoint, serviceName: OTEL_SERVICE_NAME ?? 'solana-payments' }
}

export type ClientConfig = {
  /** Where the operator's API is by the settings. */
  readonly url: string
  /** Whether a setting names its port. */
  readonly hasPort: boolean
  readonly dataDir: string
  readonly token: SecretSource
}

/** Returns what the operator command has to know of the service. Throws ConfigError. */
export function parseClientConfig(env: Env): ClientConfig {
  const { PORT, OPERATOR_PORT, HOST, DATA_DIR, OPERATOR_TOKEN, OPERATOR_TOKEN_FILE } = env
  const settings = readSettings(withFiles({ PORT, OPERATOR_PORT, HOST, DATA_DIR, OPERATOR_TOKEN, OPERATOR_TOKEN_FILE }))
  return {
    url: serverOf(settings, true).operatorUrl,
    hasPort: (settings.PORT ?? settings.OPERATOR_PORT) !== undefined,
    dataDir: dataDirOf(settings),
    token: operatorTokenOf(settings),
  }
}
