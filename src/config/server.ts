// Settings of the server: where it listens, its addresses for clients, and which requests it answers.
import { z } from 'zod'
import { baseUrlSetting, flagSetting, integerSetting, setting, type Values } from './setting.ts'

export const SERVER_SETTINGS = {
  PORT: integerSetting(1, 65_535),
  OPERATOR_PORT: integerSetting(1, 65_535),
  HOST: setting(z.string().regex(/^[\w.:-]+$/), 'the address to listen on, for example 127.0.0.1 or 0.0.0.0'),
  PUBLIC_URL: baseUrlSetting('https://pay.example.com'),
  PAY_URL: baseUrlSetting('https://pay.example.com/pay'),
  RATE_LIMITS: flagSetting(),
  SELLERS_PER_10_SECONDS: integerSetting(1, 1_000_000),
  TRUST_PROXY: flagSetting(),
  INTROSPECTION: flagSetting(),
}

export type ServerConfig = {
  readonly host: string
  readonly port: number
  /** A port of its own for the operator's API; null serves it at `port`. */
  readonly operatorPort: number | null
  /** Where the operator's API is on this machine, without a slash at the end: never the public address, which leads through a proxy. */
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

export const DEFAULT_PORT = 4000
/** Spec: "Limits". */
const DEFAULT_SELLERS_PER_10_SECONDS = 300

/** Returns the server's settings; introspection is on by default with the embedded chain. */
export function serverOf(settings: Values<typeof SERVER_SETTINGS>, embedded: boolean): ServerConfig {
  const { HOST: host = '127.0.0.1', PORT: port = DEFAULT_PORT } = settings
  const { OPERATOR_PORT: operatorPort = null } = settings
  const publicUrl = settings.PUBLIC_URL ?? `http://${reachableHost(host)}:${port}`
  return {
    host,
    port,
    operatorPort,
    operatorUrl: `http://${reachableHost(host)}:${operatorPort ?? port}`,
    publicUrl,
    payUrl: settings.PAY_URL ?? `${publicUrl}/pay`,
    rateLimits: settings.RATE_LIMITS ?? true,
    sellersPerTenSeconds: settings.SELLERS_PER_10_SECONDS ?? DEFAULT_SELLERS_PER_10_SECONDS,
    trustProxy: settings.TRUST_PROXY ?? false,
    introspection: settings.INTROSPECTION ?? embedded,
  }
}

/** Returns an address for clients: 0.0.0.0 means every interface, and is not an address to call. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
