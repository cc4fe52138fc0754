import { expect, test } from 'vitest'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { createLeastPayable } from '#services/payments/payability.ts'
import { UNCHANGED_MINTS as mintGuard } from '../../support/mint-guard.ts'
import { SOL_TOKEN, TERMS, USDC } from '../../support/payment.ts'

const terms = () => TERMS

test('the least payment in SOL leaves the rent minimum for the wallet of the business, after the fees', async () => {
  const read = createLeastPayable({
    chainOf: () => ({ minimumBalance: async () => makeLamports(890_880n) }),
    terms,
    mintGuard,
  })
  const least = await read(SOL_TOKEN)
  expect(least(null)).toBe(895_880n)
  // A half for the marketplace, and a hundredth for the platform.
  expect(least(makeBasisPoints(5_000))).toBe(1_828_327n)
})

test('a payment in a token has no least amount, and no call to the chain is made for it', async () => {
  const chainOf = () => ({ minimumBalance: () => Promise.reject(new Error('not expected here')) })
  const least = await createLeastPayable({ chainOf, terms, mintGuard })(USDC)
  expect(least(makeBasisPoints(5_000))).toBe(1n)
})
