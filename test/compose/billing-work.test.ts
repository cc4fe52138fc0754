// What an instance does for recurring billing: on one network, with queues of its own, and less of it while billing is off.
import { expect, test } from 'vitest'
import { type BillingWorkDeps, buildBilling } from '#compose/billing-work.ts'
import type { Network } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Chain } from '#ports/chain.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import type { Leader } from '#workers/leader.ts'
import { only } from '../support/only.ts'

function build(network: Network, isBillingOn: boolean) {
  const deps: BillingWorkDeps = {
    billing: only('billing', {}),
    delegations: only('delegations', {}),
    approvals: only('approvals', {}),
    checkouts: only('checkouts', {}),
    transfers: only('transfers', {}),
    keys: only('keys', {}),
    afterFailover: async () => ({ waits: null, lostBefore: null }),
    clock: only('clock', {}),
    random: only('random', {}),
    sleep: async () => {},
    sponsorLamportsPerBusiness: isBillingOn ? makeLamports(1_000_000) : null,
    onError: () => {},
  }
  return buildBilling(deps, { network, chain: only<Chain>('chain', {}) }, only<Leader>('leader', {}), () => {})
}

test('charges have their own queue, so that many of them delay no payment', () => {
  const { queues } = registerSubjects(build('live', true).subjects)
  expect(queues).toEqual({ charge: { most: 128 } })
})

test('a network without recurring billing has no work of it', () => {
  expect(build('test', true)).toEqual({ subjects: [], jobs: [] })
})

test.each([
  [true, ['approve', 'delegations', 'due', 'refill']],
  [false, ['approve']],
])('while billing is on: %s, the jobs are %s, and transfers under way are moved', (isOn, kinds) => {
  const { jobs, subjects } = build('live', isOn)
  expect(jobs.map(({ kind }) => kind).toSorted()).toEqual(kinds)
  expect(subjects.map(({ kind }) => kind)).toEqual(['charge'])
})
