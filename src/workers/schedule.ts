// The schedule of all jobs. Cron only wakes them: the database decides which worker claims what.
import cron, { type ScheduledTask } from 'node-cron'
import type { Clock } from '#ports/clock.ts'
import type { Job } from './job.ts'

const EVERY_SECOND = '* * * * * *'
const EVERY_5_SECONDS = '*/5 * * * * *'
const EVERY_10_SECONDS = '*/10 * * * * *'
const EVERY_MINUTE = '0 * * * * *'
const EVERY_HOUR = '0 0 * * * *'

/** The cron expression of each job, by its name without the network. */
export const SCHEDULE = {
  detect: EVERY_SECOND,
  backlog: EVERY_SECOND,
  scan: EVERY_SECOND,
  transfer: EVERY_SECOND,
  deliver: EVERY_SECOND,
  approve: EVERY_5_SECONDS,
  due: EVERY_SECOND,
  delegations: EVERY_5_SECONDS,
  expire: EVERY_5_SECONDS,
  refunds: EVERY_SECOND,
  heartbeat: EVERY_5_SECONDS,
  stats: EVERY_5_SECONDS,
  search: EVERY_5_SECONDS,
  probe: EVERY_10_SECONDS,
  payouts: EVERY_10_SECONDS,
  reconcile: EVERY_5_SECONDS,
  reload: EVERY_MINUTE,
  refill: EVERY_MINUTE,
  upkeep: EVERY_MINUTE,
  prune: EVERY_HOUR,
} as const
export type JobName = keyof typeof SCHEDULE

export type ScheduledJob = Job & { readonly kind: JobName }

export type Schedule = {
  /** Wakes every scheduled job now: the clock was moved, and anything may be due. */
  wake(): void
  /** Ends the schedule, and resolves after the rounds that are running. */
  stop(): Promise<void>
}

/** A timer may fire a moment before the time that it waits for. */
const LATE_MS = 5

/** Starts the schedule: each job runs now, and then by its expression. `clock` is real time, as node-cron has it. */
export function startSchedule(jobs: readonly ScheduledJob[], clock: Clock): Schedule {
  const byExpression = Map.groupBy(jobs, ({ kind }) => SCHEDULE[kind])
  const wake = (): void => wakeAll(jobs)
  wake()
  const ends = [...byExpression].map(([expression, woken]) =>
    runAtTimesOf(
      cron.createTask(expression, () => wakeAll(woken)),
      clock,
    ),
  )
  return {
    wake,
    async stop() {
      for (const end of ends) end()
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}

function wakeAll(jobs: readonly Job[]): void {
  for (const job of jobs) job.wake()
}

/**
 * Runs a task at its times, until the returned function is called. node-cron's own timer is not started: it waits for the time
 * that it computed last, so that a clock that was set back by a day stops it for a day, and when the clock has been put forward,
 * such as after a machine slept, it goes through all the times in between first.
 */
function runAtTimesOf(task: ScheduledTask, clock: Clock): () => void {
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const now = clock.now()
    const [next = now] = task.getNextRuns(1)
    timer = setTimeout(run, Math.max(0, next.getTime() - now.getTime()) + LATE_MS)
  }
  const run = (): void => {
    void task.execute()
    wait()
  }
  wait()
  return () => {
    clearTimeout(timer)
    void task.destroy()
  }
}
