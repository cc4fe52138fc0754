import { expect, test } from 'vitest'
import { makeLamports } from '#core/money/amounts.ts'
import { createPayability } from '#services/payments/payability.ts'
import { units } from '../../support/payment.ts'

const SOL_TOKEN = { network: 'live', isNative: true } as const
const OTHER_TOKEN = { network: 'live', isNative: false } as const

test('SOL below the rent minimum of a new address cannot be paid', async () => {
  const isPayable = createPayability(() => ({ minimumBalance: async () => makeLamports(890_880n) }))
  expect(await isPayable(SOL_TOKEN, units(890_879n))).toBe(false)
  expect(await isPayable(SOL_TOKEN, units(890_880n))).toBe(true)
})

test('a token can always be paid, without a call to the chain', async () => {
  const isPayable = createPayability(() => ({ minimumBalance: () => Promise.reject(new Error('not expected here')) }))
  expect(await isPayable(OTHER_TOKEN, units(1n))).toBe(true)
})
