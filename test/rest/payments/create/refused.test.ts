import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { MINT } from '../../../support/example-intent.ts'
import { startTestService, type TestService, withKey } from '../../../support/services.ts'

let refusal: ErrorCode | ServiceError | null = null
/** The sellers that the service was asked for. */
const asked: (string | null)[] = []
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        create: async (_caller, { onBehalfOf }) => {
          asked.push(onBehalfOf)
          throw refusal === null
            ? new Error('not expected here: a bad body reached the service')
            : typeof refusal === 'string'
              ? new ServiceError(refusal)
              : refusal
        },
      },
    },
  })
})
afterAll(() => service.close())

const minimal = { amount_usd_cents: 2500, accepted_tokens: [{ kind: 'sol' }] }

/** A body as text, because JSON.stringify would correct some of these. */
const MALFORMED: readonly [what: string, body: string, names: string][] = [
  ['no body', '', 'the body'],
  ['no JSON', '{"amount_usd_cents": 1,', 'JSON'],
  ['a list', '[]', 'the body'],
  ['a string', '"x"', 'the body'],
  ['null', 'null', 'the body'],
]

const AMOUNTS = ['0', '-1', '2500.5', '"2500"', 'null', 'true', '[1]', '9007199254740992', '9007199254740993', '1e16']
/** A double would read each as a whole number. */
const ROUNDED = [
  '9007199254740993',
  '4.99999999999999999999',
  '2500.00000000000000000001',
  '1e400',
  '123456789012345678901',
]

const LINE = { name: 'A book', quantity: 1, amount_usd_cents: 1_200 }
const FIELDS: readonly [names: string, body: object][] = [
  ['amount_usd_cents', { accepted_tokens: minimal.accepted_tokens }],
  ['accepted_tokens', { ...minimal, accepted_tokens: [] }],
  ['accepted_tokens', { ...minimal, accepted_tokens: { kind: 'sol' } }],
  ['accepted_tokens[0]', { ...minimal, accepted_tokens: ['sol'] }],
  ['accepted_tokens[1].kind', { ...minimal, accepted_tokens: [{ kind: 'sol' }, { kind: 'eth' }] }],
  ['accepted_tokens[0].mint', { ...minimal, accepted_tokens: [{ kind: 'spl' }] }],
  ['accepted_tokens[0].mint', { ...minimal, accepted_tokens: [{ kind: 'spl', mint: 'not a mint' }] }],
  // 44 characters of base58, but 33 bytes.
  ['accepted_tokens[0].mint', { ...minimal, accepted_tokens: [{ kind: 'spl', mint: 'z'.repeat(44) }] }],
  ['reference', { ...minimal, reference: 7 }],
  ['reference', { ...minimal, reference: '' }],
  ['reference', { ...minimal, reference: ' \u200b' }],
  ['reference', { ...minimal, reference: 'a'.repeat(501) }],
  ['reference', { ...minimal, reference: '💸'.repeat(501) }],
  ['reference', { ...minimal, reference: 'a\0b' }],
  ['reference', { ...minimal, reference: 'a\ud800b' }],
  ['customer', { ...minimal, customer: 'Ada' }],
  ['customer.email', { ...minimal, customer: { email: 7 } }],
  ['customer.address', { ...minimal, customer: { address: 'London' } }],
  ['customer.address.country', { ...minimal, customer: { address: { country: 44 } } }],
  ['application_fee_bps', { ...minimal, application_fee_bps: -1 }],
  ['application_fee_bps', { ...minimal, application_fee_bps: 1.5 }],
  ['application_fee_bps', { ...minimal, application_fee_bps: '250' }],
  ['application_fee_bps', { ...minimal, application_fee_bps: 10_001 }],
  ['description', { ...minimal, description: 7 }],
  ['description', { ...minimal, description: 'a'.repeat(501) }],
  ['metadata', { ...minimal, metadata: ['a'] }],
  ['line_items', { ...minimal, line_items: {} }],
  ['line_items', { ...minimal, line_items: Array.from({ length: 101 }, () => LINE) }],
  ['line_items[0].name', { ...minimal, line_items: [{ ...LINE, name: ' ' }] }],
  ['line_items[0].name', { ...minimal, line_items: [{ ...LINE, name: 'a\nb' }] }],
  ['line_items[0].name', { ...minimal, line_items: [{ ...LINE, name: 'n'.repeat(201) }] }],
  ['line_items[1].quantity', { ...minimal, line_items: [LINE, { ...LINE, quantity: 0 }] }],
  ['line_items[0].quantity', { ...minimal, line_items: [{ ...LINE, quantity: 1.5 }] }],
  ['line_items[0].amount_usd_cents', { ...minimal, line_items: [{ ...LINE, amount_usd_cents: -1 }] }],
  ['line_items[0].amount_usd_cents', { ...minimal, line_items: [{ ...LINE, amount_usd_cents: 2 ** 31 }] }],
  ['success_url', { ...minimal, success_url: 7 }],
  ['expected_lamports', { ...minimal, expected_lamports: 5 }],
  ['expected_lamports', { ...minimal, expected_lamports: null }],
  ['mint', { ...minimal, mint: MINT }],
  ['mint', { ...minimal, mint: null }],
]

async function refused(body: object | string): Promise<string> {
  const answer = await service.post('/intents', body, withKey())
  expect(answer.status).toBe(400)
  expect(Object.keys(answer.body)).toEqual(['error'])
  return answer.body.error
}

describe('POST /intents answers 400', () => {
  it.each(MALFORMED)('to %s', async (_what, body, names) => {
    expect(await refused(body)).toContain(names)
  })

  it.each(AMOUNTS)('to amount_usd_cents %s', async (amount) => {
    const error = await refused(`{"amount_usd_cents":${amount},"accepted_tokens":[{"kind":"sol"}]}`)
    expect(error).toContain('amount_usd_cents')
  })

  it.each(ROUNDED)('to a number that reading would round, in every field: %s', async (number) => {
    for (const field of ['amount_usd_cents', 'application_fee_bps', 'reference', 'expected_lamports']) {
      const error = await refused(`{"amount_usd_cents":1,"accepted_tokens":[{"kind":"sol"}],"${field}":${number}}`)
      expect(error).toBe(`${field} is a number that cannot be read exactly`)
    }
  })

  it.each(FIELDS)('naming %s', async (names, body) => {
    expect((await refused(body)).startsWith(`${names} `)).toBe(true)
  })

  it('and names the USD price before other faults', async () => {
    expect(await refused({ expected_lamports: 5 })).toMatch(/USD pricing is required/)
  })

  it.each<ErrorCode>([
    'token_not_accepted_on_platform',
    'invalid_email',
    'invalid_country',
    'customer_email_required',
    'application_fee_without_seller',
    'application_fee_out_of_range',
    'invalid_accepted_tokens',
  ])('when the service refuses with %s', async (code) => {
    refusal = code
    expect(await refused(minimal)).toMatch(/\w/)
    refusal = null
  })
})

it('POST /intents names the smallest and the largest price where the requested price cannot be paid in any accepted token', async () => {
  refusal = new ServiceError('price_not_expressible', { smallest: '14', largest: '276701161105643' })
  expect(await refused(minimal)).toBe(
    'amount_usd_cents must be from 14 to 276701161105643: no other price can be paid in the accepted tokens right now',
  )
  refusal = new ServiceError('price_not_expressible')
  expect(await refused(minimal)).toBe('no price can be paid in the accepted tokens right now')
  refusal = null
})

it('POST /intents names the URL that leads to no redirect domain', async () => {
  refusal = new ServiceError('invalid_redirect_url', { field: 'cancel_url' })
  expect((await service.post('/intents', minimal, withKey())).body).toEqual({
    error: 'cancel_url must be https, and lead to an active redirect domain of the business',
    field: 'cancel_url',
  })
  refusal = null
})

it('a whole number may be written as a fraction or with an exponent, when the value is exact', async () => {
  refusal = 'invalid_email'
  for (const amount of ['2500.0', '25e2', '2.5E+3']) {
    const { body } = await service.post(
      '/intents',
      `{"amount_usd_cents":${amount},"accepted_tokens":[{"kind":"sol"}]}`,
      withKey(),
    )
    expect(body.error).toContain('email')
  }
  refusal = null
})

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

it('POST /intents on behalf of an account that is not a seller of the business answers 404 with the common message', async () => {
  refusal = 'seller_not_found'
  for (const seller of ['%%%', '%'.repeat(600)]) {
    const { status, body } = await service.post('/intents', minimal, {
      ...withKey(),
      'x-platform-on-behalf-of': seller,
    })
    expect([status, body, asked.at(-1)]).toEqual([404, { error: 'seller not found' }, seller])
  }
  refusal = null
})

it('POST /intents answers 409 to a business without a sweep destination', async () => {
  refusal = 'sweep_destination_missing'
  const { status, body } = await service.post('/intents', minimal, withKey())
  refusal = null
  expect([status, Object.keys(body)]).toEqual([409, ['error']])
})
