import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService } from '../../../support/services.ts'

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
