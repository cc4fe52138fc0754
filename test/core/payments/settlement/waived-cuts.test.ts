// The cuts that a settled sweep has no leg for, by the rate of each and the rounds before.
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { waivedCuts } from '#core/payments/settlement/waived-cuts.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
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
  sweepOf,
  units,
} from '../../../support/payment.ts'

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
const settled = (patch: Partial<PaymentTransfer> = {}) =>
  sweepOf({ id: 'settled', round: 3, plannedVersion: 7, legs: [seller, fee], ...patch })
const earlier = (patch: Partial<PaymentTransfer> = {}) =>
  sweepOf({ id: 'before', round: 2, plannedVersion: 6, status: 'failed', legs: [seller, cut, platform, fee], ...patch })

describe('a settled sweep waived', () => {
  test('the cut of the marketplace that it has no leg for, and not one that it has', () => {
    expect(waivedBy(settled())).toEqual([{ role: 'marketplace', amount: 100_000n }])
    expect(waivedBy(settled({ legs: [seller, cut, fee] }))).toEqual([])
  })

  test('the cut of the platform only when the round before had it, at the rate of that round', () => {
    const paid = settled({ legs: [seller, cut, fee] })
    expect(waivedBy(paid, [earlier()])).toEqual([{ role: 'platform', amount: 30_000n }])
    expect(waivedBy(paid, [earlier({ status: 'done' })])).toEqual([])
    expect(waivedBy(paid, [earlier(), earlier({ round: 1, id: 'first', legs: [seller, cut, fee] })])).toHaveLength(1)
    expect(waivedBy(paid, [earlier({ legs: [seller, cut, fee] }), earlier({ round: 1, id: 'first' })])).toEqual([])
  })

  test('a share of the excess in no case, and of what it left for the rent reserve once', () => {
    const refund = leg('refund', MERCHANT, 5_000_000n)
    expect(waivedBy(settled({ legs: [seller, fee, refund] }))).toEqual([{ role: 'marketplace', amount: 100_000n }])
    const reserve = settled({ id: 'rest', round: 4, portion: 'rent_reserve', legs: [leg('seller', MERCHANT, RENT)] })
    const main = settled({ legs: [leg('seller', MERCHANT, seller.amount - RENT), fee] })
    expect(waivedBy(main, [], RENT)).toEqual([{ role: 'marketplace', amount: 100_000n }])
    expect(waivedBy(reserve, [main])).toEqual([])
  })

  test('nothing of a token payment', () => {
    expect(waivedBy(settled({ asset: MINT, legs: [seller] }))).toEqual([])
  })
})
