// The jobs of recurring billing: on which instance each runs, and what rests while billing is disabled.
import { beforeEach, expect, test } from 'vitest'
import { type BillingWork, billingJobs } from '#workers/billing-jobs.ts'
import type { Leader } from '#workers/leader.ts'
import { only } from '../support/only.ts'

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
