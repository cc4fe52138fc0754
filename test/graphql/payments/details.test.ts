// What a business says to a buyer: the limits of GraphQL are those of REST. docs/contract.md, "What the buyer reads".
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { orderDetailsOf } from '#graphql/payments/details.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService, withKey } from '../../support/services.ts'

const LINE = { name: 'A book', quantity: 1, amountUsdCents: 0 }

describe('the lines of an order', () => {
  test('are kept as they were sent', () => {
    const longest = { ...LINE, name: 'n'.repeat(200) }
    expect(orderDetailsOf({ lineItems: [LINE, longest] }).lineItems).toEqual([LINE, longest])
  })

  test.each([
    ['more than a hundred lines', 'line_items', Array.from({ length: 101 }, () => LINE)],
    ['a name of more than 200 characters', 'name', [LINE, { ...LINE, name: 'n'.repeat(201) }]],
    ['a quantity of 0', 'quantity', [{ ...LINE, quantity: 0 }]],
    ['an amount below 0', 'amount_usd_cents', [{ ...LINE, amountUsdCents: -1 }]],
  ])('are refused with %s', (_, field, lineItems) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', context: expect.objectContaining({ field }) })
    expect(() => orderDetailsOf({ lineItems })).toThrow(refusal)
  })
})

// One refused field does not remove the results of the other fields.
describe('refused fields', () => {
  let service: TestService
  beforeAll(async () => {
    const find = async (_caller: unknown, index: number) => {
      if (index !== 42) throw new ServiceError('intent_not_found')
      return pendingIntent
    }
    let created = 0
    service = await startTestService({
      services: {
        intents: {
          findByIndex: find,
          create: async () => {
            created += 1
            if (created > 1) throw new ServiceError('token_not_accepted_on_platform')
            return { intent: pendingIntent, clientSecret: CLIENT_SECRET, created: true }
          },
        },
      },
    })
  })
  afterAll(() => service.close())

  it('a lookup that finds nothing is null, with the error at its path', async () => {
    const query = '{ found: paymentIntent(index: 42) { status } missing: paymentIntent(index: 43) { status } }'
    const { body } = await service.graphql(query, {}, withKey())
    expect(body.data).toEqual({ found: { status: 'pending' }, missing: null })
    expect(body.errors).toMatchObject([{ path: ['missing'], extensions: { code: 'intent_not_found' } }])
  })

  it('a refused create keeps the client secret of the previous create', async () => {
    const create = 'createPaymentIntent(input: { amountUsdCents: 100, acceptedAssets: ["SOL"] }) { clientSecret }'
    const { body } = await service.graphql(`mutation { a: ${create} b: ${create} }`, {}, withKey())
    expect(body.data).toEqual({ a: { clientSecret: CLIENT_SECRET }, b: null })
    expect(body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'token_not_accepted_on_platform' } }])
  })
})
