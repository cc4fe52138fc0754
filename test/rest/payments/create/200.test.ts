import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CreateIntentInput } from '#services/payments/create.ts'
import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService, withKey } from '../../../support/services.ts'
import { INTENT_FIELDS, inToken } from '../../../support/wire.ts'

const asked: { accountId: string; input: CreateIntentInput }[] = []
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        create: async ({ accountId }, input) => {
          asked.push({ accountId, input })
          return input.reference === 'taken'
            ? { intent: { ...pendingIntent, selection: inToken }, clientSecret: null, created: false }
            : { intent: pendingIntent, clientSecret: CLIENT_SECRET, created: true }
        },
      },
    },
  })
})
afterAll(() => service.close())

const NO_ORDER = { description: null, line_items: null, metadata: null, success_url: null, cancel_url: null }
const minimal = { amount_usd_cents: 2500, accepted_tokens: [{ kind: 'sol' }] }
const lastInput = () => asked.at(-1)?.input

describe('POST /intents', () => {
  it('answers exactly the documented fields, with the secret, the page of the buyer and without a payment link', async () => {
    const { status, body, headers } = await service.post('/intents', minimal, withKey())
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual([...INTENT_FIELDS, 'client_secret', 'checkout_url'].sort())
    expect(body).toEqual({
      id: pendingIntent.id,
      derivation_index: 42,
      address: pendingIntent.address,
      client_secret: CLIENT_SECRET,
      checkout_url: `https://pay.example.com/pay/i/${CLIENT_SECRET}`,
      price_usd_cents: 2500,
      mint: null,
      mint_decimals: null,
      expected_lamports: null,
      status: 'pending',
      received_lamports: 0,
      reference: 'order-1001',
      expires_at: '2026-11-20T12:10:00.000Z',
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
      refund_sender: null,
    })
    expect(headers.get('idempotent-replayed')).toBeNull()
  })

  it('passes every field to the service, as the business of the key', async () => {
    const customer = { first_name: 'Ada', email: 'ada@example.com', address: { postal_code: 'N1', line2: null } }
    const sent = {
      amount_usd_cents: Number.MAX_SAFE_INTEGER,
      accepted_tokens: [{ kind: 'spl', mint: MINT }, { kind: 'sol' }],
      reference: 'order-7',
      customer,
      application_fee_bps: 250,
      description: 'Two\nbooks',
      line_items: [{ name: 'A book', quantity: 2, amount_usd_cents: 0 }],
      metadata: { order: 'A-17', lines: [1] },
      success_url: 'https://shop.example/thanks',
      cancel_url: 'not judged here',
    }
    await service.post('/intents', sent, {
      ...withKey(),
      'X-Platform-On-Behalf-Of': '3f0f6a54-52a7-4a9d-8e0b-5a1f0c0d7e21',
    })
    expect(asked.at(-1)).toEqual({
      accountId: pendingIntent.accountId,
      input: {
        amountUsdCents: 9_007_199_254_740_991n,
        acceptedAssets: [MINT, 'SOL'],
        reference: 'order-7',
        customer,
        applicationFeeBps: 250,
        description: 'Two\nbooks',
        lineItems: [{ name: 'A book', quantity: 2, amountUsdCents: 0 }],
        metadata: { order: 'A-17', lines: [1] },
        successUrl: 'https://shop.example/thanks',
        cancelUrl: 'not judged here',
        onBehalfOf: '3f0f6a54-52a7-4a9d-8e0b-5a1f0c0d7e21',
        createdBy: { kind: 'api_key', credential: 'sk_live_…0000', memberId: null, ip: '127.0.0.1' },
      },
    })
    // A field without a value here would be one that is not passed on.
    expect(Object.values(asked.at(-1)?.input ?? {})).not.toContain(null)
  })

  it('a repeat of a reference has no secret, and is marked as a repeat', async () => {
    const { status, body, headers } = await service.post('/intents', { ...minimal, reference: 'taken' }, withKey())
    expect([status, body.client_secret, headers.get('idempotent-replayed')]).toEqual([200, null, 'true'])
    expect(body).not.toHaveProperty('payment_uri')
    expect(body.mint).toBe(MINT)
  })

  it('ignores unknown fields, in the body and in nested objects', async () => {
    const accepted_tokens = [{ kind: 'sol', decimals: 'nine' }]
    const { status } = await service.post('/intents', { ...minimal, accepted_tokens, color: 7 }, withKey())
    expect(status).toBe(200)
    expect(lastInput()?.acceptedAssets).toEqual(['SOL'])
  })

  it.each(['12345678901234567890', '4.99999999999999999999', '1e400'])(
    'ignores an unknown field also when its number exceeds a double: %s',
    async (number) => {
      const known = '"amount_usd_cents":2500,"accepted_tokens":[{"kind":"sol"}]'
      expect(
        (await service.post('/intents', `{${known},"x":${number},"y":{"deep":[${number}]}}`, withKey())).status,
      ).toBe(200)
      expect(lastInput()?.amountUsdCents).toBe(2500n)
    },
  )

  it('takes null in an optional field as left out', async () => {
    const body = { ...minimal, reference: null, customer: null, application_fee_bps: null, ...NO_ORDER }
    expect((await service.post('/intents', body, withKey())).status).toBe(200)
    expect(lastInput()).toMatchObject({ reference: null, customer: null, applicationFeeBps: null, onBehalfOf: null })
  })

  it('takes 100 lines of an order', async () => {
    const line = { name: 'a', quantity: 2 ** 31 - 1, amount_usd_cents: 2 ** 31 - 1 }
    const line_items = Array.from({ length: 100 }, () => line)
    expect((await service.post('/intents', { ...minimal, line_items }, withKey())).status).toBe(200)
    expect(lastInput()?.lineItems).toHaveLength(100)
  })

  it('takes texts of 500 characters of any kind', async () => {
    const longest = '💸'.repeat(500)
    const sent = { ...minimal, reference: longest, customer: { first_name: longest } }
    expect((await service.post('/intents', sent, withKey())).status).toBe(200)
    expect(lastInput()).toMatchObject({ reference: longest, customer: { first_name: longest } })
  })

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])(
    'takes the media type %s',
    async (type) => {
      const { status } = await service.post('/intents', minimal, { ...withKey(), 'content-type': type })
      expect(status).toBe(200)
    },
  )
})
