// The schema of a reply is what `reply` makes of the stand-in for a result.
import { buildSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { Reply } from '#http/endpoint.ts'
import { repliesOf } from '../../scripts/openapi/reply.ts'
import { Components } from '../../scripts/openapi/schema.ts'

const graphql = buildSchema(`
  scalar BaseUnits
  enum Outcome { "It is done." done "It waits." waits_long }
  type Payment { "The id." id: String! "What arrived." amount: BaseUnits! "A note." note: String notes: [String!]! }
  type Query { "Finds one." payment: Payment, done: Boolean, outcome: Outcome, held: Held }
  type Held { outcome: Outcome!, isNew: Boolean!, payment: Payment }
`)
const FIELDS = 'fragment PaymentBody on Payment { id amount note }'

function described(document: string, reply: (result: never) => Reply) {
  const components = new Components('schemas')
  const sources = { document: parse(`${document} ${FIELDS}`), input: { _zod: {} } as never, reply }
  const replies = repliesOf({ method: 'GET', path: '/x', sources }, graphql, components)
  return { replies, components: components.all() }
}
const PAYMENT = '{ payment { ...PaymentBody } }'
type Found = { readonly payment: { readonly note: string | null } }

describe('the schema of a reply', () => {
  test('has the names, types and descriptions of what the document asks for', () => {
    const { replies, components } = described(PAYMENT, ({ payment }: Found) => ({ body: payment }))
    expect(replies).toMatchObject([{ status: 200, body: { $ref: '#/components/schemas/Payment' } }])
    expect(components.Payment).toEqual({
      type: 'object',
      properties: {
        id: { description: 'The id.', type: 'string' },
        amount: { description: 'What arrived.', type: 'integer', format: 'uint64', minimum: 0 },
        note: { description: 'A note.', type: ['string', 'null'] },
      },
      required: ['id', 'amount', 'note'],
    })
  })

  test('lets a field be left out that `reply` leaves out when it is null', () => {
    const reply = ({ payment: { note, ...rest } }: Found) => ({ body: { ...rest, ...(note !== null && { note }) } })
    const { Payment } = described(PAYMENT, reply).components
    expect(Payment).toMatchObject({ properties: { note: { type: 'string' } }, required: ['id', 'amount'] })
  })

  test('adds what `reply` adds to the fields of a fragment', () => {
    const { replies } = described(PAYMENT, ({ payment }: Found) => ({ status: 201, body: { ...payment, kind: 'new' } }))
    const more = { type: 'object', properties: { kind: { type: 'string', const: 'new' } }, required: ['kind'] }
    const body = { allOf: [{ $ref: '#/components/schemas/Payment' }, more] }
    expect(replies).toMatchObject([{ status: 201, body }])
  })

  test('has one form for each value by which `reply` decides', () => {
    type Held = { readonly held: { readonly outcome: string; readonly payment: object } }
    const { replies } = described('{ held { outcome payment { ...PaymentBody } } }', ({ held }: Held) =>
      held.outcome === 'done' ? { body: held } : { status: 202, body: { outcome: held.outcome } },
    )
    expect(replies.map(({ status, body }) => [status, Object(body).properties.outcome])).toEqual([
      [200, { type: 'string', const: 'done' }],
      [202, { type: 'string', const: 'waits_long' }],
    ])
  })

  test('has the names of an enum as `reply` writes them', () => {
    const reply = ({ outcome }: { outcome: string }) => ({ body: { outcome: outcome.replaceAll('_', '-') } })
    expect(described('{ outcome }', reply).components.Outcome).toMatchObject({ enum: ['done', 'waits-long'] })
  })

  test('is refused where `reply` computes with a value', () => {
    const reply = ({ outcome }: { outcome: string }) => ({ body: { outcome: outcome.slice(1) } })
    expect(() => described('{ outcome }', reply)).toThrow('the reply of GET /x has no schema')
  })

  test('is refused where one name would stand for two forms', () => {
    const two = '{ payment { ...PaymentBody } held { payment { ...PaymentBody } } }'
    type Two = { readonly payment: { readonly note: string | null }; readonly held: { readonly payment: object } }
    const reply = ({ payment: { note, ...rest }, held }: Two) => ({
      body: { payment: { ...rest, ...(note !== null && { note }) }, held },
    })
    expect(() => described(two, reply)).toThrow('two schemas have the name Payment')
  })
})
