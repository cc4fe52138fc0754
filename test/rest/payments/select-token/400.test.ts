import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { MINT } from '../../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../../support/services.ts'

let refusal: ErrorCode | null = null
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        selectToken: async () => {
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
  ['mint', { client_secret: CLIENT_SECRET }],
  ['mint', { client_secret: CLIENT_SECRET, mint: 'SOL' }],
  ['mint', { client_secret: CLIENT_SECRET, mint: '' }],
  ['mint', { client_secret: CLIENT_SECRET, mint: 7 }],
  ['client_secret', { mint: MINT }],
  ['client_secret', { client_secret: null, mint: MINT }],
  ['client_secret', { client_secret: '', mint: MINT }],
  ['client_secret', { client_secret: ['cs_a'], mint: MINT }],
])('POST /intents/select-token answers 400 naming %s to %o', async (names, body) => {
  const answer = await service.post('/intents/select-token', body)
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(new RegExp(`^${names} `))])
})

it.each([[{}], [{ mint: 'SOL' }], [{ mint: 7 }]])(
  'POST /intents/select-token names the values that mint accepts, to %o',
  async (given) => {
    const { body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, ...given })
    expect(body.error).toBe('mint must be null for SOL, or the mint address of a token')
  },
)

it.each<ErrorCode>(['asset_not_accepted', 'amount_too_small', 'amount_too_large', 'intent_expired'])(
  'POST /intents/select-token answers 400 when the service refuses with %s',
  async (code) => {
    refusal = code
    const { status, body } = await service.post('/intents/select-token', { client_secret: CLIENT_SECRET, mint: MINT })
    refusal = null
    expect([status, Object.keys(body)]).toEqual([400, ['error']])
  },
)
