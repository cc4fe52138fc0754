// The one table of what is done when. Cron only wakes: what is claimed, and by whom, is the database's business.
import cron from 'node-cron'
import type { Job } from './job.ts'

const EVERY_SECOND = '* * * * * *'
const EVERY_5_SECONDS = '*/5 * * * * *'
const EVERY_10_SECONDS = '*/10 * * * * *'
const EVERY_MINUTE = '0 * * * * *'
const EVERY_HOUR = '0 0 * * * *'

/** Job name, without its network, to cron expression. A job that is missing here is woken by news alone. */
export const SCHEDULE = {
  detect: EVERY_SECOND,
  backlog: EVERY_SECOND,
  scan: EVERY_SECOND,
  finalize: EVERY_SECOND,
  transfer: EVERY_SECOND,
  deliver: EVERY_SECOND,
  expire: EVERY_5_SECONDS,
  heartbeat: EVERY_5_SECONDS,
  settle: EVERY_10_SECONDS,
  probe: EVERY_10_SECONDS,
  reconcile: EVERY_5_SECONDS,
  reload: EVERY_MINUTE,
  prune: EVERY_HOUR,
} as const
export type JobName = keyof typeof SCHEDULE

export type ScheduledJob = Job & { readonly kind: JobName }

/** Starts waking the jobs; the answer stops that, and ends after the runs that are under way. */
export function startSchedule(jobs: readonly ScheduledJob[]): { stop(): Promise<void> } {
  // A wake that was missed on a busy machine is made up for by the next one, and is nothing to tell.
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
