import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doneInSteps, nextTurn } from '#lib/steps.ts'

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
