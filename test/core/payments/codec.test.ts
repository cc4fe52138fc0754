import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IntentJson, intentFromJson, intentToJson } from '#core/payments/payment-intent.ts'
import { anyIntent } from '../../support/arbitrary-intent.ts'

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
