import cron from 'node-cron'
import { expect, test } from 'vitest'
import { SCHEDULE, type ScheduledJob, startSchedule } from '#workers/schedule.ts'
import { until } from '../support/until.ts'

test.each(Object.entries(SCHEDULE))('%s has a cron expression: %s', (_, expression) => {
  expect(cron.validate(expression)).toBe(true)
})

test('the jobs that move money run every second', () => {
  for (const kind of ['detect', 'finalize', 'transfer'] as const) expect(SCHEDULE[kind]).toBe('* * * * * *')
})

test('jobs are woken at the start and by the clock, until they are stopped', async () => {
  let wakes = 0
  let stops = 0
  const job: ScheduledJob = {
    kind: 'transfer',
    name: 'transfer:live',
    wake() {
      wakes += 1
    },
    async stop() {
      stops += 1
    },
  }
  const schedule = startSchedule([job])
  expect(wakes).toBe(1)
  await until(() => wakes >= 2)
  await schedule.stop()
  expect(stops).toBe(1)
})
