import { expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, withKey } from '../../../support/services.ts'

it('GET /status answers 400 without exactly one valid index', async () => {
  const service = await startTestService()
  const queries = ['', '?index=', '?index=x', '?index=-1', '?index=1.5', '?index=1&index=2', '?index=1e3']
  for (const query of queries) {
    const { status, body } = await service.get(`/status${query}`, withKey())
    expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^index /)])
  }
  await service.close()
})

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

it('GET /intents/status answers 401 to a wrong client secret, and without a client secret', async () => {
  const wrong = async (): Promise<never> => {
    throw new ServiceError('invalid_client_secret')
  }
  const service = await startTestService({ services: { intents: { checkoutStatus: wrong } } })
  for (const query of ['?client_secret=cs_wrong', '?client_secret=', '?client_secret=%00%ff', '']) {
    const { status, headers, body } = await service.get(`/intents/status${query}`)
    expect([query, status, body]).toEqual([query, 401, { error: 'invalid client_secret' }])
    // A client secret is no HTTP credential, so there is no WWW-Authenticate header.
    expect(headers.get('www-authenticate')).toBeNull()
  }
  await service.close()
})
