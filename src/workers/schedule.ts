// The schedule of all jobs. Cron only wakes them: the database decides which worker claims what.
import cron from 'node-cron'
import type { Job } from './job.ts'

const EVERY_SECOND = '* * * * * *'
const EVERY_5_SECONDS = '*/5 * * * * *'
const EVERY_10_SECONDS = '*/10 * * * * *'
const EVERY_MINUTE = '0 * * * * *'
const EVERY_HOUR = '0 0 * * * *'

/** The cron expression of each job, by its name without the network. A job without one is woken by other work only. */
export const SCHEDULE = {
  detect: EVERY_SECOND,
  backlog: EVERY_SECOND,
  scan: EVERY_SECOND,
  finalize: EVERY_SECOND,
  transfer: EVERY_SECOND,
  deliver: EVERY_SECOND,
  approve: EVERY_5_SECONDS,
  due: EVERY_SECOND,
  delegations: EVERY_5_SECONDS,
  expire: EVERY_5_SECONDS,
  heartbeat: EVERY_5_SECONDS,
  stats: EVERY_5_SECONDS,
  settle: EVERY_10_SECONDS,
  probe: EVERY_10_SECONDS,
  reconcile: EVERY_5_SECONDS,
  reload: EVERY_MINUTE,
  refill: EVERY_MINUTE,
  upkeep: EVERY_MINUTE,
  prune: EVERY_HOUR,
  nonces: null,
} as const
export type JobName = keyof typeof SCHEDULE

export type ScheduledJob = Job & { readonly kind: JobName }

export type Schedule = {
  /** Wakes every scheduled job now: the clock was moved, and anything may be due. */
  wake(): void
  /** Ends the schedule, and resolves after the rounds that are running. */
  stop(): Promise<void>
}

/** Starts the schedule: each job runs now, and then by its expression. */
export function startSchedule(jobs: readonly ScheduledJob[]): Schedule {
  // A wake that a busy machine missed needs no log line: the next one makes up for it.
  const scheduled = jobs.flatMap((job) => {
    const expression = SCHEDULE[job.kind]
    return expression === null ? [] : [{ job, expression }]
  })
  const tasks = scheduled.map(({ job, expression }) =>
    cron.schedule(expression, () => job.wake(), { name: job.name, suppressMissedWarning: true }),
  )
  const wake = (): void => {
    for (const { job } of scheduled) job.wake()
  }
  wake()
  return {
    wake,
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()))
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
