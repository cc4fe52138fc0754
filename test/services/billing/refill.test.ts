// Which past-due subscriptions a round over their token accounts charges again.
import { expect, test } from 'vitest'
import type { AccountState } from '#core/chain/types.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { account, DELEGATE, STABLECOIN, WALLET } from '../../support/charge.ts'
import { only } from '../../support/only.ts'
import { addressNo, NOW, units } from '../../support/payment.ts'

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
