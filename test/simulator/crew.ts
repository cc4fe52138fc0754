// Several worker processes over one list of jobs.
import { type ChildProcess, fork } from 'node:child_process'
import type { Job, Report } from './worker.ts'

export type Crew = {
  /** Runs the jobs as workers are free; `onReport` may call `stop`. Resolves when none is under way. */
  run(jobs: Iterable<Job>, onReport: (report: Report) => void): Promise<void>
  /** Takes no further job. */
  stop(): void
  close(): void
}

export function gatherCrew(size: number): Crew {
  const hire = (): ChildProcess =>
    fork(new URL('./worker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
    })
  const workers = Array.from({ length: size }, hire)
  let stopped = false

  const employ = (worker: ChildProcess, jobs: Iterator<Job>, onReport: (report: Report) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const next = (): void => {
        const job = stopped ? { done: true as const, value: undefined } : jobs.next()
        if (job.done === true) {
          worker.off('message', onMessage)
          worker.off('exit', onExit)
          resolve()
        } else worker.send(job.value)
      }
      const onMessage = (report: unknown): void => {
        onReport(report as Report)
        next()
      }
      const onExit = (): void => reject(new Error('a worker process ended by itself'))
      worker.on('message', onMessage)
      worker.once('exit', onExit)
      next()
    })

  return {
    async run(jobs, onReport) {
      stopped = false
      const list = jobs[Symbol.iterator]()
      await Promise.all(workers.map((worker) => employ(worker, list, onReport)))
    },
    stop() {
      stopped = true
    },
    close() {
      for (const worker of workers) if (worker.connected) worker.disconnect()
    },
  }
}
