// The cost of an operation: a lookup is one point, and a page costs the sum of its entries.
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { onlyDeclared } from '#graphql/documents/admission.ts'
import { costOf } from '#graphql/documents/cost.ts'
import { createKnownDocuments } from '#graphql/documents/known.ts'
import { DOCUMENT_LIMITS } from '#graphql/documents/limits.ts'
import { HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { schema } from '#graphql/schema.ts'
import { EVERY_CHECKOUT_FIELD, EVERY_FIELD, RECEIPT } from '../support/wire.ts'

describe('an operation', () => {
  function pointsOf(source: string, variables: Record<string, unknown> = {}): number {
    const { definitions } = parse(source)
    const isOperation = (node: { kind: Kind }): node is OperationDefinitionNode =>
      node.kind === Kind.OPERATION_DEFINITION
    const isFragment = (node: { kind: Kind }): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION
    const [operation] = definitions.filter(isOperation)
    if (operation === undefined) throw new Error('no operation')
    const fragments = new Map(definitions.filter(isFragment).map((one) => [one.name.value, one]))
    return costOf(schema, operation, fragments)(variables)
  }
  const page = (size: string, fields = EVERY_FIELD, head = 'query') =>
    `${head} { paymentIntents${size} { edges { cursor node { ${fields} } } pageInfo { endCursor hasNextPage } } }`

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

  it('that reads a receipt costs another point', () => {
    expect(pointsOf(`{ paymentIntent(index: 1) { status ${RECEIPT} } }`)).toBe(2)
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

describe('documents', () => {
  describe('known', () => {
    const MB = 1024 * 1024
    const known = (introspection = true) =>
      createKnownDocuments({ schema, introspection, limits: DOCUMENT_LIMITS, memory: { valid: MB, refused: MB / 4 } })
    const mistakes = (source: string, introspection: boolean): string[] => {
      const judged = known(introspection).judge(source)
      return 'refused' in judged ? judged.refused.map(({ message }) => message) : []
    }

    it('a document is checked once, valid or not', () => {
      const documents = known()
      for (const source of ['{ config { cluster } }', '{ nothing }', '{']) {
        expect(documents.find(source)).toBeUndefined()
        const judged = documents.judge(source)
        expect(documents.find(source)).toBe(judged)
        expect(documents.judge(source)).toBe(judged)
      }
    })

    it('memory stays within its budget, whatever clients send', () => {
      const documents = known()
      for (let at = 0; at < 500; at++) {
        documents.judge(`query Q${at} { config { ${'cluster '.repeat(40)} } }`)
        documents.judge(`query Q${at} { config { ${'clustr '.repeat(40)} } }`)
      }
      const { valid, refused } = documents.memory()
      expect(valid).toBeLessThanOrEqual(MB)
      expect(valid).toBeGreaterThan(MB / 2)
      expect(refused).toBeLessThanOrEqual(MB / 4)
      expect(documents.find(`query Q0 { config { ${'cluster '.repeat(40)} } }`)).toBeUndefined()
      expect(documents.find(`query Q499 { config { ${'cluster '.repeat(40)} } }`)).toBeDefined()
    })

    it('refused documents take no place of valid documents', () => {
      const documents = known()
      documents.judge('{ config { cluster } }')
      for (let at = 0; at < 2_000; at++) documents.judge(`{ nothing${at} }`)
      expect(documents.find('{ config { cluster } }')).toBeDefined()
    })

    it.each([
      ['a field', '{ config { clustr } }', '"cluster"'],
      ['an argument', '{ paymentIntents(frst: 1) { edges { cursor } } }', '"first"'],
      ['a type', '{ node(id: "x") { ... on PaymentIntnt { status } } }', '"PaymentIntent"'],
      ['an enum value', '{ paymentIntents(filter: { status: [pad] }) { edges { cursor } } }', '"paid"'],
      ['an input field', '{ paymentIntents(filter: { reference_: "x" }) { edges { cursor } } }', '"reference"'],
    ])('suggests the name of %s only where introspection is enabled', (_what, source, name) => {
      expect(mistakes(source, true).join()).toContain(name)
      const hidden = mistakes(source, false).join()
      expect(hidden).not.toBe('')
      expect(hidden).not.toContain('Did you mean')
      expect(hidden).not.toContain(name)
    })

    it('the schema can be read only where introspection is enabled', () => {
      expect(mistakes('{ __schema { types { name } } }', true)).toEqual([])
      expect(mistakes('{ __schema { types { name } } }', false)).not.toEqual([])
    })
  })

  // The parts of a request that stay in memory while its stream is open.
  describe('only declared', () => {
    const query = 'query A($a: Int) { __typename } query B { __typename }'
    const document = parse(query)

    it('keeps only the variables that the operation declares', () => {
      const asked = { query, operationName: 'A', variables: { a: 1, b: [[]] }, extensions: { filler: 'x' } }
      expect(onlyDeclared(asked, document)).toEqual({ query, operationName: 'A', variables: { a: 1 } })
    })

    it('keeps null, which differs from a variable that is left out', () => {
      expect(onlyDeclared({ query, operationName: 'A', variables: { a: null } }, document).variables).toEqual({
        a: null,
      })
      expect(onlyDeclared({ query, operationName: 'A', variables: {} }, document).variables).toEqual({})
    })

    it('takes nothing from the prototype of the variables', () => {
      const odd = 'query A($constructor: Int, $__proto__: Int) { __typename }'
      const { variables } = onlyDeclared({ query: odd, variables: {} }, parse(odd))
      expect(Object.keys(variables)).toEqual([])
    })

    it('keeps no variables of an operation that declares none or does not exist', () => {
      for (const operationName of ['B', 'C', null, undefined]) {
        expect(onlyDeclared({ query, operationName, variables: { a: 1 } }, document).variables).toEqual({})
      }
    })
  })
})
