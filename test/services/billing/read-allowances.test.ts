// Token accounts of subscribers are read 100 a call.
import { expect, test } from 'vitest'
import type { Address } from '#core/chain/types.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { account, STABLECOIN } from '../../support/charge.ts'
import { addressNo } from '../../support/payment.ts'

test('250 delegations are three calls, and each reading has the slot of its call and its place', async () => {
  const calls: (readonly Address[])[] = []
  const wallets = Array.from({ length: 250 }, (_, n) => addressNo(20_000 + n))
  const delegations = wallets.map((wallet, n) => ({ wallet, mint: STABLECOIN, tokenAccount: addressNo(30_000 + n) }))
  const places = new Map(delegations.map(({ tokenAccount }, n) => [tokenAccount, n]))
  const readings = await readAllowances(
    {
      async readAccounts(accounts) {
        calls.push(accounts)
        const first = places.get(accounts[0] ?? addressNo(1)) ?? 0
        const states = accounts.map((one) => {
          const n = places.get(one) ?? 0
          return n === 7 ? null : account(wallets[n] ?? addressNo(1), { allowance: BigInt(n) })
        })
        return { slot: BigInt(first), states }
      },
    },
    delegations,
  )
  expect(calls.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([100, 100, 50])
  expect(readings).toHaveLength(250)
  expect(readings[7]).toEqual({ slot: 0n, state: { is: 'missing' } })
  expect(readings[203]).toMatchObject({ slot: 200n, state: { is: 'open', delegated: 203n } })
})
