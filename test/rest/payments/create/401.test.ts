import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../support/services.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

it.each([
  ['no key', {}],
  ['a wrong key', { authorization: 'Bearer sk_live_wrong' }],
  ['a key without its scheme', { authorization: 'sk_live_wrong' }],
  ['another scheme', { authorization: 'Basic c2tfbGl2ZQ==' }],
  ['an empty header', { authorization: '' }],
])('POST /intents answers 401 to %s, before it reads the body', async (_what, headers) => {
  const { status, body } = await service.post('/intents', { amount_usd_cents: -1 }, headers)
  expect([status, body]).toEqual([401, { error: 'missing or invalid API key' }])
})
