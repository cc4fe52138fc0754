import { type DocumentNode, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import * as ofPages from '#pay/documents.generated.ts'
import * as ofRest from '#rest/documents.generated.ts'

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

/** The pages send their documents as text. */
const DOCUMENTS = Object.entries({ ...ofRest, ...ofPages }).flatMap(([name, made]) =>
  name.endsWith('Document') ? [[name, 'kind' in made ? made : parse(String(made))] as const] : [],
)

it.each(DOCUMENTS)('%s fits the schema', (_, document) => {
  expect(validate(schema, document as DocumentNode)).toEqual([])
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
