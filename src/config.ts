// Reads the settings of the service once, checks them against each other, and groups them by subject.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadEnvFile } from 'node:process'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Address, Commitment } from '#core/chain/types.ts'
import {
  type BasisPoints,
  type Lamports,
  makeBasisPoints,
  makeLamports,
  makeUsdCents,
  type UsdCents,
} from '#core/money/amounts.ts'
import { DEFAULT_PRICE_FEEDS, type PriceFeedsSetting, parsePriceFeeds } from '#core/money/price-feeds.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import { withFiles } from './file-settings.ts'
import { judgeTogether } from './setting-rules.ts'
import { ConfigError, readSettings, type SettingName, type Settings, unusable } from './settings.ts'

export { ConfigError, type SettingName, unusable }

export type Env = Readonly<Record<string, string | undefined>>

export type ChainSetting =
  | { readonly kind: 'embedded'; readonly slotMs: number }
  /** The addresses may hold a provider's key: never show them. */
  | { readonly kind: 'remote'; readonly rpcUrls: readonly string[]; readonly wsUrls: readonly string[] }

/**
 * A secret as it was given, or the file that holds it; `create` allows to make one where there is no file yet.
 * `from` is the setting to name when it cannot be used.
 */
export type SecretSetting = { readonly from: SettingName } & (
  | { readonly kind: 'given'; readonly secret: string }
  | { readonly kind: 'file'; readonly path: string; readonly create: boolean }
)

export type ImagesSetting =
  | { readonly kind: 'folder'; readonly directory: string }
  | {
      readonly kind: 's3'
      readonly endpoint: string
      readonly bucket: string
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: string
    }

/** Recurring billing: docs/billing.md. */
export type SubscriptionsSetting = {
  /** The mint of the settlement stablecoin on the live network; null is the Demo Dollar of the embedded chain. */
  readonly mint: Address | null
  readonly maxPriceUsdCents: UsdCents
  /** The platform fee on charges. Each tier keeps the rate that it was created with. */
  readonly platformFeeBps: BasisPoints
  /** Live subscriptions of one wallet. */
  readonly perWallet: number
  /** The most that the fee payer spends in a day on transactions that subscribers sign. */
  readonly sponsorLamportsPerDay: Lamports
}

export type Config = {
  readonly role: NonNullable<Settings['ROLE']>
  readonly logLevel: NonNullable<Settings['LOG_LEVEL']>
  readonly dataDir: string
  readonly server: {
    readonly host: string
    readonly port: number
    /** A port of its own for the operator's API; null serves it at `port`. */
    readonly operatorPort: number | null
    /** Where the operator's API is, without a slash at the end. */
    readonly operatorUrl: string
    /** {base_url} and {pay_url}, without a slash at the end. */
    readonly publicUrl: string
    readonly payUrl: string
    readonly rateLimits: boolean
    /** New sellers of one marketplace in ten seconds. */
    readonly sellersPerTenSeconds: number
    /** Whether X-Forwarded-For is trusted: only behind a proxy of the operator. */
    readonly trustProxy: boolean
    readonly introspection: boolean
  }
  readonly database:
    | { readonly kind: 'embedded'; readonly directory: string }
    | { readonly kind: 'postgres'; readonly url: string }
  /** `test` is null where test accounts are refused. Both embedded means one and the same chain. */
  readonly chains: { readonly live: ChainSetting; readonly test: ChainSetting | null }
  readonly settlement: {
    readonly commitment: Commitment
    /** The priority fee of a transaction for each compute unit, in millionths of a lamport. */
    readonly computeUnitPrice: bigint
    readonly refundBudget: SpendBudget
  }
  /** How deposits are found; null chooses by cost. */
  readonly depositSource: DepositSourceKind | null
  readonly secrets: { readonly masterSeed: SecretSetting; readonly operatorToken: SecretSetting }
  readonly prices: {
    readonly feeds: PriceFeedsSetting
    readonly apiKeys: { readonly pyth: string | undefined; readonly jupiter: string | undefined }
  }
  readonly fees: {
    readonly platformFeeBps: BasisPoints
    readonly platformWallet: Address | null
    readonly networkFee: Lamports
    readonly maxMarketplaceFeeBps: BasisPoints
  }
  /** null: recurring billing is off. */
  readonly subscriptions: SubscriptionsSetting | null
  /** Where images are stored; null stores none. */
  readonly images: ImagesSetting | null
  readonly webhooks: { readonly allowPrivate: boolean }
  readonly sandbox: boolean
}

/** The default prices on the embedded chain: those of its own tokens. */
const SANDBOX_PRICE_FEEDS = 'fixed:SOL=150,USDC=1,USDT=1,USDD=1,DEMO=0.25'
/** Spec: "Limits". */
const DEFAULT_SELLERS_PER_10_SECONDS = 300
const REMOTE_COMPUTE_UNIT_PRICE = 20_000

/** Throws ConfigError, whose message is one line for the person who starts the service. */
export function parseConfig(env: Env): Config {
  const settings = readSettings(withFiles(env))
  judgeTogether(settings)
  const embedded = settings.SOLANA_RPC_URL === undefined
  const dataDir = dataDirOf(settings)
  return {
    role: settings.ROLE ?? 'all',
    logLevel: settings.LOG_LEVEL ?? 'info',
    dataDir,
    server: serverOf(settings, embedded),
    database:
      settings.DATABASE_URL === undefined
        ? { kind: 'embedded', directory: join(dataDir, 'database') }
        : { kind: 'postgres', url: settings.DATABASE_URL },
    chains: chainsOf(settings),
    settlement: {
      commitment: settings.SETTLE_COMMITMENT ?? 'finalized',
      computeUnitPrice: BigInt(settings.PRIORITY_FEE_MICROLAMPORTS ?? (embedded ? 0 : REMOTE_COMPUTE_UNIT_PRICE)),
      refundBudget: {
        perSubject: settings.REFUND_BUDGET_LAMPORTS_PER_INTENT ?? makeLamports(20_000_000),
        perHour: settings.REFUND_BUDGET_LAMPORTS_PER_HOUR ?? makeLamports(200_000_000),
        perDay: settings.REFUND_BUDGET_LAMPORTS_PER_DAY ?? makeLamports(1_000_000_000),
      },
    },
    depositSource: depositSourceOf(settings.DEPOSIT_SOURCE),
    secrets: secretsOf(settings, dataDir),
    prices: {
      feeds: priceFeedsOf(settings, embedded),
      apiKeys: { pyth: settings.PYTH_API_KEY, jupiter: settings.JUPITER_API_KEY },
    },
    fees: {
      platformFeeBps: settings.PLATFORM_FEE_BPS ?? makeBasisPoints(0),
      platformWallet: settings.PLATFORM_WALLET ?? null,
      networkFee: settings.NETWORK_FEE_LAMPORTS ?? makeLamports(5_000),
      maxMarketplaceFeeBps: settings.MAX_MARKETPLACE_FEE_BPS ?? makeBasisPoints(5_000),
    },
    subscriptions: subscriptionsOf(settings, embedded),
    images: imagesOf(settings, dataDir),
    webhooks: { allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE ?? embedded },
    sandbox: settings.SANDBOX ?? embedded,
  }
}

const depositSourceOf = (chosen: Settings['DEPOSIT_SOURCE']): DepositSourceKind | null =>
  chosen === undefined || chosen === 'auto' ? null : chosen

/** Returns the address of the service and the token for the operator command. Throws ConfigError. */
export function parseClientConfig(env: Env): { url: string; token: SecretSetting } {
  const { PORT, OPERATOR_PORT, HOST, PUBLIC_URL, DATA_DIR, OPERATOR_TOKEN, OPERATOR_TOKEN_FILE } = env
  const settings = readSettings(
    withFiles({ PORT, OPERATOR_PORT, HOST, PUBLIC_URL, DATA_DIR, OPERATOR_TOKEN, OPERATOR_TOKEN_FILE }),
  )
  return {
    url: serverOf(settings, true).operatorUrl,
    token: operatorTokenOf(settings, dataDirOf(settings)),
  }
}

/** Returns the environment of the process, with the additions of a file `.env` in the working directory. */
export function environment(): Env {
  if (existsSync('.env')) loadEnvFile('.env')
  return process.env
}

// ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────

const dataDirOf = ({ DATA_DIR = '.data' }: Settings): string => DATA_DIR

function serverOf(settings: Settings, embedded: boolean): Config['server'] {
  const { HOST: host = '127.0.0.1', PORT: port = 4000 } = settings
  const { OPERATOR_PORT: operatorPort = null } = settings
  const publicUrl = settings.PUBLIC_URL ?? `http://${reachableHost(host)}:${port}`
  return {
    host,
    port,
    operatorPort,
    operatorUrl: operatorPort === null ? publicUrl : `http://${reachableHost(host)}:${operatorPort}`,
    publicUrl,
    payUrl: settings.PAY_URL ?? `${publicUrl}/pay`,
    rateLimits: settings.RATE_LIMITS ?? true,
    sellersPerTenSeconds: settings.SELLERS_PER_10_SECONDS ?? DEFAULT_SELLERS_PER_10_SECONDS,
    trustProxy: settings.TRUST_PROXY ?? false,
    introspection: settings.INTROSPECTION ?? embedded,
  }
}

function subscriptionsOf(settings: Settings, embedded: boolean): SubscriptionsSetting | null {
  if (!(settings.SUBSCRIPTIONS ?? embedded)) return null
  return {
    mint: settings.SUBSCRIPTION_MINT ?? null,
    maxPriceUsdCents: settings.SUBSCRIPTION_MAX_PRICE_USD_CENTS ?? makeUsdCents(1_000_000),
    platformFeeBps: settings.SUBSCRIPTION_FEE_BPS ?? settings.PLATFORM_FEE_BPS ?? makeBasisPoints(0),
    perWallet: settings.SUBSCRIPTIONS_PER_WALLET ?? 50,
    sponsorLamportsPerDay: settings.SPONSOR_LAMPORTS_PER_DAY ?? makeLamports(100_000_000),
  }
}

/** A folder serves one process, as the embedded database does. Throws ConfigError when a setting of S3 is missing. */
function imagesOf(settings: Settings, dataDir: string): ImagesSetting | null {
  const given = S3_REQUIRED.filter((name) => settings[name] !== undefined)
  if (given.length === 0) {
    return settings.DATABASE_URL === undefined ? { kind: 'folder', directory: join(dataDir, 'images') } : null
  }
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region = 'us-east-1' } = settings
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (endpoint === undefined || bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = S3_REQUIRED.find((name) => settings[name] === undefined) ?? 'S3_ENDPOINT'
    throw new ConfigError(
      `${missing}: is missing, and ${given[0]} is set; set ${S3_REQUIRED.join(', ')}, or none of them`,
    )
  }
  return { kind: 's3', endpoint, bucket, region, accessKeyId, secretAccessKey }
}

const S3_REQUIRED = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

function priceFeedsOf({ PRICE_FEEDS }: Settings, embedded: boolean): PriceFeedsSetting {
  try {
    return parsePriceFeeds(PRICE_FEEDS ?? (embedded ? SANDBOX_PRICE_FEEDS : DEFAULT_PRICE_FEEDS))
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

/** Returns an address for clients: 0.0.0.0 means every interface, and is not an address to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function chainsOf(settings: Settings): Config['chains'] {
  const embedded: ChainSetting = { kind: 'embedded', slotMs: settings.CHAIN_SLOT_MS ?? 200 }
  const live = remoteChain(settings.SOLANA_RPC_URL, settings.SOLANA_WS_URL)
  const test = remoteChain(settings.SOLANA_TEST_RPC_URL, settings.SOLANA_TEST_WS_URL)
  return { live: live ?? embedded, test: test ?? (live === null ? embedded : null) }
}

function remoteChain(rpcUrls: readonly string[] | undefined, wsUrls: readonly string[] | undefined) {
  if (rpcUrls === undefined) return null
  return { kind: 'remote', rpcUrls, wsUrls: wsUrls ?? rpcUrls.map(websocketOf) } as const
}

/**
 * Returns the websocket address of a node: by Solana's convention the RPC address, with the next port when one is named.
 */
function websocketOf(rpcUrl: string): string {
  const url = new URL(rpcUrl.replace(/^http/i, 'ws'))
  if (url.port !== '') url.port = String(Number(url.port) + 1)
  return url.href
}

function secretsOf(settings: Settings, dataDir: string): Config['secrets'] {
  return { masterSeed: masterSeedOf(settings, dataDir), operatorToken: operatorTokenOf(settings, dataDir) }
}

function masterSeedOf({ MASTER_SEED, MASTER_SEED_FILE }: Settings, dataDir: string): SecretSetting {
  if (MASTER_SEED !== undefined) return { from: 'MASTER_SEED', kind: 'given', secret: MASTER_SEED }
  if (MASTER_SEED_FILE !== undefined)
    return { from: 'MASTER_SEED_FILE', kind: 'file', path: MASTER_SEED_FILE, create: false }
  // Both are missing only with the embedded chain.
  return { from: 'DATA_DIR', kind: 'file', path: join(dataDir, 'master-seed'), create: true }
}

const operatorTokenOf = ({ OPERATOR_TOKEN }: Settings, dataDir: string): SecretSetting =>
  OPERATOR_TOKEN === undefined
    ? { from: 'DATA_DIR', kind: 'file', path: join(dataDir, 'operator-token'), create: true }
    : { from: 'OPERATOR_TOKEN', kind: 'given', secret: OPERATOR_TOKEN }
