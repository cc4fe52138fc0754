// When a round of the job looks at the clock of the chain: a charge is planned as soon as that has reached its period.
import { describe, expect, test } from 'vitest'
import type { AccountState } from '#core/chain/types.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { account, DELEGATE, STABLECOIN, WALLET } from '../../support/charge.ts'
import { only } from '../../support/only.ts'
import { addressNo, NOW, units } from '../../support/payment.ts'

describe('run due', () => {
  type Deps = Parameters<typeof createRunDue>[0]

  const OWN = new Date('2026-11-20T12:00:00.500Z')
  const DUE_AT = new Date('2026-11-20T12:00:00.000Z')
  const behind = (ms: number): Date => new Date(OWN.getTime() - ms)

  /** Runs a round. `times` are those of the chain, the last one for all later looks. Returns what was asked. */
  async function run(times: readonly Date[]) {
    const asked: string[] = []
    const left = [...times]
    const deps: Deps = {
      billing: only<Deps['billing']>('billing', {
        async due(_network, now) {
          asked.push(`due ${now.toISOString().slice(17, 23)}`)
          return now >= DUE_AT ? ['subscription'] : []
        },
        async facts() {
          asked.push('decided')
          return null
        },
      }),
      chainOf: () => ({
        async blockTime() {
          return { slot: 1n, time: (left.length > 1 ? left.shift() : left[0]) ?? OWN }
        },
      }),
      async sleep(ms) {
        asked.push(`sleep ${ms}`)
      },
      clock: { now: () => OWN },
      random: { uuid: () => crypto.randomUUID() },
      keys: only<Deps['keys']>('keys', {}),
      onError: (error) => void asked.push(String(error)),
    }
    await createRunDue(deps)('live')
    return asked
  }

  test('a round looks again while the clock of the chain is about to reach what is due', async () => {
    expect(await run([behind(1_500), behind(1_500), behind(500)])).toEqual([
      'due 00.500',
      'due 59.000',
      'sleep 100',
      'due 59.000',
      'sleep 100',
      'due 00.000',
      'decided',
    ])
  })

  test('a round does not wait for a chain that is far behind, or that stands still', async () => {
    expect(await run([behind(3_001)])).toEqual(['due 00.500', 'due 57.499'])
    const looks = await run([behind(1_500)])
    expect(looks.filter((one) => one === 'sleep 100')).toHaveLength(15)
    expect(looks).not.toContain('decided')
  })
})

// Which past-due subscriptions a round over their token accounts charges again.
describe('refill', () => {
  type Deps = Parameters<typeof createRetryRefilled>[0]

  /** Runs a round over one subscription. Returns whether it was decided on. */
  async function isTried(amount: bigint, state: AccountState): Promise<boolean> {
    const tried: string[] = []
    const pastDue = {
      subscriptionId: 'subscription',
      wallet: WALLET,
      mint: STABLECOIN,
      tokenAccount: addressNo(820),
      amount: units(amount),
    }
    const deps: Deps = {
      billing: only<Deps['billing']>('billing', {
        pastDue: async () => [pastDue],
        async facts(id) {
          tried.push(id)
          return null
        },
      }),
      chainOf: () => ({ readAccounts: async () => ({ slot: 1n, states: [state] }) }),
      clock: { now: () => NOW },
      random: { uuid: () => crypto.randomUUID() },
      keys: only<Deps['keys']>('keys', { addressOf: () => DELEGATE.address }),
      onError(error) {
        throw error
      },
    }
    await createRetryRefilled(deps)('live')
    return tried.length > 0
  }

  test('a refill counts when it covers the amount of the charge', async () => {
    const holds = (amount: bigint) => account(WALLET, { amount })
    expect(await isTried(1_000n, holds(999n))).toBe(false)
    expect(await isTried(1_000n, holds(1_000n))).toBe(true)
  })
})
