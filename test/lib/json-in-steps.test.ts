import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonInSteps } from '#lib/json-in-steps.ts'
import { nextTurn } from '#lib/steps.ts'

test('gives the text of JSON.stringify for every value of JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
      expect(await jsonInSteps(value)).toBe(JSON.stringify(value))
    }),
  )
})

test('lets other work run after every 32,768 characters, also within lists that are deep in the value', async () => {
  const entry = 'x'.repeat(998)
  const entries = Array.from({ length: 400 }, () => entry)
  let turns = 0
  let isOver = false
  const count = async (): Promise<void> => {
    for (; !isOver; turns += 1) await nextTurn()
  }
  const counted = count()
  const text = await jsonInSteps({ data: { first: { edges: entries }, second: null } })
  isOver = true
  await counted
  expect(text.length).toBeGreaterThan(400_000)
  // 33 entries fill a step.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(400 / 33))
})
