import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import type { CustomerDetails } from '#core/payments/intent-values.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../support/services.ts'

describe('accepted', () => {
  const asked: unknown[] = []
  let answer: CustomerDetails = {}
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      services: {
        intents: {
          updateDetails: async (secret, patch) => {
            asked.push([secret, patch])
            return { ...pendingIntent, customerDetails: answer }
          },
        },
      },
    })
  })
  afterAll(() => service.close())

  const send = (patch: object) => service.post('/intents/details', { client_secret: CLIENT_SECRET, ...patch })

  describe('POST /intents/details', () => {
    it('passes on the fields as sent: left out stays left out, null stays null, at both levels', async () => {
      const patch = { email: null, last_name: 'Lovelace', address: { line1: '1 Analytical Way', postal_code: null } }
      await send(patch)
      expect(asked.at(-1)).toStrictEqual([CLIENT_SECRET, patch])
      await send({ address: null })
      expect(asked.at(-1)).toStrictEqual([CLIENT_SECRET, { address: null }])
      await send({})
      expect(asked.at(-1)).toStrictEqual([CLIENT_SECRET, {}])
    })

    it('answers the customer details alone, without fields that are not collected', async () => {
      answer = { first_name: 'Ada', address: { city: 'London', country: 'GB' } }
      const { status, body } = await send({ first_name: 'Ada' })
      expect([status, body]).toEqual([200, { first_name: 'Ada', address: { city: 'London', country: 'GB' } }])
    })

    it('answers an empty object when everything was cleared', async () => {
      answer = {}
      expect((await send({ first_name: null })).text).toBe('{}')
    })

    it('takes every field', async () => {
      const full = {
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: 'ada@example.com',
        address: { line1: 'a', line2: 'b', city: 'c', state: 'd', postal_code: 'e', country: 'GB' },
      }
      answer = full
      const { body } = await send({ ...full, color: 'ignored' })
      expect(asked.at(-1)).toStrictEqual([CLIENT_SECRET, full])
      expect(body).toEqual(full)
    })
  })
})

describe('refused', () => {
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
})
