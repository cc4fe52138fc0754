// The cost of an operation: a lookup is one point, and a page costs the sum of its entries.
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { costOf } from '#graphql/documents/cost.ts'
import { HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { schema } from '#graphql/schema.ts'
import { EVERY_CHECKOUT_FIELD, EVERY_FIELD } from '../../support/wire.ts'

function pointsOf(source: string, variables: Record<string, unknown> = {}): number {
  const { definitions } = parse(source)
  const isOperation = (node: { kind: Kind }): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION
  const isFragment = (node: { kind: Kind }): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION
  const [operation] = definitions.filter(isOperation)
  if (operation === undefined) throw new Error('no operation')
  const fragments = new Map(definitions.filter(isFragment).map((one) => [one.name.value, one]))
  return costOf(schema, operation, fragments)(variables)
}
const page = (size: string, fields = EVERY_FIELD, head = 'query') =>
  `${head} { paymentIntents${size} { edges { cursor node { ${fields} } } pageInfo { endCursor hasNextPage } } }`

describe('an operation', () => {
  it.each([
    ['{ config { cluster } }'],
    ['{ __typename }'],
    ['{ paymentIntent(index: 1) { status } }'],
    [`{ checkout(clientSecret: "cs") { ${EVERY_CHECKOUT_FIELD} } }`],
    [`{ paymentIntent(index: 1) { ${EVERY_FIELD} } }`],
    [page('', 'uuid status receivedAmount')],
  ])('of ordinary size costs one point: %s', (source) => {
    expect(pointsOf(source)).toBe(1)
  })

  it('that reads a page of 100 whole payments costs about the limit of a live key for a second', () => {
    const points = pointsOf(page('(first: 100)'))
    expect(points).toBeGreaterThan(70)
    expect(points).toBeLessThanOrEqual(100)
  })

  it('costs in proportion to its page', () => {
    expect(pointsOf(page('(first: 50)')) / pointsOf(page('(first: 100)'))).toBeCloseTo(0.5, 1)
    expect(pointsOf(page(''))).toBe(pointsOf(page('(first: 20)')))
    expect(pointsOf(page('(last: 100, before: "x")'))).toBe(pointsOf(page('(first: 100)')))
  })

  it('costs the same when a variable gives the page size, or its default does', () => {
    const head = 'query Q($size: Int = 100)'
    const source = page('(first: $size)', EVERY_FIELD, head)
    expect(pointsOf(source)).toBe(pointsOf(page('(first: 100)')))
    expect(pointsOf(source, { size: 10 })).toBe(pointsOf(page('(first: 10)')))
    expect(pointsOf(page('(first: $size)', EVERY_FIELD, 'query Q($size: Int)'))).toBe(pointsOf(page('')))
  })

  it.each([[{ size: -5 }], [{ size: 1e9 }], [{ size: '1' }], [{ size: Number.NaN }]])(
    'with the page size %o costs as much as the largest page',
    (variables) => {
      const source = page('(first: $size)', EVERY_FIELD, 'query Q($size: Int)')
      expect(pointsOf(source, variables)).toBeGreaterThan(pointsOf(page('(first: 100)')))
    },
  )

  it.each(['latePaymentHistory', 'tokenRefundHistory', 'heldHistory'])(
    'with %s is heavy, however small its page is, and costs a point for each payment',
    (list) => {
      const history = `${list}(first: 1) { edges { node { amount } } }`
      expect(pointsOf(`{ paymentIntent(index: 1) { ${history} } }`)).toBeGreaterThanOrEqual(
        HEAVY_WORK_LIMITS.fromPoints,
      )
      const costOfPage = pointsOf(page('(first: 50)', `status ${history}`))
      expect(costOfPage - pointsOf(page('(first: 50)', 'status'))).toBeGreaterThanOrEqual(50)
    },
  )

  it('costs the same with fragments as without them', () => {
    const spread = `query { paymentIntents(first: 100) { ...Page } } fragment Page on PaymentIntentConnection {
      edges { cursor node { ... on PaymentIntent { ${EVERY_FIELD} } } } pageInfo { endCursor hasNextPage } }`
    expect(pointsOf(spread)).toBe(pointsOf(page('(first: 100)')))
  })

  it('costs as much for each alias', () => {
    const aliases = `{ a: paymentIntents(first: 100) { edges { node { status } } } b: paymentIntents(first: 100) { edges { node { status } } } }`
    expect(pointsOf(aliases)).toBeGreaterThan(pointsOf('{ paymentIntents(first: 100) { edges { node { status } } } }'))
  })
})
