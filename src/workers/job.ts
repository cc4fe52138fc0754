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

export const createJob = (options: JobOptions): Job => jobOf(options.name, new Rounds(options))

const jobOf = (name: string, rounds: Pick<Job, 'wake' | 'stop'>): Job => ({
  name,
  wake: () => rounds.wake(),
  stop: () => rounds.stop(),
})

class Rounds {
  readonly #options: JobOptions
  readonly #running = new Set<Promise<void>>()
  #active = 0
  #isWanted = false
  #isStopped = false

  constructor(options: JobOptions) {
    this.#options = options
  }

  wake(): void {
    this.#isWanted = true
    if (!this.#isStopped && this.#active < (this.#options.atOnce ?? 1)) this.#start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running)
  }

  #start(): void {
    const run = this.#run().finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async #run(): Promise<void> {
    this.#active += 1
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      await this.#round()
    }
    // Set here and not when the promise resolves: a wake in between would be lost.
    this.#active -= 1
  }

  async #round(): Promise<void> {
    try {
      const { again } = await this.#options.runOnce()
      this.#isWanted ||= again
    } catch (error) {
      // No immediate repeat: an outage lasts for a moment, and the next wake comes within a second.
      this.#options.onError(error, this.#options.name)
    }
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
export const createOverlappingJob = (options: OverlappingJobOptions): Job =>
  jobOf(options.name, new OverlappingRounds(options))

class OverlappingRounds {
  readonly #options: OverlappingJobOptions
  readonly #running = new Set<Promise<void>>()
  /** The round that waits for its turn. */
  #waiting: object | null = null
  #isStopped = false

  constructor(options: OverlappingJobOptions) {
    this.#options = options
  }

  wake(): void {
    if (this.#isStopped || this.#waiting !== null) return
    const round = {}
    this.#waiting = round
    const run = this.#round(() => {
      if (this.#waiting === round) this.#waiting = null
    }).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running)
  }

  async #round(onTurn: () => void): Promise<void> {
    try {
      const { again } = await this.#options.runOnce(onTurn).finally(onTurn)
      if (again) this.wake()
    } catch (error) {
      this.#options.onError(error, this.#options.name)
    }
  }
}

/** Returns a function that runs `work` once for all calls within `withinMs`. */
export function coalesced(work: () => void, withinMs: number): () => void {
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
