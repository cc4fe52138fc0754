// The kinds of settings: how each is read, and what the operator should write instead of a value that cannot be used.
import { z } from 'zod'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'

/** One line that names the setting, says what is wrong with it and what to write instead. Never shows a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The values of a group of settings, by name; undefined where one is left out. */
export type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>

type Advice = { readonly write: string; readonly secret: boolean }
const advice = z.registry<Advice>()

/** Declares an optional setting; `write` completes the sentence "… cannot be used; write …". */
export const setting = <T extends z.ZodType>(schema: T, write: string) =>
  advised(schema.optional(), { write, secret: false })
/** Declares an optional setting whose value is never shown. */
export const secretSetting = <T extends z.ZodType>(schema: T, write: string) =>
  advised(schema.optional(), { write, secret: true })

function advised<T extends z.ZodType>(schema: T, meta: Advice): T {
  advice.add(schema, meta)
  return schema
}

/** Returns what to write for a setting, and whether its value is a secret. */
export const adviceOn = (schema: z.ZodType): Advice => advice.get(schema) ?? { write: 'something else', secret: true }

const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
export const integer = (min: number, max: number) => digits.pipe(z.number().min(min).max(max))

export const integerSetting = (min: number, max: number) =>
  setting(integer(min, max), `an integer from ${min} to ${max}`)

export const bpsSetting = (max: number) =>
  setting(integer(0, max).transform(makeBasisPoints), `hundredths of a percent: an integer from 0 to ${max}`)

export const lamportsSetting = (max: number) =>
  setting(integer(0, max).transform(makeLamports), `lamports: an integer from 0 to ${max}`)

const MAX_BUDGET = 100_000_000_000_000

/** Declares what the fee payer may spend, in lamports; `stops` is what a budget of 0 stops. */
export const budgetSetting = (stops: string) =>
  setting(
    integer(0, MAX_BUDGET).transform(makeLamports),
    `lamports: an integer from 0, which stops ${stops}, to ${MAX_BUDGET}`,
  )

/** The same where a budget of less than `least` would stop it, too. */
export const usefulBudgetSetting = (stops: string, least: number) =>
  setting(
    z.union([integer(0, 0), integer(least, MAX_BUDGET)]).transform(makeLamports),
    `lamports: 0, which stops ${stops}, or an integer from ${least} to ${MAX_BUDGET}`,
  )

export const flagSetting = () =>
  setting(
    z.enum(['1', 'true', '0', 'false']).transform((text) => text === '1' || text === 'true'),
    '1 or true, 0 or false',
  )

export const choiceSetting = <const T extends readonly [string, ...string[]]>(values: T) =>
  setting(z.enum(values), `one of ${values.join(', ')}`)

export const hasProtocol = (protocol: RegExp) => (text: string) => protocol.test(URL.parse(text)?.protocol ?? '')

/** Declares an HTTP address; slashes at its end are removed. */
export const baseUrlSetting = (example: string) =>
  setting(
    z
      .string()
      .refine((text) => hasProtocol(/^https?:$/)(text) && !/[?#@\s]/.test(text))
      .transform((text) => text.replace(/\/+$/, '')),
    `an http or https address without user name or query, for example ${example}`,
  )
