import { describe, expect, test } from 'vitest'
import { coalesced, createJob, createOverlappingJob } from '#workers/job.ts'
import { until } from '../support/until.ts'

type Gate = { open(answer?: { again: boolean }): void; fail(error: Error): void }

/** Returns a job whose rounds each wait until the test ends them. */
function gated(create = createJob) {
  const rounds: Gate[] = []
  const errors: unknown[] = []
  let running = 0
  let most = 0
  const job = create({
    name: 'work',
    async runOnce() {
      running += 1
      most = Math.max(most, running)
      const { promise, resolve, reject } = Promise.withResolvers<{ again: boolean }>()
      rounds.push({ open: (answer = { again: false }) => resolve(answer), fail: reject })
      try {
        return await promise
      } finally {
        running -= 1
      }
    },
    onError: (error, name) => errors.push([error, name]),
  })
  return { job, rounds, errors, most: () => most }
}
const settle = () => new Promise(setImmediate)

describe('a job with several rounds at once', () => {
  test('runs as many as it may, and no more', async () => {
    const { job, rounds, most } = gated((options) => createJob({ ...options, atOnce: 2 }))
    job.wake()
    job.wake()
    job.wake()
    await until(() => rounds.length === 2)
    await settle()
    expect([rounds.length, most()]).toEqual([2, 2])
    rounds[0]?.open()
    await until(() => rounds.length === 3)
    for (const round of rounds) round.open()
    await settle()
    expect([rounds.length, most()]).toEqual([3, 2])
    await job.stop()
  })
})

describe('a job', () => {
  test('runs when it is woken, and then rests until it is woken again', async () => {
    const { job, rounds } = gated()
    job.wake()
    await until(() => rounds.length === 1)
    rounds[0]?.open()
    await settle()
    expect(rounds).toHaveLength(1)
    job.wake()
    await until(() => rounds.length === 2)
  })

  test('never runs twice at once: however often it is woken during a run, it runs once more', async () => {
    const { job, rounds, most } = gated()
    for (let times = 0; times < 5; times += 1) job.wake()
    await until(() => rounds.length === 1)
    for (let times = 0; times < 5; times += 1) job.wake()
    rounds[0]?.open()
    await until(() => rounds.length === 2)
    rounds[1]?.open()
    await settle()
    expect(rounds).toHaveLength(2)
    expect(most()).toBe(1)
  })

  test('goes on at once while there is more than a round’s worth', async () => {
    const { job, rounds } = gated()
    job.wake()
    await until(() => rounds.length === 1)
    rounds[0]?.open({ again: true })
    await until(() => rounds.length === 2)
    rounds[1]?.open()
    await settle()
    expect(rounds).toHaveLength(2)
  })

  test('that fails reports the error, and runs when it is woken next, not at once', async () => {
    const { job, rounds, errors } = gated()
    const failure = new Error('away')
    job.wake()
    await until(() => rounds.length === 1)
    rounds[0]?.fail(failure)
    await until(() => errors.length === 1)
    expect(errors).toEqual([[failure, 'work']])
    await settle()
    expect(rounds).toHaveLength(1)
    job.wake()
    await until(() => rounds.length === 2)
  })

  test('stops after the round that is under way, and never runs again', async () => {
    const { job, rounds } = gated()
    job.wake()
    await until(() => rounds.length === 1)
    job.wake()
    let stopped = false
    const stopping = job.stop().then(() => {
      stopped = true
    })
    await settle()
    expect(stopped).toBe(false)
    rounds[0]?.open({ again: true })
    await stopping
    job.wake()
    await settle()
    expect(rounds).toHaveLength(1)
  })

  test('that never ran stops at once', async () => {
    await gated().job.stop()
  })
})

describe('a job that may overlap itself', () => {
  /** Returns a job whose rounds wait for their turn until the test gives it. */
  function taking() {
    const turns: (() => void)[] = []
    const gate = gated((options) =>
      createOverlappingJob({
        ...options,
        runOnce(onTurn) {
          turns.push(onTurn)
          return options.runOnce()
        },
      }),
    )
    return { ...gate, turns }
  }

  test('starts a round while another works, and one round for every wake before its turn', () => {
    const { job, rounds, turns } = taking()
    for (let notice = 0; notice < 5; notice += 1) job.wake()
    expect(rounds).toHaveLength(1)
    turns[0]?.()
    for (let notice = 0; notice < 5; notice += 1) job.wake()
    expect(rounds).toHaveLength(2)
    // The first round continues to take work: the second round still waits for its turn.
    turns[0]?.()
    job.wake()
    expect(rounds).toHaveLength(2)
  })

  test('is not kept from starting by a round that failed before its turn', async () => {
    const { job, rounds, errors } = taking()
    job.wake()
    rounds[0]?.fail(new Error('away'))
    await until(() => errors.length === 1)
    job.wake()
    expect(rounds).toHaveLength(2)
  })

  test('goes on at once while there is more than a round’s worth', async () => {
    const { job, rounds } = taking()
    job.wake()
    rounds[0]?.open({ again: true })
    await until(() => rounds.length === 2)
    const stopping = job.stop()
    rounds[1]?.open({ again: true })
    await stopping
    expect(rounds).toHaveLength(2)
  })

  test('ends all of its rounds before it has stopped', async () => {
    const { job, rounds } = gated(createOverlappingJob)
    job.wake()
    await until(() => rounds.length === 1)
    let stopped = false
    const stopping = job.stop().then(() => {
      stopped = true
    })
    await settle()
    expect(stopped).toBe(false)
    for (const round of rounds) round.open()
    await stopping
  })
})

describe('coalesced calls', () => {
  test('do the work once for all calls of a moment, and again for later calls', async () => {
    let woken = 0
    const call = coalesced(() => (woken += 1), 5)
    for (let count = 0; count < 10; count += 1) call()
    expect(woken).toBe(0)
    await until(() => woken > 0)
    expect(woken).toBe(1)
    call()
    await until(() => woken > 1)
    expect(woken).toBe(2)
  })
})
