import { parse } from 'graphql'
import { expect, it } from 'vitest'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { schema } from '#graphql/schema.ts'
import { ROUTES } from '#rest/routes.ts'

/** Compiling asks nothing of the edge. */
const edge = new Proxy({} as Edge, {
  get() {
    throw new Error('not expected here')
  },
})

it('a document that does not fit the schema stops the start', () => {
  const executor = createExecutor(schema, edge)
  expect(() => executor.compile(parse('{ nothing }'))).toThrow('does not fit the schema')
  expect(() => executor.compile(parse('query Q($a: Text!) { checkout(clientSecret: $a) { status } }'))).toThrow(
    'does not fit the schema',
  )
})

it('every document of the REST edge fits', () => {
  const executor = createExecutor(schema, edge)
  for (const route of ROUTES) expect(route.prepare(executor)).toBeTypeOf('function')
})
