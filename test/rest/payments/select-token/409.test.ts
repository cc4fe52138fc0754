import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService } from '../../../support/services.ts'

it.each([
  ['selection_frozen', 'a payment has already arrived; the asset can no longer change'],
  ['intent_cancelled', 'this payment was cancelled'],
] as const)('POST /intents/select-token answers 409 to %s, saying that %s', async (code, error) => {
  const service = await startTestService({
    services: {
      intents: {
        selectToken: async () => {
          throw new ServiceError(code)
        },
      },
    },
  })
  const { status, body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: null })
  await service.close()
  expect([status, body]).toEqual([409, { error }])
})
