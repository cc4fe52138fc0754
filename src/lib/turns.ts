// Runs work on one thing one after the other, within this process: the second caller finds the result of the first.

export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    // The caller of the turn before gets its result; here only its end counts.
    const before = last.get(key)?.catch(() => {})
    const turn = before === undefined ? work() : before.then(work)
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}
