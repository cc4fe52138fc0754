import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { MERCHANT, MINT, pendingIntent, SIGNATURE } from '../../support/example-intent.ts'
import { readsOfUnaccepted } from '../../support/reads.ts'
import { CLIENT_SECRET, startTestService, type TestService, withKey } from '../../support/services.ts'
import { HUGE, INTENT_FIELDS, inSol, inToken, STATUS_FIELDS, settledIntent } from '../../support/wire.ts'

// The status body in each state: which fields are present, which are null, and which are left out.
describe('answered', () => {
  let intent: PaymentIntent = pendingIntent
  const asked: unknown[] = []
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({
      services: {
        intents: {
          findByIndex: async ({ accountId }, index) => {
            asked.push([accountId, index])
            return intent
          },
          checkoutStatus: async (secret) => {
            asked.push(secret)
            return intent
          },
        },
      },
    })
  })
  afterAll(() => service.close())

  async function statusOf(shown: PaymentIntent) {
    intent = shown
    const answer = await service.get('/status?index=42', withKey())
    expect(answer.status).toBe(200)
    return answer
  }

  describe('GET /status', () => {
    it('asks the service for the index, as the business of the key', async () => {
      await statusOf(pendingIntent)
      expect(asked.at(-1)).toEqual([pendingIntent.accountId, 42])
    })

    it('before token selection: no amount, no payment link', async () => {
      const { body } = await statusOf(pendingIntent)
      expect(Object.keys(body)).toEqual(STATUS_FIELDS)
      expect(body).toMatchObject({ action: 'waiting', mint: null, mint_decimals: null, expected_lamports: null })
    })

    it('after selection: the amount and the payment link', async () => {
      const { body } = await statusOf({ ...pendingIntent, selection: inToken })
      expect(Object.keys(body)).toEqual([...STATUS_FIELDS, 'payment_uri'])
      expect(body).toMatchObject({ mint: MINT, mint_decimals: 6, expected_lamports: 25_000_000 })
      expect(body.payment_uri).toBe(`solana:${pendingIntent.address}?amount=25&spl-token=${MINT}&label=Corner%20Shop`)
    })

    it('SOL is mint null with its decimals', async () => {
      const { body } = await statusOf({ ...pendingIntent, selection: inSol })
      expect(body).toMatchObject({ mint: null, mint_decimals: 9, expected_lamports: 133_266_667 })
    })

    it('underpaid: the shortfall, and a link for exactly the shortfall', async () => {
      const received = makeBaseUnits(24_999_999n)
      const { body } = await statusOf({ ...pendingIntent, status: 'underpaid', selection: inToken, received })
      expect(Object.keys(body)).toEqual([...STATUS_FIELDS, 'payment_uri', 'shortfall_lamports'])
      expect(body).toMatchObject({ action: 'underpaid', received_lamports: 24_999_999, shortfall_lamports: 1 })
      expect(body.payment_uri).toContain('?amount=0.000001&')
    })

    it('swept: the settlement, and every other optional field', async () => {
      const { body } = await statusOf(settledIntent)
      const optional = [
        'marketplace_fee_bps',
        'customer_details',
        'settlement',
        'token_refunds',
        'late_payments',
        'held',
      ]
      expect(Object.keys(body).sort()).toEqual([...STATUS_FIELDS, ...optional].sort())
      expect(body).toMatchObject({
        action: 'swept',
        marketplace_fee_bps: 250,
        customer_details: { first_name: 'Ada', address: { country: 'GB' } },
        token_refunds: [{ mint: MINT, status: 'refunded', amount: 9, refund: { amount: 9, signatures: [SIGNATURE] } }],
        late_payments: [{ mint: null, amount: 7, status: 'held', signature: SIGNATURE, count: 1, refund: null }],
        held: [{ mint: null, amount: 7, reason: 'The sender is not known for certain.' }],
      })
      expect(Object.keys(body.customer_details)).toEqual(['first_name', 'address'])
      expect(body.settlement).toMatchObject({
        asset: 'USDC',
        decimals: 6,
        destination_ui: 9007199254.740993,
        platform_fee_amount: 0,
        platform_fee_ui: 0,
        signatures: [SIGNATURE],
        legs: [{ role: 'merchant', destination: MERCHANT, mint: MINT, ticker: 'USDC', decimals: 6, fee_bps: null }],
      })
    })

    it('refunded: the exact amounts that went back, and their transactions', async () => {
      const refunds = [{ mint: null, amount: makeBaseUnits(2n ** 63n), signatures: [SIGNATURE] }]
      const { body, text } = await statusOf({ ...pendingIntent, status: 'refunded', selection: inSol, refunds })
      expect(Object.keys(body)).toEqual([...STATUS_FIELDS, 'refunds'])
      expect(body.refunds).toMatchObject([{ mint: null, signatures: [SIGNATURE] }])
      expect(text).toContain(`"amount":${2n ** 63n}`)
    })

    it('shows the count and the totals of lists that are longer than the shown entries', async () => {
      const totals = [{ mint: null, amount: makeBaseUnits(70), count: 21 }]
      const listTotals = {
        tokenRefunds: { count: 22, totals: [] },
        latePayments: { count: 21, totals },
        held: { count: 23, totals },
      }
      const { body } = await statusOf({ ...settledIntent, listTotals })
      const shown = [{ mint: null, amount: 70, count: 21 }]
      expect(body).toMatchObject({
        token_refunds_count: 22,
        late_payments_count: 21,
        late_payments_totals: shown,
        held_count: 23,
        held_totals: shown,
      })
    })

    it('writes amounts beyond 2^53 as exact JSON integers, in every place', async () => {
      const { text } = await statusOf(settledIntent)
      for (const name of ['expected_lamports', 'received_lamports', 'destination_amount', 'amount']) {
        expect(text).toContain(`"${name}":${HUGE}`)
      }
    })

    it.each(INTENT_STATUSES)(
      '%s has an action and a message, and a link only while money is awaited',
      async (status) => {
        const { body } = await statusOf({ ...pendingIntent, status, selection: inSol })
        expect(body.status).toBe(status)
        expect(body.action).toMatch(
          /^(waiting|underpaid|paid|overpaid|swept|refunding|refunded|cancelled|refund_failed)$/,
        )
        expect(body.message).toMatch(/\w/)
        expect('payment_uri' in body).toBe(status === 'pending' || status === 'underpaid')
      },
    )

    it('leaves out cleared customer details', async () => {
      expect((await statusOf({ ...pendingIntent, customerDetails: {} })).body).not.toHaveProperty('customer_details')
    })
  })

  it('GET /intents/status answers its buyer the same body, by client secret', async () => {
    const refund = { amount: makeBaseUnits(7), signatures: [SIGNATURE] }
    const total = { count: 21, totals: [{ mint: null, amount: makeBaseUnits(70), count: 21 }] }
    const { text } = await statusOf({
      ...settledIntent,
      refunds: [{ mint: null, ...refund }],
      tokenRefunds: [{ mint: MINT, status: 'refunded', amount: makeBaseUnits(8), refund }],
      latePayments: [
        { mint: null, amount: makeBaseUnits(9), status: 'refunded', signature: SIGNATURE, count: 1, refund },
      ],
      held: [{ mint: MINT, amount: makeBaseUnits(10), reason: 'why' }],
      listTotals: { tokenRefunds: total, latePayments: total, held: total },
    })
    const buyer = await service.get(`/intents/status?client_secret=${CLIENT_SECRET}`)
    expect(asked.at(-1)).toBe(CLIENT_SECRET)
    expect([buyer.status, buyer.text]).toEqual([200, text])
  })
})

describe('refused', () => {
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
})

describe('a search by reference', () => {
  it('GET /intents?reference= answers the stored intent: no secret, no payment link, no status', async () => {
    const asked: unknown[] = []
    const service = await startTestService({
      services: {
        intents: {
          findByReference: async ({ accountId }, reference) => {
            asked.push([accountId, reference])
            return reference === 'order 1&2' ? { ...pendingIntent, selection: inSol } : settledIntent
          },
        },
      },
    })
    const pending = await service.get(`/intents?reference=${encodeURIComponent('order 1&2')}`, withKey())
    const longest = await service.get(`/intents?reference=${encodeURIComponent('💸'.repeat(500))}`, withKey())
    const settled = await service.get('/intents?reference=settled', withKey())
    await service.close()
    expect(asked[0]).toEqual([pendingIntent.accountId, 'order 1&2'])
    expect([pending.status, longest.status]).toEqual([200, 200])
    expect(Object.keys(pending.body)).toEqual(INTENT_FIELDS)
    expect(pending.body).toMatchObject({ mint: null, mint_decimals: 9, expected_lamports: 133_266_667 })
    expect(Object.keys(settled.body).sort()).toEqual(
      [...INTENT_FIELDS, 'customer_details', 'marketplace_fee_bps'].sort(),
    )
  })

  it('GET /intents?reference= answers the tokens at the address that are not allowed, and leaves an empty list out', async () => {
    const seen = { arrivals: 2n, lastSignature: SIGNATURE, lastSeenAt: pendingIntent.createdAt }
    const service = await startTestService({
      services: { intents: { findByReference: async () => pendingIntent } },
      reads: () =>
        readsOfUnaccepted([
          { mint: MINT, ...seen },
          { mint: '', ...seen },
        ]),
    })
    const { body } = await service.get('/intents?reference=order-1', withKey())
    await service.close()
    const shown = { arrivals: 2, last_signature: SIGNATURE, last_seen_at: pendingIntent.createdAt.toISOString() }
    expect(body.unaccepted_tokens).toEqual([
      { mint: MINT, ...shown },
      { mint: null, ...shown },
    ])
  })

  it('GET /intents answers 400 without exactly one valid reference', async () => {
    const service = await startTestService()
    for (const query of [
      '',
      '?reference=',
      '?reference=a&reference=b',
      '?reference=a%00b',
      `?reference=${'a'.repeat(501)}`,
    ]) {
      const { status, body } = await service.get(`/intents${query}`, withKey())
      expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(/^reference /)])
    }
    await service.close()
  })

  it('GET /intents answers 404 when no intent has that reference', async () => {
    const service = await startTestService({
      services: {
        intents: {
          findByReference: async () => {
            throw new ServiceError('intent_not_found')
          },
        },
      },
    })
    const { status, body } = await service.get('/intents?reference=order-8', withKey())
    await service.close()
    expect([status, Object.keys(body)]).toEqual([404, ['error']])
  })
})
