// The schedule of all jobs. Cron only wakes them: the database decides which worker claims what.
import cron from 'node-cron'
import type { Job } from './job.ts'

const EVERY_SECOND = '* * * * * *'
const EVERY_5_SECONDS = '*/5 * * * * *'
const EVERY_10_SECONDS = '*/10 * * * * *'
const EVERY_MINUTE = '0 * * * * *'
const EVERY_HOUR = '0 0 * * * *'

/** The cron expression of each job, by its name without the network. A job without one is woken by notices only. */
export const SCHEDULE = {
  detect: EVERY_SECOND,
  backlog: EVERY_SECOND,
  scan: EVERY_SECOND,
  finalize: EVERY_SECOND,
  transfer: EVERY_SECOND,
  deliver: EVERY_SECOND,
  approve: EVERY_5_SECONDS,
  expire: EVERY_5_SECONDS,
  heartbeat: EVERY_5_SECONDS,
  stats: EVERY_5_SECONDS,
  settle: EVERY_10_SECONDS,
  probe: EVERY_10_SECONDS,
  reconcile: EVERY_5_SECONDS,
  reload: EVERY_MINUTE,
  prune: EVERY_HOUR,
} as const
export type JobName = keyof typeof SCHEDULE

export type ScheduledJob = Job & { readonly kind: JobName }

/** Starts the schedule. `stop` ends it, and resolves after the rounds that are running. */
export function startSchedule(jobs: readonly ScheduledJob[]): { stop(): Promise<void> } {
  // A wake that a busy machine missed needs no log line: the next one makes up for it.
  const tasks = jobs.map((job) =>
    cron.schedule(SCHEDULE[job.kind], () => job.wake(), { name: job.name, suppressMissedWarning: true }),
  )
  for (const job of jobs) job.wake()
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()))
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
