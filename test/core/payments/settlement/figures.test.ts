import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { add, MAX_U64, makeBaseUnits, makeBasisPoints, makeUsdCents, sumOf, ZERO } from '#core/money/amounts.ts'
import type { Settlement, SettlementLeg } from '#core/payments/intent-values.ts'
import { NEWEST } from '#core/payments/returns/asset-books.ts'
import { mergeSettlements, settledLegsOf, settlementOf, waivedCuts } from '#core/payments/settlement/figures.ts'
import { LEG_ROLES, type PaymentTransfer } from '#core/payments/transfers.ts'
import { MERCHANT, MINT, SIGNATURE } from '../../../support/example-intent.ts'
import {
  addressNo,
  choice,
  FEE_PAYER,
  factsWith,
  intentWith,
  leg,
  MARKETPLACE,
  NETWORK_FEE,
  PAYEE,
  PLATFORM,
  RENT,
  signatureNo,
  sweepOf,
  units,
} from '../../../support/payment.ts'

// The figures of a settlement: of many sweeps together, and the cuts that a sweep waived.
describe('the figures of a settlement', () => {
  const NEW_WALLET = addressNo(9_050)

  type Amounts = { readonly seller: bigint; readonly platform: bigint; readonly isNewWallet: boolean }

  /** The settlement by the transaction of that number. */
  const settled = ({ seller, platform, isNewWallet }: Amounts, number: number): Settlement => {
    const legs = [
      leg('seller', isNewWallet ? NEW_WALLET : MERCHANT, seller),
      leg('platform', PLATFORM, platform, 100),
      leg('network_fee', FEE_PAYER, 5_000n),
    ]
    const moved = legs.map(({ amount }) => amount)
    return settlementOf(sweepOf({ legs }), moved, signatureNo(number), { ticker: 'SOL' })
  }

  const total = (legs: Settlement['legs']): bigint => add(...legs.map(({ amount }) => amount))

  const amounts = fc.record({
    seller: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    platform: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    isNewWallet: fc.boolean(),
  })

  test('legs add up to what was received, and the newest transactions keep theirs, however many there are', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 60 }), (given) => {
        const parts = given.map(settled)
        const merged = parts.reduce(mergeSettlements)
        const newest = parts.slice(-NEWEST)
        expect(merged.signatures).toEqual(newest.flatMap(({ signatures }) => signatures))
        expect(merged.legs.slice(-newest.length * 3)).toEqual(newest.flatMap(({ legs }) => legs))
        expect(total(merged.legs)).toBe(total(parts.flatMap(({ legs }) => legs)))
        expect(merged.destinationAmount).toBe(add(...parts.map((one) => one.destinationAmount)))
        expect(merged.platformFeeAmount).toBe(add(...parts.map((one) => one.platformFeeAmount)))
      }),
      { numRuns: 200 },
    )
  })

  test('earlier transactions have one leg for each recipient and purpose, with the newest of them', () => {
    const moved = [1n, 2n, 4n].map((seller, at) => ({ seller, platform: 1n, isNewWallet: at === 2 }))
    const parts = [
      ...moved,
      ...Array.from({ length: NEWEST }, () => ({ seller: 8n, platform: 1n, isNewWallet: false })),
    ]
    const { legs } = parts.map(settled).reduce(mergeSettlements)
    expect(
      legs
        .slice(0, -NEWEST * 3)
        .map(({ role, destination, amount, signature }) => [role, destination, amount, signature]),
    ).toEqual([
      ['seller', MERCHANT, 3n, signatureNo(1)],
      ['platform', PLATFORM, 3n, signatureNo(2)],
      ['network_fee', FEE_PAYER, 15_000n, signatureNo(2)],
      ['seller', NEW_WALLET, 4n, signatureNo(2)],
    ])
  })

  const PRICE = 10_000_000n
  const seller = leg('seller', MERCHANT, PRICE - NETWORK_FEE)
  const fee = leg('network_fee', FEE_PAYER, NETWORK_FEE)
  const cut = leg('marketplace', MARKETPLACE, 100n)
  const platform = { ...leg('platform', PLATFORM, 50n), feeBps: 30 }

  /** The cuts that the sweep waived, of a payment with the rate of 1 % and these transfers. It left an amount at the address. */
  const waivedBy = (sweep: PaymentTransfer, others: readonly PaymentTransfer[] = [], left = 0n) =>
    waivedCuts(
      sweep,
      factsWith(intentWith({ selection: choice(SOL, PRICE), marketplaceFeeBps: makeBasisPoints(100) }), {
        payee: { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } },
        transfers: [sweep, ...others],
      }),
      units(left),
    )
  const sweepWith = (patch: Partial<PaymentTransfer> = {}) =>
    sweepOf({ id: 'settled', round: 3, plannedVersion: 7, legs: [seller, fee], ...patch })
  const earlier = (patch: Partial<PaymentTransfer> = {}) =>
    sweepOf({
      id: 'before',
      round: 2,
      plannedVersion: 6,
      status: 'failed',
      legs: [seller, cut, platform, fee],
      ...patch,
    })

  describe('a settled sweep waived', () => {
    test('the cut of the marketplace that it has no leg for, and not one that it has', () => {
      expect(waivedBy(sweepWith())).toEqual([{ role: 'marketplace', amount: 100_000n }])
      expect(waivedBy(sweepWith({ legs: [seller, cut, fee] }))).toEqual([])
    })

    test('the cut of the platform only when a round since the last settled one had it, at the rate of that round', () => {
      const paid = sweepWith({ legs: [seller, cut, fee] })
      expect(waivedBy(paid, [earlier()])).toEqual([{ role: 'platform', amount: 30_000n }])
      expect(waivedBy(paid, [earlier({ status: 'done' })])).toEqual([])
      expect(waivedBy(paid, [earlier(), earlier({ round: 1, id: 'first', legs: [seller, cut, fee] })])).toHaveLength(1)
      const first = earlier({ round: 1, id: 'first' })
      expect(waivedBy(paid, [first, earlier({ legs: [seller, cut, fee] })])).toEqual([
        { role: 'platform', amount: 30_000n },
      ])
      expect(waivedBy(paid, [first, earlier({ status: 'done', legs: [seller, cut, fee] })])).toEqual([])
    })

    test('a share of the excess in no case, and of what it left for the rent reserve once', () => {
      const refund = leg('refund', MERCHANT, 5_000_000n)
      expect(waivedBy(sweepWith({ legs: [seller, fee, refund] }))).toEqual([{ role: 'marketplace', amount: 100_000n }])
      const reserve = sweepWith({
        id: 'rest',
        round: 4,
        portion: 'rent_reserve',
        legs: [leg('seller', MERCHANT, RENT)],
      })
      const main = sweepWith({ legs: [leg('seller', MERCHANT, seller.amount - RENT), fee] })
      expect(waivedBy(main, [], RENT)).toEqual([{ role: 'marketplace', amount: 100_000n }])
      expect(waivedBy(reserve, [main])).toEqual([])
    })

    test('nothing of a token payment', () => {
      expect(waivedBy(sweepWith({ asset: MINT, legs: [seller] }))).toEqual([])
    })
  })
})

describe('settled legs', () => {
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
      selection: { asset: SOL, decimals: 9, expected: makeBaseUnits(expected), rate: null },
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
})
