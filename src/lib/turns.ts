// Work on one thing by one at a time, within this process: whoever comes second finds what the first has done.

export type Turns = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    // How the turn before ended is told to whoever took it.
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
