import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'

it('POST /intents/select-token answers 429 with Retry-After when the buyer has selected too often', async () => {
  const service = await startTestService({
    services: {
      intents: {
        selectToken: async () => {
          throw new ServiceError('rate_limited', { retry_after_seconds: 240 })
        },
      },
    },
  })
  const answer = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
  await service.close()
  expect([answer.status, answer.headers.get('retry-after'), Object.keys(answer.body)]).toEqual([429, '240', ['error']])
})
