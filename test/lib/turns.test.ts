import { expect, test } from 'vitest'
import { createTurns } from '#lib/turns.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('work on one thing runs one after the other, in the order of the calls, and other work runs in parallel', async () => {
  const turns = createTurns()
  const log: string[] = []
  const ends: Record<string, () => void> = {}
  const work = (name: string) => async () => {
    log.push(name)
    await new Promise<void>((resolve) => {
      ends[name] = resolve
    })
    return name
  }
  const results = [turns('a', work('a1')), turns('a', work('a2')), turns('a', work('a3')), turns('b', work('b1'))]
  await settled()
  expect(log).toEqual(['a1', 'b1'])
  for (const name of ['a1', 'a2', 'a3', 'b1']) {
    ends[name]?.()
    await settled()
  }
  expect(log).toEqual(['a1', 'b1', 'a2', 'a3'])
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1'])
})

test('a turn that fails rejects its own call, and the next one runs all the same', async () => {
  const turns = createTurns()
  const first = turns('a', async () => {
    throw new Error('away')
  })
  const second = turns('a', async () => 2)
  await expect(first).rejects.toThrow('away')
  expect(await second).toBe(2)
  expect(await turns('a', async () => 3)).toBe(3)
})
