// A long list, completed in steps: between two of them the process answers others.
import { nextTurn } from '#lib/steps.ts'

const STEP = 2

/** Returns each item as a promise, so many at a time. The executor completes what is below an item when it has it. */
export function inSteps<T>(items: readonly T[]): Promise<T>[] {
  let turn = Promise.resolve()
  return items.map(async (item, at) => {
    if (at > 0 && at % STEP === 0) turn = turn.then(nextTurn)
    await turn
    return item
  })
}
