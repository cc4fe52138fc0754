import cron from 'node-cron'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { type BillingWork, billingJobs } from '#workers/billing-jobs.ts'
import { type NetworkWork, networkJobs } from '#workers/jobs.ts'
import type { Leader } from '#workers/leader.ts'
import { SCHEDULE, type ScheduledJob, startSchedule } from '#workers/schedule.ts'
import { only } from '../support/only.ts'
import { until } from '../support/until.ts'

// The work of each job in one round, and on which instance it runs.
describe('jobs', () => {
  let leads: boolean
  let took: boolean
  let loaded: boolean
  let done: string[]
  let claimed: number[]
  let dueInMs: number | null
  let sleeps: { readonly ms: number; readonly end: () => void }[]
  let errors: unknown[]
  let jobs: ReturnType<typeof networkJobs>

  const note =
    <T>(what: string, answer: T) =>
    async () => {
      done.push(what)
      return answer
    }

  beforeEach(() => {
    leads = true
    took = false
    loaded = false
    done = []
    claimed = []
    dueInMs = null
    sleeps = []
    errors = []
    const watcher: Partial<Watcher> = {
      async reload() {
        done.push('reload')
        loaded = true
      },
      catchUp: note('catch up', undefined),
      runOnce: note('watch', { read: 0, observed: 0 }),
      readBacklog: note('read the backlog', { read: 0, observed: 0 }),
      forget() {
        done.push('forget')
        loaded = false
      },
    }
    Object.defineProperty(watcher, 'loaded', { get: () => loaded })
    const work: NetworkWork = {
      network: 'live',
      leader: only<Leader>('leader', { lead: async () => ({ leads, took }) }),
      watcher: only<Watcher>('watcher', watcher),
      expire: note('expire', { expired: 0 }),
      reconcile: note('reconcile', { checked: 0 }),
      lookDue: note('look at refunds', undefined),
      async advance() {
        done.push('advance')
        const number = claimed.shift() ?? 0
        return { claimed: number, again: number >= 256, dueInMs }
      },
      sleep: (ms) => new Promise((end) => sleeps.push({ ms, end })),
    }
    jobs = networkJobs(work, (error) => errors.push(error))
  })

  /** Wakes a job and waits until its round has ended. */
  async function run(job: ScheduledJob): Promise<readonly string[]> {
    done = []
    job.wake()
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(errors).toEqual([])
    return done
  }

  describe('detection', () => {
    test('loads the intents once, and then watches them', async () => {
      expect(await run(jobs.detect)).toEqual(['reload', 'watch'])
      expect(await run(jobs.detect)).toEqual(['watch'])
    })

    test('loads the intents again when the instance has just become the leader', async () => {
      loaded = true
      took = true
      expect(await run(jobs.detect)).toEqual(['reload', 'watch'])
    })

    test('forgets once when another instance leads, and begins again when it leads again', async () => {
      await run(jobs.detect)
      leads = false
      expect(await run(jobs.detect)).toEqual(['forget'])
      expect(await run(jobs.detect)).toEqual([])
      leads = true
      expect(await run(jobs.detect)).toEqual(['reload', 'watch'])
    })

    test('catches up with lost notices only when the intents are loaded', async () => {
      expect(await run(jobs.reload)).toEqual([])
      loaded = true
      expect(await run(jobs.reload)).toEqual(['catch up'])
    })
  })

  describe('the jobs of the leader', () => {
    test.each(['reload', 'backlog', 'expire', 'reconcile'] as const)('%s is done by it', async (name) => {
      loaded = true
      expect(await run(jobs[name])).not.toEqual([])
    })

    test.each(['reload', 'backlog', 'expire', 'reconcile', 'detect'] as const)(
      '%s is done by no other',
      async (name) => {
        leads = false
        expect(await run(jobs[name])).toEqual([])
      },
    )

    test('the backlog is read only by an instance that has loaded the intents', async () => {
      expect(await run(jobs.backlog)).toEqual([])
      loaded = true
      expect(await run(jobs.backlog)).toEqual(['read the backlog'])
    })
  })

  describe('transfers', () => {
    test('are advanced by every instance', async () => {
      leads = false
      expect(await run(jobs.transfer)).toEqual(['advance'])
    })

    test('are advanced again at once after a full round', async () => {
      claimed = [256, 256, 255]
      jobs.transfer.wake()
      await until(() => claimed.length === 0)
      await new Promise(setImmediate)
      expect(done).toEqual(['advance', 'advance', 'advance'])
    })

    test('that wait for the chain are advanced again when they are due, by one wake for all rounds', async () => {
      dueInMs = 400
      await Promise.all([run(jobs.transfer), run(jobs.transfer)])
      expect(sleeps.map(({ ms }) => ms)).toEqual([400])
      const before = done.length
      dueInMs = null
      sleeps[0]?.end()
      await until(() => done.length > before)
      expect(done.at(-1)).toBe('advance')
      expect(sleeps).toHaveLength(1)
    })
  })

  test('jobs are known by their kind and their network', () => {
    expect(Object.entries(jobs).map(([key, { kind, name }]) => [key, kind, name])).toEqual(
      ['detect', 'scan', 'backlog', 'reload', 'expire', 'reconcile', 'refunds', 'transfer'].map((kind) => [
        kind,
        kind,
        `${kind}:live`,
      ]),
    )
  })
})

// The jobs of recurring billing: on which instance each runs, and what rests while billing is disabled.
describe('billing jobs', () => {
  let leads: boolean
  let done: string[]
  let more: number[]
  let errors: unknown[]

  beforeEach(() => {
    leads = true
    done = []
    more = []
    errors = []
  })

  const noteAndRest = (what: string) => async () => {
    done.push(what)
  }

  function build(patch: Partial<BillingWork> = {}) {
    return billingJobs(
      {
        network: 'live',
        leader: only<Leader>('leader', { lead: async () => ({ leads, took: false }) }),
        watchApprovals: noteAndRest('approve'),
        charging: {
          async runDue() {
            done.push('due')
            return { again: (more.shift() ?? 0) > 0 }
          },
          refill: noteAndRest('refill'),
          checkDelegations: noteAndRest('delegations'),
        },
        ...patch,
      },
      (error) => errors.push(error),
    )
  }

  /** Wakes every job and waits until the rounds have ended. */
  async function runAll(jobs: ReturnType<typeof build>): Promise<readonly string[]> {
    done = []
    for (const job of jobs) job.wake()
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate)
    expect(errors).toEqual([])
    return done.toSorted()
  }

  test('only the leader charges', async () => {
    const work = build()
    expect(await runAll(work)).toEqual(['approve', 'delegations', 'due', 'refill'])
    leads = false
    expect(await runAll(work)).toEqual([])
  })

  test('while billing is disabled nothing is planned, and approves that may land are still watched', async () => {
    expect(await runAll(build({ charging: null }))).toEqual(['approve'])
  })

  test('a round of due subscriptions is followed by another one while more are due', async () => {
    const jobs = build()
    more = [1, 1]
    jobs.find(({ kind }) => kind === 'due')?.wake()
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate)
    expect(done).toEqual(['due', 'due', 'due'])
  })
})

describe('the schedule', () => {
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
})
