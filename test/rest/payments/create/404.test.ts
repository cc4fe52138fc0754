import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, withKey } from '../../../support/services.ts'

it('POST /intents on behalf of an account that is not a seller of the business answers 404 with the common message', async () => {
  const service = await startTestService({
    services: {
      intents: {
        create: async (_caller, { onBehalfOf }) => {
          throw onBehalfOf?.startsWith('%%%') ? new ServiceError('seller_not_found') : new Error('not expected here')
        },
      },
    },
  })
  const create = { amount_usd_cents: 2500, accepted_tokens: [{ kind: 'sol' }] }
  for (const seller of ['%%%', '%'.repeat(600)]) {
    const headers = { ...withKey(), 'x-platform-on-behalf-of': seller }
    const { status, body } = await service.post('/intents', create, headers)
    expect([status, body]).toEqual([404, { error: 'seller not found' }])
  }
  await service.close()
})
