// Runs work a few at a time. Further work waits for its turn.

export type Slots = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Returns a function that runs at most `most` pieces of work at once, in the order in which they come. */
export function createSlots(most: number): Slots {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      // The slot goes to the next one, so `running` stays the same.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
