// Public endpoints: GET /config, /health, /allowed-tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import type { PlatformBillingFacts } from '#services/billing/billing-services.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import type { Health } from '#services/platform/platform-services.ts'
import { startTestService, TEST_API_KEY, type TestService, withKey } from '../../support/services.ts'

const fine = { status: 'ok', detail: null } as const
const checks = { database: fine, chain: fine, priceFeed: fine, workers: fine }
let health: Health = { status: 'ok', version: '1.2.3', checks }
const networks: string[] = []

let billing: PlatformBillingFacts | null = null
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      platform: {
        health: async () => health,
        facts: () => ({
          cluster: 'mainnet-beta',
          checkoutWindowSeconds: 600,
          networkFeeLamports: makeLamports(10_050),
          platformFeeBps: makeBasisPoints(25),
          maxMarketplaceFeeBps: makeBasisPoints(5000),
          webhookEventTypes: EVENT_SUBJECTS.types,
          apiVersion: API_VERSION,
        }),
      },
      billing: { facts: async () => billing },
      tokens: {
        allowed: async (network) => {
          networks.push(network)
          const mint = makeAddress(WRAPPED_SOL_MINT)
          const names = { name: 'Solana', ticker: 'SOL', feedKey: 'SOL', imageName: null }
          const nature = { isNative: true, decimals: 9, tokenProgram: null, extensions: [], enabled: true }
          return [{ network, asset: 'SOL', mint, ...names, ...nature }]
        },
      },
    },
  })
})
afterAll(() => service.close())

it('GET /config answers the facts of the platform', async () => {
  const { status, body } = await service.get('/config')
  expect([status, body]).toEqual([
    200,
    {
      cluster: 'mainnet-beta',
      checkout_window_seconds: 600,
      network_fee_lamports: 10_050,
      platform_fee_bps: 25,
      max_marketplace_fee_bps: 5000,
      webhook_event_types: [...EVENT_SUBJECTS.types],
      api_version: API_VERSION,
      subscriptions: null,
    },
  ])
})

it('GET /config answers the terms of recurring billing while it is enabled', async () => {
  billing = {
    mint: makeAddress(WRAPPED_SOL_MINT),
    tokenProgram: null,
    decimals: null,
    minPriceUsdCents: makeUsdCents(10),
    maxPriceUsdCents: makeUsdCents(1_000_000),
    platformFeeBps: makeBasisPoints(50),
    subscriptionsPerWallet: 50,
  }
  expect((await service.get('/config')).body.subscriptions).toEqual({
    mint: WRAPPED_SOL_MINT,
    token_program: null,
    decimals: null,
    min_price_usd_cents: 10,
    max_price_usd_cents: 1_000_000,
    platform_fee_bps: 50,
    default_authorization_periods: 12,
    max_trial_days: 365,
    interval_limits: { day: 365, week: 52, month: 12, year: 1 },
    intent_expires_in: { default: 86_400, min: 300, max: 604_800 },
    subscriptions_per_wallet: 50,
  })
})

describe('GET /health', () => {
  const ok = { database: 'ok', chain: 'ok', price_feed: 'ok', workers: 'ok' }

  it('answers 200 while the service is healthy', async () => {
    health = { status: 'ok', version: '1.2.3', checks }
    const { status, body } = await service.get('/health')
    expect([status, body]).toEqual([200, { status: 'ok', version: '1.2.3', checks: ok }])
  })

  it('answers 200 while it is degraded, and names the check but not the cause', async () => {
    const chain = { status: 'degraded', detail: 'https://rpc.internal lags' } as const
    health = { status: 'degraded', version: '1.2.3', checks: { ...checks, chain } }
    const { status, body, text } = await service.get('/health')
    expect([status, body]).toEqual([
      200,
      { status: 'degraded', version: '1.2.3', checks: { ...ok, chain: 'degraded' } },
    ])
    expect(text).not.toContain('internal')
  })

  it('answers 503 when it is down, in the error shape and with the same body', async () => {
    const database = { status: 'down', detail: 'connect ECONNREFUSED' } as const
    health = { status: 'down', version: '1.2.3', checks: { ...checks, database } }
    const { status, headers, body } = await service.get('/health')
    expect([status, headers.get('error-code'), body]).toEqual([
      503,
      'database_unavailable',
      { error: 'the service is down', status: 'down', version: '1.2.3', checks: { ...ok, database: 'down' } },
    ])
  })

  it('shows the cause to the operator only', async () => {
    const query = '{ health { checks { database { detail } } } }'
    expect((await service.graphql(query)).body.errors[0].extensions.code).toBe('invalid_document')
    const operator = await service.operator(query)
    expect(operator.body.data.health.checks.database.detail).toBe('connect ECONNREFUSED')
  })
})

describe('GET /allowed-tokens', () => {
  it('answers the tokens of the live network without a key', async () => {
    const { status, body } = await service.get('/allowed-tokens')
    expect(networks.at(-1)).toBe('live')
    const token = {
      mint: WRAPPED_SOL_MINT,
      is_native: true,
      name: 'Solana',
      ticker: 'SOL',
      decimals: 9,
      image_url: null,
    }
    expect([status, body]).toEqual([200, { tokens: [token] }])
  })

  it('answers a key the tokens of its network', async () => {
    await service.get('/allowed-tokens', withKey(TEST_API_KEY))
    expect(networks.at(-1)).toBe('test')
  })

  it('answers 401 to a wrong key, and calls no service', async () => {
    const before = networks.length
    const { status, body } = await service.get('/allowed-tokens', { authorization: 'Bearer sk_test_wrong' })
    expect([status, body, networks.length]).toEqual([401, { error: 'missing or invalid API key' }, before])
  })
})

it('GET /config and /health ignore a wrong key', async () => {
  health = { status: 'ok', version: '1.2.3', checks }
  for (const path of ['/config', '/health']) {
    expect((await service.get(path, { authorization: 'Bearer sk_live_wrong' })).status).toBe(200)
  }
})
