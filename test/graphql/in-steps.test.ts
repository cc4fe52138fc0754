import { expect, it } from 'vitest'
import { inSteps } from '#graphql/page.ts'

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
