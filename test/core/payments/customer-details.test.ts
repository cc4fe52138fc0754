import { describe, expect, test } from 'vitest'
import { acceptsDetails, applyCustomerPatch, judgeCustomerPatch } from '#core/payments/customer-details.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'

const stored = {
  first_name: 'Ada',
  email: 'ada@example.org',
  address: { line1: '1 Main St', city: 'London', country: 'GB' },
}

describe('a patch of customer details', () => {
  test('overwrites the given fields and keeps the rest', () => {
    expect(applyCustomerPatch(stored, { first_name: 'Grace', address: { city: 'Leeds' } })).toEqual({
      first_name: 'Grace',
      email: 'ada@example.org',
      address: { line1: '1 Main St', city: 'Leeds', country: 'GB' },
    })
    expect(applyCustomerPatch(stored, {})).toEqual(stored)
  })

  test('clears a field that is null: a field, a field of the address, the whole address', () => {
    expect(applyCustomerPatch(stored, { email: null })).toEqual({ first_name: 'Ada', address: stored.address })
    expect(applyCustomerPatch(stored, { address: { line1: null } })).toEqual({
      ...stored,
      address: { city: 'London', country: 'GB' },
    })
    expect(applyCustomerPatch(stored, { address: null })).toEqual({ first_name: 'Ada', email: 'ada@example.org' })
    expect(applyCustomerPatch(stored, { first_name: null, email: null, address: null })).toEqual({})
  })

  test('removes an empty address, and starts from no details', () => {
    const onlyCity = { address: { city: 'London' } }
    expect(applyCustomerPatch(onlyCity, { address: { city: null } })).toEqual({})
    expect(applyCustomerPatch(null, { last_name: 'Hopper' })).toEqual({ last_name: 'Hopper' })
    expect(applyCustomerPatch(null, { last_name: null })).toEqual({})
  })

  test('does not change the stored details in place', () => {
    const before = structuredClone(stored)
    applyCustomerPatch(stored, { first_name: null, address: { city: null } })
    expect(stored).toEqual(before)
  })
})

describe('judging a patch', () => {
  test.each(['a@b.co', 'first.last+tag@sub.example.org', 'ünïcode@exämple.org', `${'a'.repeat(240)}@example.org`])(
    '%s is an e-mail address',
    (email) => expect(judgeCustomerPatch({ email })).toBeNull(),
  )
  test.each([
    '',
    'nobody',
    'a@b',
    '@b.co',
    'a@',
    'a b@c.de',
    'a@b..co',
    'a@b.co\n',
    '<a@b.co>',
    'a@b.co, c@d.ef',
    `${'a'.repeat(250)}@b.co`,
    'a@b@c.de',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.de',
    'a@-b.co',
    'a@b-.co',
    'a@b.co.',
    'a@127.0.0.1',
    `a@${'b'.repeat(64)}.co`,
    'a\u202e@b.co',
    'a\u200b@b.co',
    'a@b\u2066.co',
    'a\u0007@b.co',
    '\ufeffa@b.co',
    'a\u200db@c.de',
  ])('%j is none', (email) => expect(judgeCustomerPatch({ email })).toBe('invalid_email'))

  test('a country is two capital letters that ISO 3166-1 knows', () => {
    for (const country of ['GB', 'DE', 'US']) expect(judgeCustomerPatch({ address: { country } })).toBeNull()
    for (const country of ['', 'gb', 'UK', 'XX', 'GBR', 'United Kingdom']) {
      expect(judgeCustomerPatch({ address: { country } })).toBe('invalid_country')
    }
  })

  test('clearing is always valid', () => {
    expect(judgeCustomerPatch({ email: null, address: { country: null } })).toBeNull()
    expect(judgeCustomerPatch({ address: null })).toBeNull()
  })
})

test('details are accepted until the payment has ended', () => {
  expect(INTENT_STATUSES.filter((status) => !acceptsDetails(status))).toEqual([
    'swept',
    'refunded',
    'cancelled',
    'refund_failed',
  ])
})
