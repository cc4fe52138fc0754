import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { MAX_U64, makeBaseUnits, makeUsdCents, sumOf, ZERO } from '#core/money/amounts.ts'
import type { SettlementLeg } from '#core/payments/intent-values.ts'
import { settledLegsOf } from '#core/payments/settled-legs.ts'
import { LEG_ROLES } from '#core/payments/transfers.ts'
import { MERCHANT, SIGNATURE } from '../../support/example-intent.ts'

const anyLeg: fc.Arbitrary<SettlementLeg> = fc.record({
  role: fc.constantFrom(...LEG_ROLES),
  destination: fc.constant(MERCHANT),
  mint: fc.constant(null),
  asset: fc.constant('SOL'),
  decimals: fc.constant(9),
  amount: fc.bigInt({ min: 0n, max: MAX_U64 }).map(makeBaseUnits),
  feeBps: fc.constant(null),
  signature: fc.constant(SIGNATURE),
})

const settledIn = (legs: readonly SettlementLeg[], expected: bigint, cents: bigint) =>
  settledLegsOf({
    priceUsdCents: makeUsdCents(cents),
    selection: { asset: SOL, decimals: 9, expected: makeBaseUnits(expected) },
    settlement: {
      asset: 'SOL',
      decimals: 9,
      destinationAmount: ZERO,
      platformFeeAmount: ZERO,
      pendingAmount: ZERO,
      signatures: [],
      legs,
    },
  })

const isVolume = ({ role }: SettlementLeg): boolean => role !== 'refund'
const isFee = ({ role }: SettlementLeg): boolean => role === 'marketplace'

test('the legs of a payment are worth what stats say of it, and so are those of the marketplace', () => {
  const expectedAmounts = fc.bigInt({ min: 1n, max: MAX_U64 })
  const prices = fc.bigInt({ min: 1n, max: 9_007_199_254_740_991n })
  fc.assert(
    fc.property(fc.array(anyLeg, { maxLength: 8 }), expectedAmounts, prices, (legs, expected, cents) => {
      const settled = settledIn(legs, expected, cents)
      for (const counts of [isVolume, isFee]) {
        const amount = sumOf(legs.filter(counts).map((leg) => leg.amount))
        const worth = sumOf(settled.filter(counts).map(({ microcents }) => microcents))
        expect(worth).toBe((amount * cents * 1_000_000n) / expected)
      }
      expect(settled.map(({ microcents: _, ...leg }) => leg)).toEqual(legs)
      expect(settled.filter((leg) => leg.microcents < 0n || (!isVolume(leg) && leg.microcents > 0n))).toEqual([])
    }),
  )
})

test('a payment that is not settled has no legs', () => {
  expect(settledLegsOf({ priceUsdCents: makeUsdCents(1n), selection: null, settlement: null })).toEqual([])
})
