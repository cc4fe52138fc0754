import cron from 'node-cron'
import { expect, test } from 'vitest'
import { SCHEDULE, type ScheduledJob, startSchedule } from '#workers/schedule.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000
const clock = { now: () => new Date() }

test.each(Object.entries(SCHEDULE))('%s has a cron expression: %s', (_, expression) => {
  expect(cron.validate(expression)).toBe(true)
})

test('a due charge is taken within a second: the job runs every second', () => {
  expect(SCHEDULE.due).toBe('* * * * * *')
})

test('the jobs that move money run every second', () => {
  for (const kind of ['detect', 'transfer'] as const) expect(SCHEDULE[kind]).toBe('* * * * * *')
})

test('jobs are woken at the start and by the clock, until they are stopped', async () => {
  const { job, wakes, stops } = counted('transfer')
  const schedule = startSchedule([job], clock)
  expect(wakes()).toBe(1)
  await until(() => wakes() >= 2)
  await schedule.stop()
  expect(stops()).toBe(1)
})

test.each([
  ['back by a day: the jobs do not wait for it', -DAY_MS],
  ['forward by a year: the times in between are not made up for', 365 * DAY_MS],
])('the clock of the machine is put %s', async (_, ms) => {
  const { job, wakes } = counted('transfer')
  const schedule = startSchedule([job], clock)
  await until(() => wakes() >= 2)
  const restore = moveTime(ms)
  try {
    const before = wakes()
    const movedAt = performance.now()
    await until(() => wakes() >= before + 3)
    expect(performance.now() - movedAt).toBeGreaterThan(1_000)
  } finally {
    restore()
    await schedule.stop()
  }
})

test('a move of the clock wakes every job', async () => {
  const refill = counted('refill')
  const schedule = startSchedule([refill.job], clock)
  const before = refill.wakes()
  schedule.wake()
  expect(refill.wakes()).toBeGreaterThan(before)
  await schedule.stop()
})

/** Moves the time of this process, for libraries as well. Returns what puts it back. */
function moveTime(ms: number): () => void {
  const RealDate = Date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given) => Reflect.construct(target, given.length === 0 ? [RealDate.now() + ms] : given),
    get: (target, key) => (key === 'now' ? () => RealDate.now() + ms : Reflect.get(target, key)),
  })
  return () => {
    globalThis.Date = RealDate
  }
}

function counted(kind: ScheduledJob['kind']) {
  let wakes = 0
  let stops = 0
  const job: ScheduledJob = {
    kind,
    name: `${kind}:live`,
    wake() {
      wakes += 1
    },
    async stop() {
      stops += 1
    },
  }
  return { job, wakes: () => wakes, stops: () => stops }
}
