import { parse } from 'graphql'
import { expect, it } from 'vitest'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import { ROUTES } from '#rest/routes.ts'

/** Compiling calls nothing of the edge. */
const edge = new Proxy({} as Edge, {
  get() {
    throw new Error('not expected here')
  },
})

const reported: unknown[] = []
const errors = createErrors(
  () => null,
  (error) => reported.push(error),
)
/** Its data lacks fields that the schema requires. */
const wrongEdge = {
  errors,
  limits: NO_LIMITS,
  heavyWork: createHeavyWork(HEAVY_WORK_LIMITS),
  services: { platform: { facts: () => ({}) } },
} as unknown as Edge
const caller = { principal: { kind: 'anonymous' }, authorization: null, address: '', requestId: 'r' } as const

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

it('a variable that does not fit is refused in plain words, without the value', async () => {
  const document = parse('query Q($of: Text!) { paymentIntentByReference(reference: $of) { id } }')
  const run = createExecutor(schema, wrongEdge).compile<unknown, { of: string }>(document)
  await expect(run({ of: 'a\0' }, caller)).rejects.toMatchObject({
    shown: { status: 400, code: 'invalid_request', message: 'the request is not valid' },
  })
})

it('a reply that does not fit the schema is an internal error', async () => {
  const run = createExecutor(schema, wrongEdge).compile<unknown, object>(parse('{ config { platformFeeBps } }'))
  await expect(run({}, caller)).rejects.toMatchObject({ shown: { status: 500, message: 'internal error' } })
  expect(reported).toHaveLength(1)
})
