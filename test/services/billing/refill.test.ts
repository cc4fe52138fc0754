// Which past-due subscriptions a round over their token accounts charges again.
import { expect, test } from 'vitest'
import type { AccountState, Commitment } from '#core/chain/types.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { account, DELEGATE, STABLECOIN, WALLET } from '../../support/charge.ts'
import { only } from '../../support/only.ts'
import { addressNo, NOW, units } from '../../support/payment.ts'

type Deps = Parameters<typeof createRetryRefilled>[0]

/** Runs a round over one subscription. Returns whether it was decided on. */
async function isTried(amount: bigint, read: (commitment: Commitment) => AccountState): Promise<boolean> {
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
    chainOf: () => ({ readAccounts: async (_accounts, commitment) => ({ slot: 1n, states: [read(commitment)] }) }),
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

test('a refill counts when it is as final as the check before an attempt needs it', async () => {
  const filled = (since: Commitment) => (commitment: Commitment) =>
    account(WALLET, { amount: commitment === since ? 1_000n : 0n })
  expect(await isTried(1_000n, filled('confirmed'))).toBe(false)
  expect(await isTried(1_000n, filled('finalized'))).toBe(true)
})

test('a refill counts when it covers the amount of the charge', async () => {
  const holds = (amount: bigint) => () => account(WALLET, { amount })
  expect(await isTried(1_000n, holds(999n))).toBe(false)
  expect(await isTried(1_000n, holds(1_000n))).toBe(true)
})
