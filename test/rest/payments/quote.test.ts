import { expect, it } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { MINT } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService } from '../../support/services.ts'
import { HUGE } from '../../support/wire.ts'

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
