import { expect, it } from 'vitest'
import { createSlots } from '#lib/slots.ts'

it('runs as many pieces of work at once as there are slots, and the next one when one of them ends or fails', async () => {
  const inSlot = createSlots(2)
  const started: number[] = []
  const work = [0, 1, 2, 3].map((number) => ({ number, ...Promise.withResolvers<number>() }))
  const results = work.map(({ number, promise }) =>
    inSlot(() => {
      started.push(number)
      return promise
    }),
  )
  const settled = Promise.allSettled(results)
  expect(started).toEqual([0, 1])
  work[1]?.reject(new Error('broken'))
  await expect(results[1]).rejects.toThrow('broken')
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2])
  for (const { number, resolve } of work) resolve(number)
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await inSlot(async () => 'free again')).toBe('free again')
})
