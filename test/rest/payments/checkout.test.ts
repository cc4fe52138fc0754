import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { MAX_CHANGES } from '#core/events/change-limit.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { createFindByClientSecret, createSelectToken, createUpdateDetails } from '#services/payments/checkout.ts'
import { describeOnBothEngines } from '../../support/database.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { choice, context, NOW } from '../../support/payment.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../support/services.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'
import { HUGE, inSol, inToken } from '../../support/wire.ts'

describe('a quote', () => {
  it('GET /intents/quote answers the price in each accepted asset', async () => {
    const service = await startTestService({
      services: {
        intents: {
          quote: async (secret) => {
            expect(secret).toBe(CLIENT_SECRET)
            return {
              priceUsdCents: makeUsdCents(2500),
              expiresInSeconds: 577,
              quotes: [
                { asset: SOL, symbol: 'SOL', decimals: 9, expected: makeBaseUnits(166_666_667n) },
                { asset: MINT, symbol: 'BONK', decimals: 5, expected: makeBaseUnits(HUGE) },
              ],
              unquoted: [],
            }
          },
        },
      },
    })
    const { status, text } = await service.get(`/intents/quote?client_secret=${CLIENT_SECRET}`)
    await service.close()
    expect(status).toBe(200)
    // `mint` is an addition to the documented fields: the value that POST /intents/select-token takes.
    expect(text).toBe(
      `{"price_usd_cents":2500,"expires_in_seconds":577,"quotes":[${[
        '{"symbol":"SOL","mint":null,"decimals":9,"expected_lamports":166666667}',
        `{"symbol":"BONK","mint":"${MINT}","decimals":5,"expected_lamports":${HUGE}}`,
      ]}]}`,
    )
  })

  it('GET /intents/quote answers 401 to a wrong client secret, and without a client secret', async () => {
    const wrong = async (): Promise<never> => {
      throw new ServiceError('invalid_client_secret')
    }
    const service = await startTestService({ services: { intents: { quote: wrong } } })
    for (const query of ['?client_secret=cs_wrong', '?client_secret=', '?client_secret=%00%ff', '']) {
      const { status, body } = await service.get(`/intents/quote${query}`)
      expect([query, status, body]).toEqual([query, 401, { error: 'invalid client_secret' }])
    }
    await service.close()
  })

  it.each<[number, ErrorCode]>([
    [409, 'not_quotable'],
    [502, 'price_feed_unreachable'],
    [502, 'chain_unavailable'],
    [503, 'price_feeds_disagree'],
  ])('GET /intents/quote answers %i to %s', async (expected, code) => {
    const service = await startTestService({
      services: {
        intents: {
          quote: async () => {
            throw new ServiceError(code, { status: 'paid', source: 'https://feed.internal' })
          },
        },
      },
    })
    const { status, body } = await service.get(`/intents/quote?client_secret=${CLIENT_SECRET}`)
    await service.close()
    expect([status, Object.keys(body)]).toEqual([expected, ['error']])
  })
})

describe('the selection of a token', () => {
  let refusal: ServiceError | null = null
  const asked: unknown[] = []
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      services: {
        intents: {
          selectToken: async (secret, asset) => {
            if (refusal !== null) throw refusal
            asked.push([secret, asset])
            return { ...pendingIntent, selection: asset === SOL ? inSol : inToken }
          },
        },
      },
    })
  })
  afterAll(() => service.close())
  afterEach(() => {
    refusal = null
  })

  const select = () => service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })

  it('POST /intents/select-token answers exactly the locked amount; null is SOL', async () => {
    const sol = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
    const token = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: MINT })
    expect(asked).toEqual([
      [CLIENT_SECRET, SOL],
      [CLIENT_SECRET, MINT],
    ])
    expect([sol.status, sol.body]).toEqual([
      200,
      {
        derivation_index: 42,
        address: pendingIntent.address,
        mint: null,
        mint_decimals: 9,
        expected_lamports: 133_266_667,
        status: 'pending',
        payment_uri: `solana:${pendingIntent.address}?amount=0.133266667&label=Corner%20Shop`,
      },
    ])
    expect(token.body).toMatchObject({ mint: MINT, mint_decimals: 6, expected_lamports: 25_000_000 })
    expect(Object.keys(token.body)).toEqual(Object.keys(sol.body))
  })

  it.each([
    ['mint', { client_secret: CLIENT_SECRET }],
    ['mint', { client_secret: CLIENT_SECRET, mint: 'SOL' }],
    ['mint', { client_secret: CLIENT_SECRET, mint: '' }],
    ['mint', { client_secret: CLIENT_SECRET, mint: 7 }],
    ['client_secret', { mint: MINT }],
    ['client_secret', { client_secret: null, mint: MINT }],
    ['client_secret', { client_secret: '', mint: MINT }],
    ['client_secret', { client_secret: ['cs_a'], mint: MINT }],
  ])('POST /intents/select-token answers 400 naming %s to %o', async (names, body) => {
    const before = asked.length
    const answer = await service.post('/intents/select-token', body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(new RegExp(`^${names} `))])
    expect(asked).toHaveLength(before)
  })

  it.each([[{}], [{ mint: 'SOL' }], [{ mint: 7 }]])(
    'POST /intents/select-token names the values that mint accepts, to %o',
    async (given) => {
      const { body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, ...given })
      expect(body.error).toBe('mint must be null for SOL, or the mint address of a token')
    },
  )

  it.each<ErrorCode>(['asset_not_accepted', 'amount_too_small', 'amount_too_large', 'intent_expired'])(
    'POST /intents/select-token answers 400 when the service refuses with %s',
    async (code) => {
      refusal = new ServiceError(code)
      const { status, body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: MINT })
      expect([status, Object.keys(body)]).toEqual([400, ['error']])
    },
  )

  it.each([
    [401, 'invalid_client_secret', 'invalid client_secret'],
    [409, 'selection_frozen', 'a payment has already arrived; the asset can no longer change'],
    [409, 'intent_cancelled', 'this payment was cancelled'],
    [502, 'price_feed_unreachable', expect.any(String)],
  ] as const)('POST /intents/select-token answers %i to %s, saying that %s', async (expected, code, error) => {
    refusal = new ServiceError(code)
    const { status, body } = await select()
    expect([status, body]).toEqual([expected, { error }])
  })

  it('POST /intents/select-token answers 429 with Retry-After when the buyer has selected too often', async () => {
    refusal = new ServiceError('rate_limited', { retry_after_seconds: 240 })
    const answer = await select()
    expect([answer.status, answer.headers.get('retry-after'), Object.keys(answer.body)]).toEqual([
      429,
      '240',
      ['error'],
    ])
  })
})

// Many concurrent requests of one checkout, over the real stores: a write is decided again when another write came
// first.
describeOnBothEngines('fifty requests of one checkout at once', (open) => {
  const hash = (secret: string) => createHash('sha256').update(secret).digest()

  it('are all answered, and the limit of selections holds', async () => {
    const db = await open()
    const stores = storesOf(db)
    const tenant = await addBusiness(db)
    await addIntent(stores, tenant, { clientSecretHash: hash(CLIENT_SECRET) })
    const findByClientSecret = createFindByClientSecret({ checkout: stores.checkout, secrets: { hash } })
    const deps = { findByClientSecret, checkout: stores.checkout, store: stores.work, clock: { now: () => NOW } }
    const selectToken = createSelectToken({
      ...deps,
      directory: { tokens: async () => context().tokens },
      lockRate: async () => choice('SOL', 5_000_000n),
      takeInArrivals: async () => [],
    })
    const service = await startTestService({
      services: { intents: { selectToken, updateDetails: createUpdateDetails(deps) } },
    })

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0
          ? service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
          : service.post('/intents/details', { client_secret: CLIENT_SECRET, first_name: `Ada ${at}` }),
      ),
    )

    await service.close()
    const statusesOf = (selects: boolean) =>
      answers.filter((_, at) => (at % 2 === 0) === selects).map(({ status }) => status)
    expect(statusesOf(false)).toEqual(Array(25).fill(200))
    expect(statusesOf(true).toSorted()).toEqual([...Array(MAX_CHANGES).fill(200), ...Array(25 - MAX_CHANGES).fill(429)])
  })
})
