import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeBaseUnits, makeBasisPoints } from '#core/money/amounts.ts'
import { intentEventData } from '#core/payments/payload.ts'
import { type IntentJson, intentFromJson, intentToJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { anyIntent } from '../../support/arbitrary-intent.ts'
import { MERCHANT, MINT, pendingIntent, SIGNATURE } from '../../support/example-intent.ts'

describe('a payload', () => {
  /** Yields every (key, value) of a payload, at any depth. */
  function* entriesOf(value: unknown): Generator<[key: string, value: unknown]> {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      yield [key, inner]
      yield* entriesOf(inner)
    }
  }

  const AMOUNT_KEY = /(?:^|_)(?:amount|ui|lamports)$/

  test('every amount at any depth is an exact decimal string, or null before it is known', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        const data = JSON.parse(JSON.stringify(intentEventData(intent)))
        for (const [key, value] of entriesOf({ ...data, customer_details: null })) {
          if (!AMOUNT_KEY.test(key) || value === null) continue
          expect(value, key).toMatch(key.endsWith('_ui') ? /^(0|[1-9]\d*)(\.\d*[1-9])?$/ : /^(0|[1-9]\d*)$/)
        }
      }),
    )
  })

  test('every number in a payload can be read exactly by a JSON reader', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        for (const [key, value] of entriesOf(JSON.parse(JSON.stringify(intentEventData(intent))))) {
          if (typeof value === 'number') expect(Number.isSafeInteger(value), key).toBe(true)
        }
      }),
    )
  })

  test('no payload contains a client secret, not even as an empty field', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        expect(JSON.stringify(intentEventData({ ...intent, customerDetails: null }))).not.toMatch(/client_?secret/i)
      }),
    )
  })

  test('before a selection there is no mint, no decimals and no expected amount, and every such field is null', () => {
    expect(intentEventData(pendingIntent)).toEqual({
      id: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11',
      derivation_index: 42,
      address: 'BPFLoaderUpgradeab1e11111111111111111111111',
      price_usd_cents: 2500,
      mint: null,
      mint_decimals: null,
      expected_lamports: null,
      received_lamports: '0',
      status: 'pending',
      action: 'waiting',
      message: 'Waiting for the buyer to choose how to pay.',
      reference: 'order-1001',
      refund_sender: null,
      expires_at: '2026-11-20T12:10:00.000Z',
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
      version: 1,
    })
  })

  const inSol = { asset: 'SOL', decimals: 9, expected: makeBaseUnits(166_666_667n), rate: null } as const

  test('SOL is a null mint with nine decimals', () => {
    expect(intentEventData({ ...pendingIntent, selection: inSol })).toMatchObject({
      mint: null,
      mint_decimals: 9,
      expected_lamports: '166666667',
    })
  })

  test('only an underpaid intent shows the shortfall', () => {
    const underpaid: PaymentIntent = {
      ...pendingIntent,
      selection: { asset: MINT, decimals: 6, expected: makeBaseUnits(25_000_000n), rate: null },
      status: 'underpaid',
      received: makeBaseUnits(10_000_000n),
    }
    expect(intentEventData(underpaid)).toMatchObject({
      mint: MINT,
      mint_decimals: 6,
      shortfall_lamports: '15000000',
      payment_uri: paymentUriOf(underpaid),
    })
    const refunding = intentEventData({ ...underpaid, status: 'refunding' })
    expect(refunding).not.toHaveProperty('shortfall_lamports')
    expect(refunding).not.toHaveProperty('payment_uri')
  })

  test('a settlement contains its legs and both forms of each amount, exact beyond the range of a double', () => {
    const amount = makeBaseUnits(9_007_199_254_740_993n)
    const data = intentEventData({
      ...pendingIntent,
      selection: inSol,
      received: makeBaseUnits(inSol.expected - 7n),
      status: 'swept',
      settlement: {
        asset: 'SOL',
        decimals: 9,
        destinationAmount: amount,
        platformFeeAmount: makeBaseUnits(0n),
        pendingAmount: makeBaseUnits(0n),
        signatures: [SIGNATURE],
        legs: [
          {
            role: 'merchant',
            destination: MERCHANT,
            mint: null,
            asset: 'SOL',
            decimals: 9,
            amount,
            feeBps: null,
            signature: SIGNATURE,
          },
        ],
      },
    })
    expect(data.settlement).toEqual({
      asset: 'SOL',
      decimals: 9,
      destination_amount: '9007199254740993',
      destination_ui: '9007199.254740993',
      platform_fee_amount: '0',
      platform_fee_ui: '0',
      pending_amount: '0',
      shortfall_amount: '7',
      signatures: [SIGNATURE],
      legs: [
        {
          role: 'merchant',
          destination: MERCHANT,
          mint: null,
          ticker: 'SOL',
          decimals: 9,
          amount: '9007199254740993',
          amount_ui: '9007199.254740993',
          fee_bps: null,
          signature: SIGNATURE,
        },
      ],
    })
  })

  test('empty fields are left out, and other fields are shown', () => {
    const bare = intentEventData({ ...pendingIntent, customerDetails: {} })
    for (const key of [
      'settlement',
      'token_refunds',
      'late_payments',
      'held',
      'customer_details',
      'marketplace_fee_bps',
    ]) {
      expect(bare).not.toHaveProperty(key)
    }
    const full = intentEventData({
      ...pendingIntent,
      marketplaceFeeBps: makeBasisPoints(0),
      customerDetails: { email: 'ada@example.com' },
      tokenRefunds: [{ mint: MINT, status: 'settling', amount: makeBaseUnits(9n), refund: null }],
      latePayments: [
        { mint: null, amount: makeBaseUnits(7n), status: 'held', signature: SIGNATURE, count: 1, refund: null },
      ],
      held: [{ mint: null, amount: makeBaseUnits(7n), reason: 'Because.' }],
    })
    expect(full).toMatchObject({
      marketplace_fee_bps: 0,
      customer_details: { email: 'ada@example.com' },
      token_refunds: [{ mint: MINT, status: 'settling', amount: '9', refund: null }],
      late_payments: [{ mint: null, amount: '7', status: 'held', signature: SIGNATURE, count: 1, refund: null }],
      held: [{ mint: null, amount: '7', reason: 'Because.' }],
    })
  })
})

describe('the codec of an intent', () => {
  const throughText = (json: unknown): unknown => JSON.parse(JSON.stringify(json))

  test('every intent comes back from JSON exactly as it was', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        expect(intentFromJson(throughText(intentToJson(intent)))).toStrictEqual(intent)
      }),
    )
  })

  test('JSON of an intent survives a text round trip unchanged: no number in it loses a digit', () => {
    fc.assert(
      fc.property(anyIntent, (intent) => {
        const json = intentToJson(intent)
        expect(throughText(json)).toStrictEqual(json)
      }),
    )
  })

  const bendings: readonly [name: string, bend: (json: IntentJson) => unknown, place: string][] = [
    ['an amount as a number', (json) => ({ ...json, received: 5 }), 'intent.received'],
    ['an amount above 2^64 − 1', (json) => ({ ...json, received: '18446744073709551616' }), 'intent.received'],
    ['a negative amount', (json) => ({ ...json, received: '-1' }), 'intent.received'],
    ['a price of nothing', (json) => ({ ...json, priceUsdCents: '0' }), 'intent.priceUsdCents'],
    ['an unknown status', (json) => ({ ...json, status: 'lost' }), 'intent.status'],
    ['a date that is none', (json) => ({ ...json, expiresAt: 'soon' }), 'intent.expiresAt'],
    ['an address that is none', (json) => ({ ...json, address: '0x00' }), 'intent.address'],
    ['a missing version', ({ version: _, ...json }) => json, 'intent.version'],
    ['details that are a list', (json) => ({ ...json, customerDetails: [] }), 'intent.customerDetails'],
    [
      'a broken leg',
      (json) => ({ ...json, tokenRefunds: [{ mint: 'm', status: 'x' }] }),
      'intent.tokenRefunds[0].status',
    ],
  ]

  test.each(bendings)('%s is refused, and the refusal names the place', (_, bend, place) => {
    const [intent] = fc.sample(anyIntent, { numRuns: 1, seed: 1 })
    if (intent === undefined) throw new Error('fast-check gave no sample')
    const bent = throughText(bend(intentToJson(intent)))
    expect(() => intentFromJson(bent)).toThrow(RangeError)
    expect(() => intentFromJson(bent)).toThrow(` ${place} `)
  })

  test.each([[null], [[]], ['{}'], [1], [undefined]])('%j is no intent', (json) => {
    expect(() => intentFromJson(json)).toThrow(RangeError)
  })
})
