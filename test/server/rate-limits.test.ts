import { describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import type { PlatformFacts } from '#services/platform/platform-services.ts'
import { examplePortalServices } from '../support/example-billing.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { SELLER_WALLET } from '../support/example-seller.ts'
import { openWebSocket } from '../support/raw-connections.ts'
import {
  type Answer,
  API_KEY,
  CLIENT_SECRET,
  credential,
  OPERATOR_TOKEN,
  startTestService,
  TEST_API_KEY,
  type TestOptions,
  type TestService,
  withKey,
} from '../support/services.ts'
import { until } from '../support/until.ts'

// Rate limits of one caller: REST and GraphQL count towards the same limit.
const PLATFORM_FACTS: PlatformFacts = {
  cluster: 'mainnet-beta',
  checkoutWindowSeconds: 600,
  networkFeeLamports: makeLamports(10_050),
  platformFeeBps: makeBasisPoints(25),
  maxMarketplaceFeeBps: makeBasisPoints(5000),
  webhookEventTypes: [],
  apiVersion: '2026-11-01',
}

const LIMITS = {
  ...DEFAULT_RATE_LIMITS,
  liveKeyPerSecond: 4,
  testKeyPerSecond: 2,
  clientSecretPerSecond: 3,
  publicAddressPerMinute: 5,
}

/** How often the funds of a wallet were read. */
let walletsRead = 0

async function withService(run: (service: TestService) => Promise<void>, options: TestOptions['settings'] = {}) {
  const service = await startTestService({
    settings: { rateLimits: LIMITS, ...options },
    services: {
      intents: { findByIndex: async () => pendingIntent, checkoutStatus: async () => pendingIntent },
      tokens: { allowed: async () => [] },
      walletPayments: {
        async walletFunds() {
          walletsRead += 1
          return []
        },
      },
      platform: {
        facts: () => PLATFORM_FACTS,
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
  it('counts by key, and shows the time to wait', () =>
    withService(async (service) => {
      expect(await statuses(5, () => service.get('/status?index=1', withKey()))).toEqual([200, 200, 200, 200, 429])
      const { status, headers, body } = await service.get('/status?index=1', withKey())
      expect([status, headers.get('retry-after'), Object.keys(body)]).toEqual([429, '1', ['error']])
      // Another key has its own limit.
      expect(await statuses(3, () => service.get('/status?index=1', withKey(TEST_API_KEY)))).toEqual([200, 200, 429])
    }))

  it('counts each wallet whose funds a client secret reads', () =>
    withService(async (service) => {
      const fields = [1, 2, 3, 4, 5].map(
        (at) => `a${at}: walletFunds(clientSecret: "${CLIENT_SECRET}", wallet: "${SELLER_WALLET}") { asset }`,
      )
      const { body } = await service.graphql(`{ ${fields.join(' ')} }`)
      const codes = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code)
      expect([walletsRead, codes]).toEqual([3, ['rate_limited', 'rate_limited']])
    }))

  it('counts GraphQL towards the same limit, for each field that calls a service', () =>
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

  it('counts public requests by address, except GET /health', () =>
    withService(async (service) => {
      expect(await statuses(6, () => service.get('/allowed-tokens'))).toEqual([200, 200, 200, 200, 200, 429])
      expect(await statuses(8, () => service.get('/health'))).toEqual(Array(8).fill(200))
    }))

  it.each(['/config', '/allowed-tokens'])('counts GET %s by its key, and never by the address of that key', (path) =>
    withService(async (service) => {
      expect(await statuses(6, () => service.get(path))).toEqual([200, 200, 200, 200, 200, 429])
      expect(await statuses(5, () => service.get(path, withKey()))).toEqual([200, 200, 200, 200, 429])
      expect((await service.get('/status?index=1', withKey())).status).toBe(429)
    }),
  )

  it('ignores a forwarded address without a trusted proxy', () =>
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

  it('counts an IPv6 address with all others of its /64, however they are written', () =>
    withService(
      async (service) => {
        const from = (address: string) => service.get('/allowed-tokens', { 'x-forwarded-for': address })
        const spellings = ['2001:db8:1:2::1', '[2001:DB8:1:2::2]:443', '2001:db8:1:2:ffff::9%eth0', '[2001:db8:1:2::1]']
        expect(await statuses(6, (at) => from(spellings[at % 4] ?? ''))).toEqual([200, 200, 200, 200, 200, 429])
        expect((await from('2001:db8:1:3::1')).status).toBe(200)
      },
      { trustProxy: true },
    ))

  it('counts an IPv4 address that is written in IPv6, or with a port, as IPv4', () =>
    withService(
      async (service) => {
        const from = (address: string) => service.get('/allowed-tokens', { 'x-forwarded-for': address })
        const spellings = ['203.0.113.7', '203.0.113.7:51234', '::ffff:203.0.113.7', '[::ffff:cb00:7107]:80']
        expect(await statuses(6, (at) => from(spellings[at % 4] ?? ''))).toEqual([200, 200, 200, 200, 200, 429])
      },
      { trustProxy: true },
    ))

  it('counts an invalid forwarded address by the address of the connection', () =>
    withService(
      async (service) => {
        const ask = (at: number) => service.get('/allowed-tokens', { 'x-forwarded-for': `10.0.0.1, unknown-${at}` })
        expect(await statuses(6, ask)).toEqual([200, 200, 200, 200, 200, 429])
      },
      { trustProxy: true },
    ))

  it('counts requests that are refused before a service call, by the same key', () =>
    withService(async (service) => {
      const unreadable = ['{', '{}', '[]', '{"amount_usd_cents":0}']
      const ask = (at: number) => service.post('/intents', unreadable[at % 4] ?? '', withKey())
      expect(await statuses(6, ask)).toEqual([400, 400, 400, 400, 429, 429])
      expect((await service.get('/status?index=1', withKey())).status).toBe(429)
    }))

  it('counts requests that the scopes of a key do not allow', async () => {
    const { key, ...rest } = credential('live')
    const authenticate = async () => ({ ...rest, key: { ...key, scopes: [] } })
    const service = await startTestService({
      settings: { rateLimits: LIMITS },
      services: { accounts: { authenticate } },
    })
    expect(await statuses(5, () => service.get('/status?index=1', withKey()))).toEqual([403, 403, 403, 403, 429])
    await service.close()
  })

  it('counts refused requests without a key by address', () =>
    withService(async (service) => {
      expect(await statuses(6, () => service.post('/intents/cancel', '{}'))).toEqual([400, 400, 400, 400, 400, 429])
    }))

  it('does not apply to a request with a blank client secret', () =>
    withService(async (service) => {
      expect(await statuses(12, () => service.get('/intents/status'))).toEqual(Array(12).fill(401))
      expect((await service.graphql('{ checkout(clientSecret: "") { id } }')).body.errors[0].extensions.code).toBe(
        'invalid_client_secret',
      )
    }))

  it('can be disabled', () =>
    withService(
      async (service) => {
        expect(await statuses(20, () => service.get('/status?index=1', withKey(TEST_API_KEY)))).not.toContain(429)
      },
      { rateLimits: null },
    ))
})

describe('the headers of rate limits', () => {
  const policyOf = ({ headers }: Answer) => headers.get('ratelimit-policy')
  const stateOf = ({ headers }: Answer) => headers.get('ratelimit')

  it('show what is left of the tally of a key, on success and on refusal', () =>
    withService(async (service) => {
      const answers = await times(5, () => service.get('/status?index=1', withKey()))
      expect(new Set(answers.map(policyOf))).toEqual(new Set(['"key";q=4;w=1']))
      expect(answers.map(stateOf).toSorted()).toEqual([0, 0, 1, 2, 3].map((left) => `"key";r=${left};t=1`))
      const refused = answers.find(({ status }) => status === 429)
      expect(refused && stateOf(refused)).toBe('"key";r=0;t=1')
      expect(policyOf(await service.get('/status?index=1', withKey(TEST_API_KEY)))).toBe('"key";q=2;w=1')
    }))

  it('show the tally of a client secret', () =>
    withService(async (service) => {
      const answer = await service.get('/intents/status?client_secret=cs_one')
      expect([policyOf(answer), stateOf(answer)]).toEqual(['"client-secret";q=3;w=1', '"client-secret";r=2;t=1'])
    }))

  it('show the tally of an address, and the time until its window ends', () =>
    withService(async (service) => {
      const first = await service.get('/allowed-tokens')
      expect([policyOf(first), stateOf(first)]).toEqual(['"address";q=5;w=60', '"address";r=4;t=60'])
      const others = await times(5, () => service.get('/allowed-tokens'))
      const refused = others.find(({ status }) => status === 429)
      const wait = refused?.headers.get('retry-after')
      expect(refused && stateOf(refused)).toBe(`"address";r=0;t=${wait}`)
    }))

  it('are on an answer to an input that cannot be read', () =>
    withService(async (service) => {
      expect(stateOf(await service.post('/intents', '{', withKey()))).toBe('"key";r=3;t=1')
    }))

  it('show each tally that a GraphQL request counts towards', () =>
    withService(async (service) => {
      const answer = await service.graphql('{ a: allowedTokens { ticker } b: allowedTokens { ticker } }')
      expect(policyOf(answer)).toBe('"new-documents";q=60;w=60, "address";q=5;w=60')
      expect(stateOf(answer)).toBe('"new-documents";r=59;t=60, "address";r=3;t=60')
    }))

  it('are left out where nothing is counted', async () => {
    await withService(async (service) => expect(stateOf(await service.get('/health'))).toBeNull())
    await withService(async (service) => expect(stateOf(await service.get('/status?index=1', withKey()))).toBeNull(), {
      rateLimits: null,
    })
  })
})

describe('invalid credentials', () => {
  /** Knows the client secret and the live key. */
  async function withGuesses(run: (service: TestService) => Promise<void>, rateLimits = GUESS_LIMITS) {
    const service = await startTestService({
      settings: { rateLimits, trustProxy: true },
      services: {
        intents: {
          findByIndex: async () => pendingIntent,
          checkoutStatus: async (secret) => {
            if (secret === CLIENT_SECRET) return pendingIntent
            throw new ServiceError('invalid_client_secret')
          },
        },
        accounts: {
          authenticate: async (key) => {
            if (key === API_KEY) return credential('live')
            throw new ServiceError('unauthenticated')
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
  const GUESS_LIMITS = { ...LIMITS, liveKeyPerSecond: 100, clientSecretPerSecond: 100 }
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const byKey = (service: TestService, key: string, address = '203.0.113.7') =>
    service.get('/status?index=1', { ...withKey(key), ...from(address) })
  const bySecret = (service: TestService, secret: string, address = '203.0.113.7') =>
    service.get(`/intents/status?client_secret=${secret}`, from(address))

  async function oneByOne(count: number, ask: (at: number) => Promise<{ status: number }>): Promise<number[]> {
    const answers: number[] = []
    for (let at = 0; at < count; at++) answers.push((await ask(at)).status)
    return answers
  }
  const FIVE_TIMES_401 = Array(5).fill(401)

  it('count by address, keys and client secrets together, and above the limit the reply shows the time to wait', () =>
    withGuesses(async (service) => {
      const guess = (at: number) =>
        at % 2 === 0 ? byKey(service, `sk_live_Guess${at}`) : bySecret(service, `cs_Guess${at}`)
      expect(await oneByOne(8, guess)).toEqual([...FIVE_TIMES_401, 429, 429, 429])
      const { headers } = await byKey(service, 'sk_live_Guess')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
    }))

  it('count when they have no form of a key, and over GraphQL', () =>
    withGuesses(async (service) => {
      const guess = (at: number) =>
        service.graphql('{ __typename }', {}, { ...withKey(`op_${at}`), ...from('192.0.2.1') })
      expect(await oneByOne(6, guess)).toEqual([...FIVE_TIMES_401, 429])
    }))

  it('count on the operator’s API, together with all other invalid credentials', () =>
    withGuesses(async (service) => {
      const guess = (at: number) =>
        at < 3
          ? service.operator('{ __typename }', {}, { ...withKey(`op_${at}`), ...from('192.0.2.1') })
          : service.graphql('{ __typename }', {}, { ...withKey(`op_${at}`), ...from('192.0.2.1') })
      expect(await oneByOne(6, guess)).toEqual([...FIVE_TIMES_401, 429])
    }))

  it('affect no other address', () =>
    withGuesses(async (service) => {
      await oneByOne(6, (at) => bySecret(service, `cs_Guess${at}`))
      expect((await bySecret(service, 'cs_Another', '203.0.113.8')).status).toBe(401)
    }))

  it('never affect a valid credential from the same address, also at its first use', () =>
    withGuesses(async (service) => {
      const guesses = await oneByOne(80, (at) => bySecret(service, `cs_Guess${at}`))
      expect(guesses).toEqual([...Array(60).fill(401), ...Array(20).fill(429)])
      expect((await byKey(service, API_KEY)).status).toBe(200)
      expect((await bySecret(service, CLIENT_SECRET)).status).toBe(200)
      const asOperator = { ...withKey(OPERATOR_TOKEN), ...from('203.0.113.7') }
      expect((await service.operator('{ __typename }', {}, asOperator)).status).toBe(200)
    }, DEFAULT_RATE_LIMITS))
})

describe('the recovery of links', () => {
  const OTHER_WALLET = '7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'
  const proof = (signature: string, wallet: string = SELLER_WALLET) => ({ wallet, nonce: 'a'.repeat(32), signature })
  const VALID = 'valid'
  const challenge = (service: TestService) => service.post('/pay/manage/challenge', { wallet: SELLER_WALLET })
  const verify = (service: TestService, signature: string, wallet?: string) =>
    service.post('/pay/manage/verify', proof(signature, wallet))

  async function withRecovery(run: (service: TestService) => Promise<void>, rateLimits = LIMITS) {
    const service = await startTestService({
      settings: { rateLimits },
      services: {
        tokens: { allowed: async () => [] },
        subscriptionPortal: {
          ...examplePortalServices,
          async recoverLinks(wallet, answer) {
            if (answer.signature !== VALID) throw new ServiceError('invalid_signature', { rule: 'not_signed' })
            return await examplePortalServices.recoverLinks(wallet, answer)
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

  it('is not refused because of public requests of the same address', () =>
    withRecovery(async (service) => {
      expect(await statuses(6, () => service.get('/allowed-tokens'))).toContain(429)
      expect((await challenge(service)).status).toBe(200)
      expect((await verify(service, VALID)).status).toBe(200)
      const query = `mutation ($wallet: String!, $nonce: String, $signature: String) {
        recoverPortalLinks(wallet: $wallet, nonce: $nonce, signature: $signature) { portalUrl } }`
      const { body } = await service.graphql(query, proof(VALID))
      expect(body.data.recoverPortalLinks).toHaveLength(1)
    }))

  it('counts wrong proofs by address, and never refuses a valid one because of them', () =>
    withRecovery(async (service) => {
      const answers: number[] = []
      for (let at = 0; at < 8; at++) answers.push((await verify(service, `wrong${at}`)).status)
      expect(answers).toEqual([...Array(5).fill(400), 429, 429, 429])
      expect((await verify(service, VALID)).status).toBe(200)
      expect((await service.get('/allowed-tokens')).status).toBe(200)
    }))

  it('counts texts by address, apart from all other requests, and wrong proofs do not use them up', () =>
    withRecovery(
      async (service) => {
        for (let at = 0; at < 8; at++) await verify(service, `wrong${at}`)
        expect(await statuses(5, () => challenge(service))).toEqual([200, 200, 200, 429, 429])
        expect((await service.get('/allowed-tokens')).status).toBe(200)
        expect((await verify(service, VALID)).status).toBe(200)
      },
      { ...LIMITS, recoveryTextsPerMinuteOfAddress: 3 },
    ))

  it('counts valid proofs by wallet, which wrong ones do not use up', () =>
    withRecovery(
      async (service) => {
        for (let at = 0; at < 4; at++) await verify(service, `wrong${at}`)
        const answers: number[] = []
        for (let at = 0; at < 3; at++) answers.push((await verify(service, VALID)).status)
        expect(answers).toEqual([200, 200, 429])
        expect((await verify(service, VALID, OTHER_WALLET)).status).toBe(200)
      },
      { ...LIMITS, recoveriesPerMinuteOfWallet: 2 },
    ))
})

// Wrong tokens of buyers and subscribers, many in one operation.
describe('wrong tokens', () => {
  const ALIASES = 15
  const LIMIT = 5

  type Kind = {
    readonly field: string
    readonly argument: string
    readonly selected: string
    readonly code: 'checkout_not_found' | 'portal_not_found' | 'invalid_client_secret'
  }
  const KINDS: readonly Kind[] = [
    { field: 'subscriptionCheckout', argument: 'token', selected: 'merchantName', code: 'checkout_not_found' },
    { field: 'subscriptionPortal', argument: 'token', selected: 'merchantName', code: 'portal_not_found' },
    { field: 'checkout', argument: 'clientSecret', selected: 'status', code: 'invalid_client_secret' },
  ]

  const guesses = ({ field, argument, selected }: Kind): string => {
    const tries = Array.from(
      { length: ALIASES },
      (_, at) => `a${at}: ${field}(${argument}: "wrong${at}") { ${selected} }`,
    )
    return `{ ${tries.join(' ')} }`
  }

  type Errors = readonly { readonly extensions: { readonly code: string } }[]
  const codesOf = (errors: Errors): readonly string[] => errors.map(({ extensions }) => extensions.code).toSorted()

  const overHttp = async (service: TestService, query: string) => codesOf((await service.graphql(query)).body.errors)

  async function overWebSocket(service: TestService, query: string) {
    const raw = await openWebSocket(service)
    await raw.init()
    raw.send({ type: 'subscribe', id: '1', payload: { query } })
    await until(() => raw.received.some(({ type }) => type === 'next'))
    raw.socket.terminate()
    const { errors }: { errors: Errors } = Object(raw.received.find(({ type }) => type === 'next')?.payload)
    return codesOf(errors)
  }

  const WAYS = [
    { way: 'HTTP', ask: overHttp },
    { way: 'a websocket', ask: overWebSocket },
  ]

  it.each(KINDS.flatMap((kind) => WAYS.map((way) => ({ ...kind, ...way }))))(
    'of $field over $way open nothing, and above the limit of the address an operation looks one of them up',
    async ({ ask, ...kind }) => {
      let looked = 0
      let read = 0
      const refuse = async (): Promise<never> => {
        read += 1
        throw new ServiceError(kind.code)
      }
      const service = await startTestService({
        settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: LIMIT } },
        services: {
          credentials: {
            async requireIssued() {
              looked += 1
              throw new ServiceError(kind.code)
            },
          },
          intents: { checkoutStatus: refuse },
          subscriptionCheckout: { readCheckout: refuse },
          subscriptionPortal: { readPortal: refuse },
        },
      })
      const own = Array.from({ length: LIMIT }, () => kind.code)
      const limited = Array.from({ length: ALIASES - LIMIT }, () => 'rate_limited')
      expect(await ask(service, guesses(kind))).toEqual([...own, ...limited].toSorted())
      expect([looked, read]).toEqual([LIMIT + 1, 0])
      expect(new Set(await ask(service, guesses(kind)))).toEqual(new Set(['rate_limited']))
      expect([looked, read]).toEqual([LIMIT + 2, 0])
      await service.close()
    },
  )
})
