import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /status answers 404 when there is no intent for the index, also for the reserved index', async () => {
  const service = await startTestService({
    services: {
      intents: {
        findByIndex: async (_caller, index) => {
          expect(index).toBeLessThan(2 ** 31)
          throw new ServiceError('intent_not_found')
        },
      },
    },
  })
  for (const index of [0, 7, 2 ** 31 - 1, 2 ** 31, '9'.repeat(400)]) {
    const { status, body } = await service.get(`/status?index=${index}`, withKey())
    expect([status, Object.keys(body)]).toEqual([404, ['error']])
  }
  await service.close()
})
