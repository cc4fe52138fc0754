// One kind of work that is woken by a clock or by news, and never runs more often at once than it may on an instance.

export type Job = {
  readonly name: string
  /** Runs now, or once more after the run that is under way. Never throws: what fails is told and tried again. */
  wake(): void
  /** Ends after the run that is under way. */
  stop(): Promise<void>
}

export type JobOptions = {
  readonly name: string
  /** One bounded round; `again` asks for another at once, because there is more than one round's worth. */
  readonly runOnce: () => Promise<{ again: boolean }>
  readonly onError: (error: unknown, job: string) => void
  /** Rounds that may be under way together, where each takes its own work; one unless said otherwise. */
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
        // No immediate repeat: what is away stays away for a moment, and the next wake comes within a second.
        onError(error, name)
      }
    }
    // Here and not when the promise is settled: a wake in between would be nobody's.
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
  /** As of any job. Calls `onTurn` when it begins to take work: until then whatever comes is for this round. */
  readonly runOnce: (onTurn: () => void) => Promise<{ again: boolean }>
}

/**
 * Work whose own limits let one round start while another still waits for somebody slow. One that waits for its turn
 * takes what all news until then is about, however much of it comes.
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

/** Does once for all the news of a moment what each of them would ask for. */
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
