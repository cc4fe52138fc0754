import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, withKey } from '../../../support/services.ts'

it('POST /intents answers 409 to a business without a sweep destination', async () => {
  const service = await startTestService({
    services: {
      intents: {
        create: async () => {
          throw new ServiceError('sweep_destination_missing')
        },
      },
    },
  })
  const create = { amount_usd_cents: 2500, accepted_tokens: [{ kind: 'sol' }] }
  const { status, body } = await service.post('/intents', create, withKey())
  await service.close()
  expect([status, Object.keys(body)]).toEqual([409, ['error']])
})
