// What each setting may say, one by one. What they mean together is in config.ts.
import { z } from 'zod'
import { isPublicKey } from '#core/chain/public-key.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'

/** One line that names the setting, says what is wrong with it and what to write instead. Never shows a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Advice = { readonly write: string; readonly secret: boolean }
const advice = z.registry<Advice>()

/** A setting that may be left out; `write` completes the sentence "… cannot be used; write …". */
const setting = <T extends z.ZodType>(schema: T, write: string) => advised(schema.optional(), { write, secret: false })
const secret = <T extends z.ZodType>(schema: T, write: string) => advised(schema.optional(), { write, secret: true })

function advised<T extends z.ZodType>(schema: T, meta: Advice): T {
  advice.add(schema, meta)
  return schema
}

const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
const integer = (min: number, max: number) => digits.pipe(z.number().min(min).max(max))
const integerSetting = (min: number, max: number) => setting(integer(min, max), `an integer from ${min} to ${max}`)
const bpsSetting = (max: number) =>
  setting(integer(0, max).transform(makeBasisPoints), `hundredths of a percent: an integer from 0 to ${max}`)
const budgetSetting = (stops: string) =>
  setting(
    integer(0, 100_000_000_000_000).transform(makeLamports),
    `lamports: an integer from 0, which stops ${stops}, to 100000000000000`,
  )
const flagSetting = () =>
  setting(
    z.enum(['1', 'true', '0', 'false']).transform((text) => text === '1' || text === 'true'),
    '1 or true, 0 or false',
  )
const choiceSetting = <const T extends readonly [string, ...string[]]>(values: T) =>
  setting(z.enum(values), `one of ${values.join(', ')}`)

const hasProtocol = (protocol: RegExp) => (text: string) => protocol.test(URL.parse(text)?.protocol ?? '')

const baseUrlSetting = (example: string) =>
  setting(
    z
      .string()
      .refine((text) => hasProtocol(/^https?:$/)(text) && !/[?#@\s]/.test(text))
      .transform((text) => text.replace(/\/+$/, '')),
    `an http or https address without user name or query, for example ${example}`,
  )

/** Addresses of providers; they often hold a key, and so are never shown. */
const providersSetting = (protocol: RegExp, example: string) =>
  secret(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(z.string().refine(hasProtocol(protocol)))),
    `an address like ${example}, or several of one network separated by commas`,
  )

const http = /^https?:$/
const ws = /^wss?:$/

const schema = z.object({
  PORT: integerSetting(1, 65_535),
  OPERATOR_PORT: integerSetting(1, 65_535),
  HOST: setting(z.string().regex(/^[\w.:-]+$/), 'the address to listen on, for example 127.0.0.1 or 0.0.0.0'),
  PUBLIC_URL: baseUrlSetting('https://pay.example.com'),
  PAY_URL: baseUrlSetting('https://pay.example.com/pay'),
  DATA_DIR: setting(z.string(), 'a directory that this process may write to'),
  ROLE: choiceSetting(['all', 'api', 'worker']),
  LOG_LEVEL: choiceSetting(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  RATE_LIMITS: flagSetting(),
  SELLERS_PER_10_SECONDS: integerSetting(1, 1_000_000),
  TRUST_PROXY: flagSetting(),
  INTROSPECTION: flagSetting(),

  DATABASE_URL: secret(
    z.string().refine(hasProtocol(/^postgres(ql)?:$/)),
    'postgres://user:password@host:5432/database',
  ),

  SOLANA_RPC_URL: providersSetting(http, 'https://rpc.example.com'),
  SOLANA_WS_URL: providersSetting(ws, 'wss://rpc.example.com'),
  SOLANA_TEST_RPC_URL: providersSetting(http, 'https://devnet.example.com'),
  SOLANA_TEST_WS_URL: providersSetting(ws, 'wss://devnet.example.com'),
  CHAIN_SLOT_MS: integerSetting(10, 10_000),
  PRIORITY_FEE_MICROLAMPORTS: integerSetting(0, 1_000_000_000),
  SETTLE_COMMITMENT: choiceSetting(['finalized', 'confirmed']),
  DEPOSIT_SOURCE: choiceSetting(['auto', 'polling', 'blocks']),

  MASTER_SEED: secret(z.string(), 'a BIP-39 mnemonic of 12 to 24 words'),
  MASTER_SEED_FILE: setting(z.string(), 'the path of a file that holds a BIP-39 mnemonic'),
  // What starts with sk_ is taken for a business's key.
  OPERATOR_TOKEN: secret(
    z.string().regex(/^(?!sk_)[\x21-\x7e]{16,}$/),
    '16 or more visible characters without spaces, not beginning with sk_',
  ),

  PRICE_FEEDS: setting(z.string(), 'pyth,jupiter,coinbase or fixed:SOL=150'),
  PYTH_API_KEY: secret(z.string(), 'the key'),
  JUPITER_API_KEY: secret(z.string(), 'the key'),

  PLATFORM_FEE_BPS: bpsSetting(10_000),
  PLATFORM_WALLET: setting(z.string().refine(isPublicKey), 'the address of a Solana wallet'),
  NETWORK_FEE_LAMPORTS: setting(
    integer(0, 1_000_000_000).transform(makeLamports),
    'lamports: an integer from 0 to 1000000000',
  ),
  REFUND_BUDGET_LAMPORTS_PER_INTENT: budgetSetting('refunds'),
  REFUND_BUDGET_LAMPORTS_PER_HOUR: budgetSetting('refunds'),
  REFUND_BUDGET_LAMPORTS_PER_DAY: budgetSetting('refunds'),
  // The interface allows a marketplace no more.
  MAX_MARKETPLACE_FEE_BPS: bpsSetting(5_000),

  SUBSCRIPTIONS: flagSetting(),
  SUBSCRIPTION_MINT: setting(z.string().refine(isPublicKey), 'the mint address of a stablecoin'),
  SUBSCRIPTION_MAX_PRICE_USD_CENTS: setting(
    integer(1, 1_000_000_000_000).transform(makeUsdCents),
    'US cents: an integer from 1 to 1000000000000',
  ),
  // A business always receives a part of a charge.
  SUBSCRIPTION_FEE_BPS: bpsSetting(9_999),
  SUBSCRIPTIONS_PER_WALLET: integerSetting(1, 1_000),
  SPONSOR_LAMPORTS_PER_DAY: budgetSetting('approvals'),

  S3_ENDPOINT: baseUrlSetting('https://s3.eu-central-1.amazonaws.com'),
  S3_BUCKET: setting(z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/), 'the name of a bucket'),
  S3_REGION: setting(z.string().regex(/^[\w-]{1,40}$/), 'a region such as eu-central-1'),
  S3_ACCESS_KEY_ID: setting(z.string().regex(/^[\x21-\x7e]+$/), 'the id of an access key'),
  S3_SECRET_ACCESS_KEY: secret(z.string().regex(/^[\x21-\x7e]+$/), 'the secret of the access key'),

  SANDBOX: flagSetting(),
  WEBHOOK_ALLOW_PRIVATE: flagSetting(),
})

/** Every setting by name; undefined where it was left out. */
export type Settings = z.infer<typeof schema>
export type SettingName = keyof Settings
export const SETTING_NAMES: readonly SettingName[] = schema.keyof().options

/** Settings that hold a secret and may be read from a file, named by the setting and `_FILE`. The seed has its own. */
export const FILE_SETTINGS: readonly SettingName[] = SETTING_NAMES.filter(
  (name) => name !== 'MASTER_SEED' && adviceOn(name).secret,
)

/** Reads what is set; a setting that is empty counts as left out. Throws ConfigError at the first that cannot be used. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given = SETTING_NAMES.flatMap((name) => {
    const text = env[name]?.trim() ?? ''
    return text === '' ? [] : [[name, text] as const]
  })
  const texts = Object.fromEntries(given)
  const read = schema.safeParse(texts)
  if (read.success) return read.data
  const name = SETTING_NAMES.find((candidate) => candidate === read.error.issues[0]?.path[0])
  throw name === undefined ? new ConfigError(read.error.message) : complaint(name, texts[name] ?? '')
}

function complaint(name: SettingName, text: string): ConfigError {
  const shown = adviceOn(name).secret ? 'its value (not shown here)' : JSON.stringify(text.slice(0, 100))
  return unusable(name, `${shown} cannot be used`)
}

/** That a setting cannot be used, as the start found out; without `instead`, what the setting may say. */
export const unusable = (name: SettingName, why: string, instead = `write ${adviceOn(name).write}`): ConfigError =>
  new ConfigError(`${name}: ${why}; ${instead}`)

function adviceOn(name: SettingName): Advice {
  return advice.get(schema.shape[name]) ?? { write: 'something else', secret: true }
}
