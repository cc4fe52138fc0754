// How often one caller may ask: counted in this process, by credential, or by address where there is none.
import { createHash } from 'node:crypto'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'

export type RateLimitSettings = {
  readonly liveKeyPerSecond: number
  readonly testKeyPerSecond: number
  readonly clientSecretPerSecond: number
  readonly publicAddressPerMinute: number
}

export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  liveKeyPerSecond: 100,
  testKeyPerSecond: 25,
  clientSecretPerSecond: 10,
  publicAddressPerMinute: 60,
}

/** Each counts one call and throws `rate_limited` with `retry_after_seconds` when there were too many. */
export type Limits = {
  key(keyId: string, network: Network): Promise<void>
  clientSecret(secret: string): Promise<void>
  address(address: string): Promise<void>
}

const allow = () => Promise.resolve()
export const NO_LIMITS: Limits = { key: allow, clientSecret: allow, address: allow }

export function createLimits(settings: RateLimitSettings): Limits {
  const limiter = (points: number, duration: number) => new RateLimiterMemory({ points, duration })
  const keys = { live: limiter(settings.liveKeyPerSecond, 1), test: limiter(settings.testKeyPerSecond, 1) }
  const secrets = limiter(settings.clientSecretPerSecond, 1)
  const addresses = limiter(settings.publicAddressPerMinute, 60)
  return {
    key: (keyId, network) => count(keys[network], keyId),
    // The digest, because a secret that is not in memory cannot leave it.
    clientSecret: (secret) => count(secrets, createHash('sha256').update(secret).digest('base64')),
    address: (address) => count(addresses, address),
  }
}

async function count(limiter: RateLimiterMemory, caller: string): Promise<void> {
  try {
    await limiter.consume(caller)
  } catch (reason) {
    if (!(reason instanceof RateLimiterRes)) throw reason
    throw new ServiceError('rate_limited', { retry_after_seconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1000)) })
  }
}
