// One kind of work that is woken by a clock or by news, and never runs twice at once on an instance.

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
}

export function createJob({ name, runOnce, onError }: JobOptions): Job {
  let running: Promise<void> | null = null
  let wanted = false
  let stopped = false

  const run = async (): Promise<void> => {
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
    running = null
  }

  return {
    name,
    wake() {
      wanted = true
      if (!stopped) running ??= run()
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

/** Work whose own limits let one round start while another still waits for somebody slow. */
export function createOverlappingJob({ name, runOnce, onError }: JobOptions): Job {
  const running = new Set<Promise<void>>()
  let stopped = false

  const start = (): void => {
    const run = runOnce()
      .then(({ again }) => {
        if (again && !stopped) start()
      })
      .catch((error: unknown) => onError(error, name))
      .finally(() => running.delete(run))
    running.add(run)
  }

  return {
    name,
    wake() {
      if (!stopped) start()
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** Wakes a job once for all the news of a moment: what each of them would ask is asked for all together. */
export function gathered(job: Pick<Job, 'wake'>, withinMs: number): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      job.wake()
    }, withinMs).unref()
  }
}
