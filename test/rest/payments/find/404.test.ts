import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /intents answers 404 when no intent has that reference', async () => {
  const service = await startTestService({
    services: {
      intents: {
        findByReference: async () => {
          throw new ServiceError('intent_not_found')
        },
      },
    },
  })
  const { status, body } = await service.get('/intents?reference=order-8', withKey())
  await service.close()
  expect([status, Object.keys(body)]).toEqual([404, ['error']])
})
