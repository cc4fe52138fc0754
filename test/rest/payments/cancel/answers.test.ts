import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '#core/errors.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { pendingIntent } from '../../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, withKey } from '../../../support/services.ts'

const cancelled: PaymentIntent = { ...pendingIntent, status: 'cancelled', version: 2 }

/** The two endpoints do the same, for the business and for the buyer. */
const endpoints = [
  {
    path: '/cancel',
    body: { index: 42 },
    headers: withKey(),
    intents: (cancel: () => Promise<PaymentIntent>) => ({ cancelByIndex: cancel }),
  },
  {
    path: '/intents/cancel',
    body: { client_secret: CLIENT_SECRET },
    headers: {},
    intents: (cancel: () => Promise<PaymentIntent>) => ({ cancelByClientSecret: cancel }),
  },
]

describe.each(endpoints)('POST $path', ({ path, body, headers, intents }) => {
  const cancel = async (decide: () => Promise<PaymentIntent>, sent: object = body) => {
    const service = await startTestService({ services: { intents: intents(decide) } })
    const answer = await service.post(path, sent, headers)
    await service.close()
    return answer
  }

  it('answers the status after the cancel', async () => {
    const { status, body: answer } = await cancel(async () => cancelled)
    expect(status).toBe(200)
    expect(answer).toMatchObject({ derivation_index: 42, status: 'cancelled', action: 'cancelled' })
    expect(answer).not.toHaveProperty('payment_uri')
  })

  it.each([
    ['payment_already_received', 409],
    ['payment_arriving', 409],
    ['intent_not_found', 404],
    ['invalid_client_secret', 401],
  ] satisfies [ErrorCode, number][])('answers %s with %d', async (code, expected) => {
    const { status, body: answer } = await cancel(() => Promise.reject(new ServiceError(code)))
    expect([status, Object.keys(answer)]).toEqual([expected, ['error']])
  })

  it('refuses a body without its field with 400', async () => {
    expect((await cancel(async () => cancelled, {})).status).toBe(400)
  })
})
