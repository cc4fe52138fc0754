// An address for held money over HTTP: the buyer proposes it by the client secret, and the business decides by its key.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { fullIntent, MERCHANT, pendingIntent } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, withKey } from '../../support/services.ts'

const asked: unknown[] = []
let answer: () => Promise<PaymentIntent>
const noted =
  (name: string) =>
  (...given: readonly unknown[]) => {
    asked.push([name, ...given])
    return answer()
  }
let service: Awaited<ReturnType<typeof startTestService>>
beforeEach(async () => {
  asked.length = 0
  answer = async () => fullIntent
  service = await startTestService({
    services: {
      intents: {
        proposeRefundAddress: noted('propose'),
        approveRefundAddress: noted('approve'),
        declineRefundAddress: noted('decline'),
      },
    },
  })
})
afterEach(() => service.close())

const PAYMENT = `/payments/${pendingIntent.id}/refund-address`
const shown = {
  wanted: true,
  proposal: {
    address: fullIntent.refundAddress?.proposal?.address,
    status: 'declined',
    reason: 'It is not yours.',
    proposed_at: '2026-11-20T12:00:41.000Z',
    decided_at: '2026-11-20T12:01:02.000Z',
  },
}

describe('POST /intents/refund-address', () => {
  const propose = (body: object) => service.post('/intents/refund-address', body)

  it('proposes an address, and answers the status with it', async () => {
    const { status, body } = await propose({ client_secret: CLIENT_SECRET, address: MERCHANT })
    expect([status, body.refund_address, body.metadata]).toEqual([200, shown, undefined])
    expect(asked).toEqual([['propose', CLIENT_SECRET, MERCHANT]])
  })

  it.each([
    [{ client_secret: CLIENT_SECRET }],
    [{ client_secret: CLIENT_SECRET, address: 'abc' }],
    [{ address: MERCHANT }],
  ])('refuses %j with 400', async (body) => {
    expect((await propose(body)).status).toBe(400)
    expect(asked).toEqual([])
  })

  it.each([
    ['invalid_client_secret', 401],
    ['invalid_address', 400],
    ['nothing_held', 409],
    ['held_money_reserved', 409],
    ['refund_address_limit_reached', 409],
  ] satisfies [ErrorCode, number][])('answers %s with %d', async (code, expected) => {
    answer = () => Promise.reject(new ServiceError(code))
    const { status, headers } = await propose({ client_secret: CLIENT_SECRET, address: MERCHANT })
    expect([status, headers.get('error-code')]).toEqual([expected, code])
  })
})

describe.each([
  ['approve', {}],
  ['decline', { reason: 'It is not yours.' }],
])('POST /payments/:id/refund-address/%s', (verb, more) => {
  const decide = (body: object = { address: MERCHANT, ...more }, headers: Record<string, string> = withKey()) =>
    service.post(`${PAYMENT}/${verb}`, body, headers)

  it('passes on the address that was read, and answers the payment', async () => {
    const { status, body } = await decide()
    expect([status, body.refund_address]).toEqual([200, shown])
    const actor = expect.objectContaining({ kind: 'api_key' })
    const manager = expect.objectContaining({ actor })
    expect(asked).toEqual([[verb, manager, pendingIntent.id, MERCHANT, ...Object.values(more)]])
  })

  it('needs a key, and the address', async () => {
    expect((await decide({ address: MERCHANT, ...more }, {})).status).toBe(401)
    expect((await decide(more)).status).toBe(400)
    expect(asked).toEqual([])
  })

  it.each([
    ['intent_not_found', 404],
    ['refund_address_not_proposed', 409],
    ['refund_address_decided', 409],
    ['nothing_held', 409],
  ] satisfies [ErrorCode, number][])('answers %s with %d', async (code, expected) => {
    answer = () => Promise.reject(new ServiceError(code))
    const { status, headers } = await decide()
    expect([status, headers.get('error-code')]).toEqual([expected, code])
  })
})
