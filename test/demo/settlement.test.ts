import { expect, it } from 'vitest'
import { legRows, sumOfLegs } from '#demo/settlement.ts'

const leg = (role: string, amount: number, fee_bps: number | null) => ({
  ...{ role, destination: `${role}-wallet`, fee_bps },
  ...{ amount, amount_ui: amount / 1e9 },
})
const settled = (received: number) => ({
  status: 'swept',
  received_lamports: received,
  settlement: {
    ...{ asset: 'SOL', decimals: 9, destination_amount: 899_990_000, destination_ui: 0.89999, signatures: ['s'] },
    legs: [leg('seller', 899_990_000, null), leg('marketplace', 100_000_000, 1_000), leg('network_fee', 10_000, null)],
  },
})

it('each leg is a row with its role, destination, amount and rate', () => {
  expect(legRows(settled(1_000_000_000))).toEqual([
    { role: 'seller', destination: 'seller-wallet', SOL: 0.89999, fee: '' },
    { role: 'marketplace', destination: 'marketplace-wallet', SOL: 0.1, fee: '10 %' },
    { role: 'network_fee', destination: 'network_fee-wallet', SOL: 0.00001, fee: '' },
  ])
})

it('the legs sum to the amount that was received, and any other sum ends the demo', () => {
  expect(sumOfLegs(settled(1_000_000_000))).toBe('1.000000000 SOL')
  expect(() => sumOfLegs(settled(1_000_000_001))).toThrow('1000000000 base units, and 1000000001 were received')
})
