import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doneInSteps, jsonInSteps, nextTurn } from '#lib/steps.ts'

describe('work in steps', () => {
  test('is done in order and once, at most so much in a turn, also what other work adds', async () => {
    // What is given in each turn, and whether the work adds one more.
    const turns = fc.array(fc.array(fc.boolean(), { maxLength: 12 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 4 }), async (turns, size) => {
        const given: string[] = []
        const done: string[] = []
        const give = (name: string, adds: boolean): void => {
          given.push(name)
          work(name, adds)
        }
        const work = doneInSteps(size, (name: string, adds: boolean) => {
          done.push(name)
          if (adds) give(`added by ${name}`, false)
        })
        let before = 0
        const turnOver = async (): Promise<void> => {
          await nextTurn()
          expect(done.length - before).toBeLessThanOrEqual(size)
          before = done.length
        }
        for (const [turn, all] of turns.entries()) {
          for (const [at, adds] of all.entries()) give(`${turn}.${at}`, adds)
          await turnOver()
        }
        // Each of these turns does some of what waits.
        for (let left = given.length * 2; left > 0; left -= 1) await turnOver()
        expect(done).toEqual(given)
      }),
      { numRuns: 50 },
    )
  })
})

describe('json in steps', () => {
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
})
