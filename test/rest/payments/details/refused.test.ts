import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../../support/services.ts'

let refusal: ErrorCode | null = null
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        updateDetails: async () => {
          throw refusal === null
            ? new Error('not expected here: a bad body reached the service')
            : new ServiceError(refusal)
        },
      },
    },
  })
})
afterAll(() => service.close())

it.each([
  ['client_secret', { first_name: 'Ada' }],
  ['first_name', { client_secret: CLIENT_SECRET, first_name: 7 }],
  ['last_name', { client_secret: CLIENT_SECRET, last_name: 'a'.repeat(501) }],
  ['email', { client_secret: CLIENT_SECRET, email: {} }],
  ['address', { client_secret: CLIENT_SECRET, address: 'London' }],
  ['address.country', { client_secret: CLIENT_SECRET, address: { country: 44 } }],
])('POST /intents/details answers 400 naming %s to %o', async (names, body) => {
  const answer = await service.post('/intents/details', body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(new RegExp(`^${names} `))])
})

it.each<[number, ErrorCode]>([
  [400, 'invalid_email'],
  [400, 'invalid_country'],
  [401, 'invalid_client_secret'],
  [409, 'details_frozen'],
])('POST /intents/details answers %i to %s', async (expected, code) => {
  refusal = code
  const { status, body } = await service.post('/intents/details', { client_secret: CLIENT_SECRET, email: 'x' })
  refusal = null
  expect([status, Object.keys(body)]).toEqual([expected, ['error']])
})
