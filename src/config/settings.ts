// Every setting by name, and how the text of the environment is read. Each group of settings is declared in its own file.
import { z } from 'zod'
import { SUBSCRIPTION_SETTINGS } from './billing.ts'
import { CHAIN_SETTINGS } from './chain.ts'
import type { Env } from './environment.ts'
import { FEE_SETTINGS, SETTLEMENT_SETTINGS } from './fees.ts'
import { PRICE_SETTINGS } from './prices.ts'
import { SECRET_SETTINGS } from './secrets.ts'
import { SERVER_SETTINGS } from './server.ts'
import {
  adviceOn,
  baseUrlSetting,
  ConfigError,
  choiceSetting,
  flagSetting,
  integerSetting,
  setting,
} from './setting.ts'
import { STORAGE_SETTINGS } from './storage.ts'

const schema = z.object({
  ROLE: choiceSetting(['all', 'api', 'worker']),
  LOG_LEVEL: choiceSetting(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  ...SERVER_SETTINGS,
  ...STORAGE_SETTINGS,
  ...CHAIN_SETTINGS,
  ...SETTLEMENT_SETTINGS,
  ...SECRET_SETTINGS,
  ...PRICE_SETTINGS,
  ...FEE_SETTINGS,
  ...SUBSCRIPTION_SETTINGS,
  PAYOUT_CHANGE_DELAY_HOURS: integerSetting(0, 720),
  SANDBOX: flagSetting(),
  WEBHOOK_ALLOW_PRIVATE: flagSetting(),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrlSetting('http://127.0.0.1:4318'),
  OTEL_SERVICE_NAME: setting(z.string().max(200), 'the name of this service in the traces'),
})

/** The value of every setting by name; undefined where it was left out. */
export type Settings = z.infer<typeof schema>
export type SettingName = keyof Settings
export const SETTING_NAMES: readonly SettingName[] = schema.keyof().options

/** Settings that contain a secret and may be read from a file, named by the setting and `_FILE`. The seed has its own. */
export const FILE_SETTINGS: readonly SettingName[] = SETTING_NAMES.filter(
  (name) => name !== 'MASTER_SEED' && adviceOn(schema.shape[name]).secret,
)

/** Reads what is set; a setting that is empty counts as left out. Throws ConfigError at the first that cannot be used. */
export function readSettings(env: Env): Settings {
  const given = SETTING_NAMES.flatMap((name) => {
    const text = env[name]?.trim() ?? ''
    return text === '' ? [] : [[name, text] as const]
  })
  const texts = Object.fromEntries(given)
  const read = schema.safeParse(texts)
  if (read.success) return read.data
  const name = SETTING_NAMES.find((candidate) => candidate === read.error.issues[0]?.path[0])
  throw name === undefined ? new ConfigError(read.error.message) : badValue(name, texts[name] ?? '')
}

function badValue(name: SettingName, text: string): ConfigError {
  const shown = adviceOn(schema.shape[name]).secret ? 'its value (not shown here)' : JSON.stringify(text.slice(0, 100))
  return unusable(name, `${shown} cannot be used`)
}

/** Returns the error of a setting that cannot be used. By default its advice is the kind of value to write. */
export const unusable = (
  name: SettingName,
  why: string,
  advice = `write ${adviceOn(schema.shape[name]).write}`,
): ConfigError => new ConfigError(`${name}: ${why}; ${advice}`)
