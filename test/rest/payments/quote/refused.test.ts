import { expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'

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
