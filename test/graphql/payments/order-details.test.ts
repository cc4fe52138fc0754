// What a business says to a buyer: the limits of GraphQL are those of REST. docs/contract.md, "What the buyer reads".
import { describe, expect, test } from 'vitest'
import { orderDetailsOf } from '#graphql/payments/order-details.ts'

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
