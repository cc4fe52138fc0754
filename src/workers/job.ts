// A job: bounded rounds of work, started by a clock or by a notice, with a limit of rounds that run at the same time.

export type Job = {
  readonly name: string
  /** Runs a round now, or after the running one. Never throws: a failure is reported, and the next wake tries again. */
  wake(): void
  /** Resolves after the round that is running. */
  stop(): Promise<void>
}

export type JobOptions = {
  readonly name: string
  /** Runs one bounded round. `again` asks for another one immediately, because more work is left. */
  readonly runOnce: () => Promise<{ again: boolean }>
  readonly onError: (error: unknown, job: string) => void
  /** How many rounds may run at the same time, each with work of its own. 1 by default. */
  readonly atOnce?: number
}

export function createJob({ name, runOnce, onError, atOnce = 1 }: JobOptions): Job {
  const running = new Set<Promise<void>>()
  let active = 0
  let wanted = false
  let stopped = false

  const run = async (): Promise<void> => {
    active += 1
    while (wanted && !stopped) {
      wanted = false
      try {
        const { again } = await runOnce()
        wanted ||= again
      } catch (error) {
        // No immediate repeat: an outage lasts for a moment, and the next wake comes within a second.
        onError(error, name)
      }
    }
    // Set here and not when the promise resolves: a wake in between would be lost.
    active -= 1
  }

  const start = (): void => {
    const one = run().finally(() => running.delete(one))
    running.add(one)
  }

  return {
    name,
    wake() {
      wanted = true
      if (!stopped && active < atOnce) start()
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

export type OverlappingJobOptions = Omit<JobOptions, 'runOnce' | 'atOnce'> & {
  /** Runs one round. Calls `onTurn` when it begins to take work: a wake before that needs no other round. */
  readonly runOnce: (onTurn: () => void) => Promise<{ again: boolean }>
}

/**
 * Creates a job whose rounds overlap: a round may start while another one still waits for a slow receiver. Wakes that
 * arrive while a round waits for its turn are served by this round.
 */
export function createOverlappingJob({ name, runOnce, onError }: OverlappingJobOptions): Job {
  const running = new Set<Promise<void>>()
  let waiting: object | null = null
  let stopped = false

  const wake = (): void => {
    if (stopped || waiting !== null) return
    const round = {}
    const onTurn = (): void => {
      if (waiting === round) waiting = null
    }
    waiting = round
    const run = runOnce(onTurn)
      .finally(onTurn)
      .then(({ again }) => {
        if (again) wake()
      })
      .catch((error: unknown) => onError(error, name))
      .finally(() => running.delete(run))
    running.add(run)
  }

  return {
    name,
    wake,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** Returns a function that runs `work` once for all calls within `withinMs`. */
export function gathered(work: () => void, withinMs: number): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, withinMs).unref()
  }
}
