// Several worker processes over one list of jobs.
import { type ChildProcess, fork } from 'node:child_process'
import type { Job, Report } from './worker.ts'

export type Crew = {
  /** Runs the jobs when workers are free; `onReport` may call `stop`. Resolves when no job is under way. */
  run(jobs: Iterable<Job>, onReport: (report: Report) => void): Promise<void>
  /** Starts no further job. */
  stop(): void
  close(): void
}

/** A database in memory grows with every life, so a worker is replaced after this many lives. */
const MAX_JOBS = 40

export function gatherCrew(size: number): Crew {
  const hire = (): ChildProcess =>
    fork(new URL('./worker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
    })
  const workers = Array.from({ length: size }, hire)
  let stopped = false

  const report = (worker: ChildProcess, job: Job): Promise<Report> =>
    new Promise((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        worker.off('exit', onExit)
        resolve(message as Report)
      }
      const onExit = (): void => reject(new Error('a worker process ended unexpectedly'))
      worker.once('message', onMessage)
      worker.once('exit', onExit)
      worker.send(job)
    })

  const employ = async (place: number, jobs: Iterator<Job>, onReport: (report: Report) => void): Promise<void> => {
    for (let done = 0; !stopped; done += 1) {
      const job = jobs.next()
      if (job.done === true) return
      if (done > 0 && done % MAX_JOBS === 0) {
        workers[place]?.disconnect()
        workers[place] = hire()
      }
      const worker = workers[place]
      if (worker === undefined) throw new RangeError('the worker does not exist')
      onReport(await report(worker, job.value))
    }
  }

  return {
    async run(jobs, onReport) {
      stopped = false
      const list = jobs[Symbol.iterator]()
      await Promise.all(workers.map((_, place) => employ(place, list, onReport)))
    },
    stop() {
      stopped = true
    },
    close() {
      for (const worker of workers) if (worker.connected) worker.disconnect()
    },
  }
}
