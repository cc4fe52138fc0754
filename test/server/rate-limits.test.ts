// How often one caller may ask, over REST and GraphQL alike: both count on the same tally.
import { describe, expect, it } from 'vitest'
import { pendingIntent } from '../support/example-intent.ts'
import { startTestService, TEST_API_KEY, type TestOptions, type TestService, withKey } from '../support/services.ts'

const LIMITS = { liveKeyPerSecond: 4, testKeyPerSecond: 2, clientSecretPerSecond: 3, publicAddressPerMinute: 5 }

async function withService(run: (service: TestService) => Promise<void>, options: TestOptions['settings'] = {}) {
  const service = await startTestService({
    settings: { rateLimits: LIMITS, ...options },
    services: {
      intents: { findByIndex: async () => pendingIntent, checkoutStatus: async () => pendingIntent },
      tokens: { allowed: async () => [] },
      platform: {
        health: async () => {
          const fine = { status: 'ok', detail: null } as const
          const checks = { database: fine, chain: fine, priceFeed: fine, workers: fine }
          return { status: 'ok', version: '1', checks }
        },
      },
    },
  })
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

const times = <T>(count: number, ask: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => ask(at)))
const statuses = async (count: number, ask: (at: number) => Promise<{ status: number }>) =>
  (await times(count, ask)).map(({ status }) => status).sort()

describe('a rate limit', () => {
  it('counts by key, and tells when to come again', () =>
    withService(async (service) => {
      expect(await statuses(5, () => service.get('/status?index=1', withKey()))).toEqual([200, 200, 200, 200, 429])
      const { status, headers, body } = await service.get('/status?index=1', withKey())
      expect([status, headers.get('retry-after'), Object.keys(body)]).toEqual([429, '1', ['error']])
      // Another key is another tally.
      expect(await statuses(3, () => service.get('/status?index=1', withKey(TEST_API_KEY)))).toEqual([200, 200, 429])
    }))

  it('counts GraphQL on the same tally, each field that asks a service', () =>
    withService(async (service) => {
      const three =
        '{ a: paymentIntent(index: 1) { status } b: paymentIntent(index: 2) { status } c: paymentIntent(index: 3) { status } }'
      expect((await service.graphql(three, {}, withKey())).body.errors).toBeUndefined()
      expect((await service.get('/status?index=1', withKey())).status).toBe(200)
      const { body } = await service.graphql('{ paymentIntent(index: 1) { status } }', {}, withKey())
      expect(body.errors[0].extensions).toEqual({ code: 'rate_limited', retryAfter: 1 })
    }))

  it('counts by client secret', () =>
    withService(async (service) => {
      const ask = (secret: string) => () => service.get(`/intents/status?client_secret=${secret}`)
      expect(await statuses(4, ask('cs_one'))).toEqual([200, 200, 200, 429])
      expect(await statuses(3, ask('cs_two'))).toEqual([200, 200, 200])
    }))

  it('counts by address what is public, and never GET /health', () =>
    withService(async (service) => {
      expect(await statuses(6, () => service.get('/allowed-tokens'))).toEqual([200, 200, 200, 200, 200, 429])
      expect(await statuses(8, () => service.get('/health'))).toEqual(Array(8).fill(200))
    }))

  it('does not believe a forwarded address from just anybody', () =>
    withService(async (service) => {
      const ask = (at: number) => service.get('/allowed-tokens', { 'x-forwarded-for': `10.0.0.${at}` })
      expect(await statuses(6, ask)).toContain(429)
    }))

  it('behind a proxy counts by the last forwarded address, which the proxy wrote', () =>
    withService(
      async (service) => {
        const ask = (last: string) => (at: number) =>
          service.get('/allowed-tokens', { 'x-forwarded-for': `10.9.9.${at}, ${last}` })
        expect(await statuses(6, ask('203.0.113.7'))).toContain(429)
        expect(await statuses(5, ask('203.0.113.8'))).not.toContain(429)
      },
      { trustProxy: true },
    ))

  it('can be turned off', () =>
    withService(
      async (service) => {
        expect(await statuses(20, () => service.get('/status?index=1', withKey(TEST_API_KEY)))).not.toContain(429)
      },
      { rateLimits: null },
    ))
})
