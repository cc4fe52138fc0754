import { expect, test } from 'vitest'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { createLeastPayable } from '#services/payments/payability.ts'
import { TERMS } from '../../support/payment.ts'

const terms = () => TERMS

test('the least payment in SOL leaves the rent minimum for the wallet of the business, after the fees', async () => {
  const read = createLeastPayable({ chainOf: () => ({ minimumBalance: async () => makeLamports(890_880n) }), terms })
  const least = await read({ network: 'live', isNative: true })
  expect(least(null)).toBe(895_880n)
  // A half for the marketplace, and a hundredth for the platform.
  expect(least(makeBasisPoints(5_000))).toBe(1_828_327n)
})

test('a payment in a token has no least amount, and no call to the chain is made for it', async () => {
  const chainOf = () => ({ minimumBalance: () => Promise.reject(new Error('not expected here')) })
  const least = await createLeastPayable({ chainOf, terms })({ network: 'live', isNative: false })
  expect(least(makeBasisPoints(5_000))).toBe(1n)
})
