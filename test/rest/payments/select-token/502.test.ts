import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'

it('POST /intents/select-token answers 502 while no price is available', async () => {
  const service = await startTestService({
    services: {
      intents: {
        selectToken: async () => {
          throw new ServiceError('price_feed_unreachable')
        },
      },
    },
  })
  const { status, body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
  await service.close()
  expect([status, Object.keys(body)]).toEqual([502, ['error']])
})
