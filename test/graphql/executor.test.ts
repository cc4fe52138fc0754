import { type DocumentNode, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import type { Edge } from '#graphql/context.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { inSteps } from '#graphql/page.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import * as ofPages from '#pay/documents.generated.ts'
import * as ofRest from '#rest/documents.generated.ts'

describe('executor', () => {
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
  const caller = { principal: { kind: 'anonymous' }, sent: null, address: '', requestId: 'r' } as const

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
})

describe('in steps', () => {
  it('keeps the order of the items', async () => {
    const items = Array.from({ length: 23 }, (_, at) => at)
    expect(await Promise.all(inSteps(items))).toEqual(items)
    expect(await Promise.all(inSteps([]))).toEqual([])
  })

  it('lets other work run after every two items', async () => {
    let turns = 0
    const other = setInterval(() => undefined)
    const count = (): unknown =>
      setImmediate(() => {
        turns += 1
        if (turns < 1_000) count()
      })
    count()
    const at = await Promise.all(inSteps(Array.from({ length: 100 })).map((item) => item.then(() => turns)))
    turns = 1_000
    clearInterval(other)
    for (const turn of new Set(at)) expect(at.filter((one) => one === turn).length).toBeLessThanOrEqual(2)
  })
})
