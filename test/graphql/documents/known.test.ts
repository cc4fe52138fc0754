import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { onlyDeclared } from '#graphql/documents/admission.ts'
import { createKnownDocuments } from '#graphql/documents/known.ts'
import { DOCUMENT_LIMITS } from '#graphql/documents/limits.ts'
import { schema } from '#graphql/schema.ts'

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
    expect(onlyDeclared({ query, operationName: 'A', variables: { a: null } }, document).variables).toEqual({ a: null })
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
