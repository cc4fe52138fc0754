import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type BaseUnits, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import { judgeTransfer } from '#core/payments/machine/preflight.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { allocateRefund } from '#core/payments/returns/recipients.ts'
import {
  highestSolFee,
  leastSettlement,
  planSettlement,
  type SettlementPlan,
} from '#core/payments/settlement/settlement-plan.ts'
import type { LegRole, PaymentLeg } from '#core/payments/transfers.ts'
import { highestFeeOf, SOL_LEG_UNITS } from '#core/transfers/plan.ts'
import { SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'

import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  deposit,
  FEE_PAYER,
  intentWith,
  MARKETPLACE,
  NETWORK_FEE,
  NOW,
  PAYEE,
  PLATFORM,
  RENT,
  sweepOf,
  TERMS,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const SELLER: Payee = { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } }
const final = (number: number, amount: bigint, patch: Partial<Deposit> = {}) => deposit(number, amount, { ...patch })
const intentFor = (asset: Asset, expected: bigint, marketplaceBps: number | null = null) =>
  intentWith({
    selection: choice(asset, expected),
    marketplaceFeeBps: marketplaceBps === null ? null : makeBasisPoints(marketplaceBps),
  })

const planFor = (intent: PaymentIntent, payee: Payee, deposits: readonly Deposit[], terms = TERMS) =>
  planSettlement(intent, payee, depositSharesOf(deposits), context({ terms }))
const refundOf = (amount: BaseUnits, deposits: readonly Deposit[]) =>
  allocateRefund(amount, depositSharesOf(deposits), new Map())

/** Returns the legs as [role, amount]; throws when the plan refuses. */
function legsOf(plan: SettlementPlan): readonly PaymentLeg[] {
  if ('refused' in plan) throw new Error(plan.refused)
  return plan.legs
}
const shares = (legs: readonly PaymentLeg[]) => legs.map(({ role, amount }) => [role, amount])
const total = (legs: readonly { amount: bigint }[]) => legs.reduce((sum, { amount }) => sum + amount, 0n)
const ofRole = (legs: readonly PaymentLeg[], role: LegRole) => total(legs.filter((leg) => leg.role === role))

const amounts = fc.bigInt({ min: 1n, max: 10n ** 12n })
const bps = fc.integer({ min: 0, max: 4_000 })
/** Deposits whose senders may have sent more, less or an unknown amount. */
const anyDeposits = (asset: Asset) =>
  fc
    .array(
      fc.record({
        amount: amounts,
        slot: fc.bigInt({ min: 1n, max: 5n }),
        senders: fc.array(
          fc.record({ address: fc.integer({ min: 1, max: 4 }).map(addressNo), amount: amounts.map(units) }),
          {
            maxLength: 3,
          },
        ),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((list) => list.map(({ amount, ...patch }, at) => final(at, amount, { asset, ...patch })))

describe('a SOL settlement', () => {
  test('of a plain payment gives the business all except the network fee', () => {
    const plan = planFor(intentFor(SOL, 1_000_000n), PAYEE, [final(1, 1_000_000n)], TERMS)
    expect(plan).toEqual({
      legs: [
        { role: 'merchant', destination: MERCHANT, amount: 1_000_000n - NETWORK_FEE, feeBps: null },
        { role: 'network_fee', destination: FEE_PAYER, amount: NETWORK_FEE, feeBps: null },
      ],
    })
  })

  test('for a seller takes cuts of the settled amount, each rounded down, and gives the seller the remainder', () => {
    const plan = planFor(intentFor(SOL, 1_000_099n, 333), SELLER, [final(1, 1_000_099n)], TERMS)
    expect(plan).toEqual({
      legs: [
        { role: 'seller', destination: MERCHANT, amount: 1_000_099n - 33_303n - 10_000n - NETWORK_FEE, feeBps: null },
        { role: 'marketplace', destination: MARKETPLACE, amount: 33_303n, feeBps: 333 },
        { role: 'platform', destination: PLATFORM, amount: 10_000n, feeBps: 100 },
        { role: 'network_fee', destination: FEE_PAYER, amount: NETWORK_FEE, feeBps: null },
      ],
    })
  })

  test('of the least amount leaves the business the rent minimum at any rates, and of some lamports less does not', () => {
    fc.assert(
      fc.property(fc.option(bps), bps, (marketplaceBps, platformBps) => {
        const terms = { ...TERMS, platformFeeBps: makeBasisPoints(platformBps) }
        const payee = marketplaceBps === null ? PAYEE : SELLER
        const rate = marketplaceBps === null ? null : makeBasisPoints(marketplaceBps)
        const least = leastSettlement(rate, terms, RENT)
        const partOf = (amount: bigint) => {
          const legs = legsOf(planFor(intentFor(SOL, amount, marketplaceBps), payee, [final(1, amount)], terms))
          return ofRole(legs, marketplaceBps === null ? 'merchant' : 'seller')
        }
        expect(partOf(least)).toBeGreaterThanOrEqual(RENT)
        // Each cut is rounded down by up to a lamport, and the business keeps at least a fifth.
        expect(partOf(least - 15n)).toBeLessThan(RENT)
      }),
    )
  })

  test('takes no platform fee from a business’s own sale', () => {
    const legs = legsOf(planFor(intentFor(SOL, 1_000_000n), PAYEE, [final(1, 1_000_000n)], TERMS))
    expect(legs.map(({ role }) => role)).toEqual(['merchant', 'network_fee'])
  })

  test('leaves a cut without a destination, or a cut that rounds to zero, with the seller', () => {
    const nowhere = { ...SELLER, marketplace: { feeDestination: null } }
    const terms = { ...TERMS, platformWallet: null }
    const paid = [final(1, 1_000_000n)]
    const merchant = ['seller', 1_000_000n - NETWORK_FEE]
    const fee = ['network_fee', NETWORK_FEE]
    expect(shares(legsOf(planFor(intentFor(SOL, 1_000_000n, 500), nowhere, paid, terms)))).toEqual([merchant, fee])
    const zero = { ...TERMS, platformFeeBps: makeBasisPoints(0) }
    expect(shares(legsOf(planFor(intentFor(SOL, 1_000_000n, 0), SELLER, paid, zero)))).toEqual([merchant, fee])
    const none = { ...TERMS, networkFee: makeLamports(0n) }
    expect(shares(legsOf(planFor(intentFor(SOL, 1_000_000n), PAYEE, paid, none)))).toEqual([['merchant', 1_000_000n]])
  })

  test('waives a cut whose wallet cannot take it, in favour of the seller', () => {
    const paid = depositSharesOf([final(1, 1_000_000n)])
    const plan = planSettlement(intentFor(SOL, 1_000_000n, 500), SELLER, paid, context(), {
      waived: ['marketplace'],
    })
    expect(shares(legsOf(plan))).toEqual([
      ['seller', 1_000_000n - 10_000n - NETWORK_FEE],
      ['platform', 10_000n],
      ['network_fee', NETWORK_FEE],
    ])
  })

  test('moves every received lamport, whatever the deposits, the cuts and the excess', () => {
    fc.assert(
      fc.property(anyDeposits(SOL), amounts, bps, bps, fc.boolean(), (deposits, expected, cut, platform, forSeller) => {
        const terms = { ...TERMS, platformFeeBps: makeBasisPoints(platform) }
        const plan = planFor(intentFor(SOL, expected, cut), forSeller ? SELLER : PAYEE, deposits, terms)
        if ('refused' in plan) return
        const stays = total(deposits) - total(plan.legs)
        // Only an excess may stay: when the rent minimum allows it, or for wallets whose refunds follow.
        const isReturned = stays >= RENT || ofRole(plan.legs, 'refund') > 0n
        expect(stays === 0n || (isReturned && total(deposits) - stays >= expected)).toBe(true)
        expect(plan.legs.every(({ amount }) => amount > 0n)).toBe(true)
        expect(ofRole(plan.legs, 'network_fee')).toBe(NETWORK_FEE)
        const price = 20_000n
        expect(highestFeeOf(plan.legs.length, price, SOL_LEG_UNITS)).toBeLessThanOrEqual(highestSolFee(price))
        const settles = total(plan.legs) - ofRole(plan.legs, 'refund')
        expect(ofRole(plan.legs, 'marketplace')).toBe(forSeller ? (settles * BigInt(cut)) / 10_000n : 0n)
        expect(ofRole(plan.legs, 'platform')).toBe(forSeller ? (settles * BigInt(platform)) / 10_000n : 0n)
      }),
    )
  })

  /** The fee wallet of the marketplace, which can be the platform's wallet or the seller's. */
  const feeWallets = fc.constantFrom(MARKETPLACE, PLATFORM, MERCHANT)
  const sellerOf = (feeDestination: Address): Payee => ({ ...PAYEE, marketplace: { feeDestination } })

  test('for a seller adds up for every fee, amount, excess and waived cut, and a waived cut is the seller’s, also in a shared wallet', () => {
    const cuts = fc.subarray<LegRole>(['marketplace', 'platform'])
    fc.assert(
      fc.property(
        anyDeposits(SOL),
        amounts,
        bps,
        bps,
        feeWallets,
        cuts,
        (deposits, expected, cut, platform, to, some) => {
          const terms = { ...TERMS, platformFeeBps: makeBasisPoints(platform) }
          const payment = intentFor(SOL, expected, cut)
          const plans = [[], some].map((without) =>
            planSettlement(payment, sellerOf(to), depositSharesOf(deposits), context({ terms }), { waived: without }),
          )
          const [whole, kept] = plans
          if (whole === undefined || kept === undefined || 'refused' in whole) return
          const [all, legs] = [legsOf(whole), legsOf(kept)]
          expect(total(legs)).toBe(total(all))
          expect(legs.every(({ amount }) => amount > 0n)).toBe(true)
          const isWaived = ({ role }: PaymentLeg) => some.includes(role)
          const others = (list: readonly PaymentLeg[]) => list.filter((one) => one.role !== 'seller' && !isWaived(one))
          expect(others(legs)).toEqual(others(all))
          expect(ofRole(legs, 'seller')).toBe(ofRole(all, 'seller') + total(all.filter(isWaived)))
          expect(legs.filter(isWaived)).toEqual([])
        },
      ),
    )
  })

  test('waives exactly the cuts of wallets that all their legs together would leave empty below the rent minimum', () => {
    const wallets = [MARKETPLACE, PLATFORM, MERCHANT]
    const rents = fc.bigInt({ min: 1n, max: 3_000_000n })
    // Cuts on both sides of the rent minimum.
    const prices = fc.bigInt({ min: 1n, max: 10n ** 8n })
    fc.assert(
      fc.property(prices, bps, bps, rents, feeWallets, fc.subarray(wallets), (price, cut, platform, rent, to, full) => {
        const terms = { ...TERMS, platformFeeBps: makeBasisPoints(platform) }
        const plan = planFor(intentFor(SOL, price, cut), sellerOf(to), [final(1, price)], terms)
        if ('refused' in plan) return
        const wallet = (lamports: bigint) => ({
          lamports: makeLamports(lamports),
          ownerProgram: makeAddress(SYSTEM_PROGRAM),
          token: null,
        })
        const verdict = judgeTransfer({
          transfer: sweepOf({ legs: plan.legs }),
          source: wallet(total(plan.legs)),
          destinations: new Map([...full, FEE_PAYER, BUYER].map((address) => [address, wallet(rent)])),
          receivers: new Map(),
          feePayerLamports: 10n ** 9n,
          rent: { wallet: rent, tokenAccount: 2_039_280n },
          rates: null,
          unpricedSince: null,
          computeUnitPrice: 0n,
          now: NOW,
          custodians: new Map(),
          isLast: false,
        })
        const gets = (wallet: Address) => total(plan.legs.filter(({ destination }) => destination === wallet))
        const isSmall = (wallet: Address) => wallet !== MERCHANT && !full.includes(wallet) && gets(wallet) < rent
        const small = plan.legs.filter(
          ({ role, destination }) => (role === 'marketplace' || role === 'platform') && isSmall(destination),
        )
        const named = verdict.go === false && verdict.because === 'undeliverable' ? verdict.legs : []
        expect(named.map(({ role }) => role)).toEqual(small.map(({ role }) => role))
      }),
    )
  })

  test('returns the whole excess as well, with fees on the settled amount only', () => {
    const plan = planFor(intentFor(SOL, 1_000_000n, 1_000), SELLER, [final(1, 1_500_000n)], TERMS)
    expect(shares(legsOf(plan))).toEqual([
      ['seller', 1_000_000n - 100_000n - 10_000n - NETWORK_FEE],
      ['marketplace', 100_000n],
      ['platform', 10_000n],
      ['refund', 500_000n],
      ['network_fee', NETWORK_FEE],
    ])
  })

  test('keeps an excess that is worth less than its return, and returns a larger excess', () => {
    const expected = 1_000_000n
    const over = (excess: bigint) =>
      legsOf(planFor(intentFor(SOL, expected), PAYEE, [final(1, expected + excess)], TERMS))
    expect(shares(over(NETWORK_FEE))).toEqual([
      ['merchant', expected],
      ['network_fee', NETWORK_FEE],
    ])
    expect(ofRole(over(NETWORK_FEE + 1n), 'refund')).toBe(NETWORK_FEE + 1n)
  })

  test('is refused when nothing would be left for the business', () => {
    const settle = (received: bigint) => planFor(intentFor(SOL, received), PAYEE, [final(1, received)], TERMS)
    expect(settle(NETWORK_FEE)).toEqual({ refused: 'The payment does not cover its fees.' })
    expect(shares(legsOf(settle(NETWORK_FEE + 1n)))[0]).toEqual(['merchant', 1n])
  })
})

describe('a token settlement', () => {
  test('goes in full to the business or to the seller, without cuts and network fee', () => {
    const paid = [final(1, 700n, { asset: MINT }), final(2, 300n, { asset: MINT })]
    for (const [payee, role] of [
      [PAYEE, 'merchant'],
      [SELLER, 'seller'],
    ] as const) {
      expect(planFor(intentFor(MINT, 1_000n, 500), payee, paid, TERMS)).toEqual({
        legs: [{ role, destination: MERCHANT, amount: 1_000n, feeBps: null }],
      })
    }
  })

  test('settles exactly the price, and returns the last unit of an excess', () => {
    fc.assert(
      fc.property(anyDeposits(MINT), amounts, (deposits, expected) => {
        const legs = legsOf(planFor(intentFor(MINT, expected), PAYEE, deposits, TERMS))
        expect(ofRole(legs, 'merchant')).toBe(total(deposits) < expected ? total(deposits) : expected)
        expect(total(legs) <= total(deposits)).toBe(true)
      }),
    )
    const legs = legsOf(planFor(intentFor(MINT, 999n), PAYEE, [final(1, 1_000n, { asset: MINT })], TERMS))
    expect(shares(legs)).toEqual([
      ['merchant', 999n],
      ['refund', 1n],
    ])
  })
})

describe('a settlement', () => {
  test('waits for a destination, with a reason', () => {
    const nowhere = { ...PAYEE, sweepDestination: null }
    expect(planFor(intentFor(SOL, 1_000_000n), nowhere, [final(1, 1_000_000n)], TERMS)).toEqual({
      refused: 'The business has no sweep destination.',
    })
    expect(planFor(intentWith({ selection: null }), PAYEE, [], TERMS)).toEqual({
      refused: 'Nothing was selected.',
    })
  })
})

describe('an excess', () => {
  const sender = (number: number, amount: bigint) => ({ address: addressNo(number), amount: units(amount) })

  test('goes back newest payment first, one part for each sender, the largest first', () => {
    const deposits = [
      final(1, 600n, { slot: 10n, senders: [sender(1, 600n)] }),
      final(2, 300n, { slot: 30n, senders: [sender(2, 300n)] }),
      final(3, 200n, { slot: 20n, senders: [sender(1, 200n)] }),
    ]
    expect(refundOf(units(250n), deposits)).toEqual([sender(2, 250n)])
    expect(refundOf(units(450n), deposits)).toEqual([sender(2, 300n), sender(1, 150n)])
    expect(refundOf(units(1_100n), deposits)).toEqual([sender(1, 800n), sender(2, 300n)])
  })

  test('gives the senders of one deposit their parts', () => {
    const deposits = [final(1, 1_000n, { senders: [sender(1, 700n), sender(2, 300n)] })]
    expect(refundOf(units(800n), deposits)).toEqual([sender(1, 700n), sender(2, 100n)])
  })

  test('gives no sender more than it sent, nor more than its deposit', () => {
    fc.assert(
      fc.property(anyDeposits(SOL), amounts, (deposits, amount) => {
        const back = refundOf(units(amount), deposits)
        expect(new Set(back.map(({ address }) => address)).size).toBe(back.length)
        expect(total(back) <= amount).toBe(true)
        for (const { address, amount: share } of back) {
          const sent = deposits.flatMap(({ amount: brought, senders }) =>
            senders
              .filter((one) => one.address === address)
              .map((one) => ({ amount: one.amount < brought ? one.amount : brought })),
          )
          expect(share > 0n && share <= total(sent)).toBe(true)
        }
      }),
    )
  })

  test('without a known sender stays: no one receives it', () => {
    const price = 1_000_000n
    const unknown = (excess: bigint) => [final(1, price), final(2, excess, { senders: [] })]
    for (const asset of [SOL, MINT] as const) {
      const legs = legsOf(planFor(intentFor(asset, price), PAYEE, unknown(RENT), TERMS))
      expect(total(legs)).toBe(price)
      expect(ofRole(legs, 'refund')).toBe(0n)
    }
    const partly = [final(1, 3_000_000n, { senders: [{ address: BUYER, amount: units(100_000n) }] })]
    const legs = legsOf(planFor(intentFor(SOL, price), PAYEE, partly, TERMS))
    expect(ofRole(legs, 'refund')).toBe(100_000n)
    expect(ofRole(legs, 'merchant')).toBe(price - NETWORK_FEE)
  })

  test('of SOL without a known sender settles when it is too little to stay', () => {
    const paid = [final(1, 1_000_000n), final(2, RENT - 1n, { senders: [] })]
    const legs = legsOf(planFor(intentFor(SOL, 1_000_000n), PAYEE, paid, TERMS))
    expect(total(legs)).toBe(total(paid))
    expect(ofRole(legs, 'merchant')).toBe(1_000_000n + RENT - 1n - NETWORK_FEE)
  })

  const pays = (number: number, amount: bigint) => final(number, amount, { senders: [sender(number, amount)] })

  test.each<Asset>([SOL, MINT])(
    'of %s goes back with the first round to the wallet with the largest part; the others’ stay',
    (asset) => {
      const paid = [pays(1, PRICE), pays(2, 100_000n), pays(3, 300_000n), pays(4, 200_000n)]
      const own = intentFor(asset, PRICE)
      expect(legsOf(planFor(own, PAYEE, paid)).filter(({ role }) => role === 'refund')).toMatchObject([
        { destination: addressNo(3), amount: 300_000n },
      ])
      expect(total(legsOf(planFor(own, PAYEE, paid)))).toBe(PRICE + 300_000n)
      const later = planSettlement(own, PAYEE, depositSharesOf(paid), context(), { returnsExcess: false })
      expect(total(legsOf(later))).toBe(PRICE)
    },
  )

  test('of SOL that is too little to stay settles when no part of it is worth a refund', () => {
    const paid = [pays(1, PRICE), pays(2, 100_000n), pays(3, NETWORK_FEE), pays(4, NETWORK_FEE)]
    const legs = legsOf(planFor(intentFor(SOL, PRICE), PAYEE, paid))
    expect(ofRole(legs, 'refund')).toBe(100_000n)
    expect(ofRole(legs, 'merchant')).toBe(PRICE + 2n * NETWORK_FEE - NETWORK_FEE)
  })

  test('does not exist after the end of the intent: the business sweeps all the money', () => {
    for (const status of ['cancelled', 'refunded', 'refund_failed'] as const) {
      const intent = { ...intentFor(MINT, 100n), status }
      expect(shares(legsOf(planFor(intent, PAYEE, [final(1, 300n, { asset: MINT })], TERMS)))).toEqual([
        ['merchant', 300n],
      ])
    }
  })
})
