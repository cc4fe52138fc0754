import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'

it('POST /intents/select-token answers 409 once a payment has arrived', async () => {
  const service = await startTestService({
    services: {
      intents: {
        selectToken: async () => {
          throw new ServiceError('selection_frozen')
        },
      },
    },
  })
  const { status, body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
  await service.close()
  expect([status, Object.keys(body)]).toEqual([409, ['error']])
})
