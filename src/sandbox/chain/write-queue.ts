// The queue of all writes to the chain. They are executed in groups, and each group is stored on disk before any of its
// writers is answered. The effects of a group are read before the next one begins, so the stored state is never a mixture.

/** A change to the chain. `alone`: nothing else may execute at the same time. */
export type Write<Outcome> = { readonly execute: () => Promise<Outcome>; readonly alone?: boolean }
export type WriteQueue<Outcome> = {
  /** Resolves when the write is executed and kept. */
  submit(write: Write<Outcome>): Promise<Outcome>
  /** Resolves when everything executed until now is kept. */
  settled(): Promise<void>
}

type Waiting<Outcome> = Write<Outcome> & { readonly resolve: (outcome: Outcome) => void }

const GROUP = 16

/**
 * `execute` and `keep` must not fail: when one does, what was executed and what is kept are no longer the same, and
 * `onBroken` must end the process. The outcome of a refused change is a value.
 */
export function createWriteQueue<Outcome>(
  keep: (outcomes: readonly Outcome[]) => Promise<void>,
  onBroken: (error: unknown) => void,
): WriteQueue<Outcome> {
  const waiting: Waiting<Outcome>[] = []
  let isRunning = false
  let group: Promise<void> = Promise.resolve()

  const executeGroup = async (writes: readonly Waiting<Outcome>[]): Promise<void> => {
    const outcomes = await Promise.all(writes.map(({ execute }) => execute()))
    await keep(outcomes)
    for (const [index, outcome] of outcomes.entries()) writes[index]?.resolve(outcome)
  }
  const run = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0) {
      group = executeGroup(nextGroup(waiting))
      await group
    }
    isRunning = false
  }
  return {
    submit(write) {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      waiting.push({ ...write, resolve })
      if (!isRunning) run().catch(onBroken)
      return promise
    },
    settled: () => group,
  }
}

function nextGroup<Outcome>(waiting: Waiting<Outcome>[]): readonly Waiting<Outcome>[] {
  const alone = waiting.findIndex((write) => write.alone === true)
  if (alone === 0) return waiting.splice(0, 1)
  return waiting.splice(0, alone === -1 ? GROUP : Math.min(alone, GROUP))
}
