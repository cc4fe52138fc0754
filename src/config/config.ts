// Reads the settings of the service once, checks them against each other, and groups them by subject.
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { type SubscriptionsConfig, subscriptionsOf } from './billing.ts'
import { type ChainsConfig, chainsOf, depositSourceOf, isEmbedded } from './chain.ts'
import type { Env } from './environment.ts'
import { type FeesConfig, feesOf } from './fees.ts'
import { withFiles } from './file-settings.ts'
import { type PricesConfig, pricesOf } from './prices.ts'
import { operatorTokenOf, type SecretSource, type SecretsConfig, secretsOf } from './secrets.ts'
import { type ServerConfig, serverOf } from './server.ts'
import { judgeTogether } from './setting-rules.ts'
import { readSettings, type Settings } from './settings.ts'
import { type SettlementConfig, settlementOf } from './settlement.ts'
import { type DatabaseConfig, databaseOf, dataDirOf, type ImagesConfig, imagesOf } from './storage.ts'

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
  readonly secrets: SecretsConfig
  readonly prices: PricesConfig
  readonly fees: FeesConfig
  /** null: recurring billing is off. */
  readonly subscriptions: SubscriptionsConfig | null
  /** Where images are stored; null stores none. */
  readonly images: ImagesConfig | null
  readonly webhooks: { readonly allowPrivate: boolean }
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
    secrets: secretsOf(settings),
    prices: pricesOf(settings, embedded),
    fees,
    subscriptions: subscriptionsOf(settings, { embedded, platformFeeBps: fees.platformFeeBps }),
    images: imagesOf(settings),
    webhooks: { allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE ?? embedded },
    sandbox: settings.SANDBOX ?? embedded,
  }
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
