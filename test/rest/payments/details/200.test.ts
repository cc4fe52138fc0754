import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerDetails } from '#core/payments/intent-values.ts'
import { pendingIntent } from '../../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../../support/services.ts'

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
