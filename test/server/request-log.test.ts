// What the log of a business has of the requests that came with its API keys.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import { ServiceError } from '#core/errors.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { API_KEY, CLIENT_SECRET, startTestService, type TestService, withKey } from '../support/services.ts'
import { until } from '../support/until.ts'

let service: TestService
const kept: ApiRequest[] = []
beforeAll(async () => {
  service = await startTestService({
    keepRequest: (request) => void kept.push(request),
    services: {
      intents: {
        findByIndex: async () => {
          throw new ServiceError('intent_not_found')
        },
        findByReference: async () => pendingIntent,
      },
    },
  })
})
afterAll(() => service.close())
beforeEach(() => void kept.splice(0))

const keptAfter = async (ask: () => Promise<unknown>): Promise<ApiRequest> => {
  await ask()
  await until(() => kept.length > 0)
  const [request] = kept
  if (request === undefined) throw new Error('nothing was kept')
  return request
}

it('a request of REST is kept with its route, its answer and its id', async () => {
  const request = await keptAfter(() =>
    service.get('/intents?reference=order-1', { ...withKey(), 'x-request-id': 'shop-1' }),
  )
  expect(request).toEqual({
    accountId: pendingIntent.accountId,
    keyHint: '0000',
    method: 'GET',
    route: '/intents',
    status: 200,
    errorCode: null,
    requestId: 'shop-1',
    createdAt: expect.any(Date),
  })
})

it('a refusal is kept with its code, in REST', async () => {
  const request = await keptAfter(() => service.get('/status?index=9', withKey()))
  expect(request).toMatchObject({ route: '/status', status: 404, errorCode: 'intent_not_found' })
})

it.each([
  ['of a field', '{ paymentIntent(index: 9) { uuid } }', 'intent_not_found'],
  ['of a document', '{ nothingLikeThis }', 'invalid_document'],
])('a refusal %s is kept with its code, in GraphQL', async (_what, query, errorCode) => {
  const request = await keptAfter(() => service.graphql(query, {}, withKey()))
  expect(request).toMatchObject({ method: 'POST', route: '/graphql', errorCode })
})

it('nothing is kept of a request without a valid key, and no secret of one with it', async () => {
  await service.get('/status?index=9', withKey('sk_live_wrong'))
  await service.graphql('{ config { version } }')
  const request = await keptAfter(() =>
    service.get(`/intents?reference=${CLIENT_SECRET}`, { ...withKey(), 'x-request-id': API_KEY }),
  )
  expect(kept).toHaveLength(1)
  expect(JSON.stringify(request)).not.toContain(CLIENT_SECRET)
  expect(JSON.stringify(request)).not.toContain(API_KEY)
})
