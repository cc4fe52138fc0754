// The parts of a request that stay in memory while its stream is open.
import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { onlyDeclared } from '#graphql/documents/only-declared.ts'

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
