import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import { usdCentsToBaseUnits } from '#core/money/conversion.ts'
import type { Payee } from '#core/payments/change.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { sparingRent } from '#core/payments/position/rent-reserve.ts'
import { depositSharesOf, SharePool, type Taking } from '#core/payments/position/shares.ts'
import { type EarlierRounds, planSettlement, type SettlementPlan } from '#core/payments/settlement/settlement-plan.ts'
import type { LegRole, PaymentLeg } from '#core/payments/transfers.ts'
import { MERCHANT, MINT } from '../../support/example-intent.ts'
import {
  addressNo,
  changeOf,
  choice,
  context,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  leg,
  MARKETPLACE,
  NETWORK_FEE,
  observedDeposit,
  PAYEE,
  PLATFORM,
  sweepOf,
  TERMS,
  units,
} from '../../support/payment.ts'

// The split of a payment for a seller, over every fee, amount, excess, rent minimum and rate. docs/contract.md, "Fees".
const ALL_BPS = 10_000n

const total = (parts: readonly { readonly amount: bigint }[]) => parts.reduce((sum, { amount }) => sum + amount, 0n)
const ofRole = (legs: readonly PaymentLeg[], role: LegRole) => total(legs.filter((leg) => leg.role === role))

type Split = {
  readonly asset: Asset
  readonly expected: bigint
  readonly deposits: readonly Deposit[]
  /** Rates in basis points. Together they can take everything, when a rate was frozen under other limits. */
  readonly cut: number
  readonly platform: number
  readonly networkFee: bigint
  readonly rent: bigint
  readonly hasFeeWallet: boolean
  readonly hasPlatformWallet: boolean
}

const termsOf = ({ platform, networkFee, hasPlatformWallet }: Split): FeeTerms => ({
  ...TERMS,
  platformFeeBps: makeBasisPoints(platform),
  platformWallet: hasPlatformWallet ? PLATFORM : null,
  networkFee: makeLamports(networkFee),
})

const planOf = (
  split: Split,
  shares = depositSharesOf(split.deposits),
  earlier: EarlierRounds = {},
): SettlementPlan => {
  const { asset, expected, cut, rent, hasFeeWallet } = split
  const payee: Payee = { ...PAYEE, marketplace: { feeDestination: hasFeeWallet ? MARKETPLACE : null } }
  const intent = intentWith({ selection: choice(asset, expected), marketplaceFeeBps: makeBasisPoints(cut) })
  const rentMinimum = makeLamports(rent)
  return planSettlement(intent, payee, shares, context({ rentMinimum, terms: termsOf(split) }), earlier)
}

/** The platform's rate, which is not taken where both rates leave the seller nothing. */
const takenOf = ({ cut, platform }: Pick<Split, 'cut' | 'platform'>): number =>
  cut + platform < Number(ALL_BPS) ? platform : 0

const amounts = fc.oneof(fc.bigInt({ min: 1n, max: 100_000n }), fc.bigInt({ min: 1n, max: 10n ** 15n }))
const rates = fc.integer({ min: 0, max: 5_000 })

/** Deposits of known senders, of an unknown sender, and of both. */
const depositsOf = (asset: Asset) => {
  const senders = fc.array(
    fc.record({ address: fc.integer({ min: 1, max: 4 }).map(addressNo), amount: amounts.map(units) }),
    { maxLength: 3 },
  )
  const one = fc.record({ amount: amounts, slot: fc.bigInt({ min: 1n, max: 5n }), senders })
  return fc
    .array(one, { minLength: 1, maxLength: 5 })
    .map((list) => list.map(({ amount, ...patch }, at) => deposit(at, amount, { asset, ...patch })))
}

const splitsOf = (asset: Asset): fc.Arbitrary<Split> =>
  fc.record({
    asset: fc.constant(asset),
    expected: amounts,
    deposits: depositsOf(asset),
    cut: rates,
    platform: fc.oneof(rates, fc.integer({ min: 0, max: 10_000 })),
    networkFee: fc.bigInt({ min: 0n, max: 1_000_000n }),
    rent: fc.bigInt({ min: 0n, max: 3_000_000n }),
    hasFeeWallet: fc.boolean(),
    hasPlatformWallet: fc.boolean(),
  })

/** Runs the check for every split that is not refused. */
const everySplit = (asset: Asset, check: (split: Split, legs: readonly PaymentLeg[]) => void): void => {
  let planned = 0
  fc.assert(
    fc.property(splitsOf(asset), (split) => {
      const plan = planOf(split)
      if ('refused' in plan) return
      planned += 1
      check(split, plan.legs)
    }),
    { numRuns: 500 },
  )
  expect(planned).toBeGreaterThan(100)
}

describe('the legs of a SOL payment for a seller', () => {
  test('add up to the deposits, less an excess that may stay, whatever the fees, amounts and rent minimum', () => {
    everySplit(SOL, ({ deposits, expected, rent }, legs) => {
      const stays = total(deposits) - total(legs)
      // Less than the rent minimum stays only for wallets whose refunds follow: the sweep then leaves more.
      const isReturned = stays >= rent || ofRole(legs, 'refund') > 0n
      expect(stays === 0n || (isReturned && total(legs) >= expected)).toBe(true)
    })
  })

  test('are all above zero', () => {
    everySplit(SOL, (_, legs) => expect(legs.filter(({ amount }) => amount <= 0n)).toEqual([]))
  })

  test('round each cut down and nothing else: the seller has every lamport that is left', () => {
    everySplit(SOL, ({ networkFee, hasFeeWallet, hasPlatformWallet, ...split }, legs) => {
      const settles = total(legs) - ofRole(legs, 'refund')
      const floor = (bps: number): bigint => (settles * BigInt(bps)) / ALL_BPS
      const cuts = [
        hasFeeWallet ? floor(split.cut) : 0n,
        hasPlatformWallet ? floor(takenOf(split)) : 0n,
        networkFee,
      ] as const
      expect((['marketplace', 'platform', 'network_fee'] as const).map((role) => ofRole(legs, role))).toEqual(cuts)
      expect(ofRole(legs, 'seller')).toBe(settles - cuts[0] - cuts[1] - cuts[2])
      expect(ofRole(legs, 'merchant')).toBe(0n)
    })
  })

  test('go to one wallet for each role, with the rate of each cut', () => {
    everySplit(SOL, ({ cut, platform }, legs) => {
      const settled = legs.filter(({ role }) => role !== 'refund')
      expect(new Set(settled.map(({ role }) => role)).size).toBe(settled.length)
      for (const { role, destination, feeBps } of settled) {
        if (role === 'seller') expect([destination, feeBps]).toEqual([MERCHANT, null])
        if (role === 'marketplace') expect([destination, feeBps]).toEqual([MARKETPLACE, cut])
        if (role === 'platform') expect([destination, feeBps]).toEqual([PLATFORM, platform])
        if (role === 'network_fee') expect([destination, feeBps]).toEqual([FEE_PAYER, null])
      }
    })
  })

  test('are refused only where the fees leave the seller nothing', () => {
    fc.assert(
      fc.property(splitsOf(SOL), fc.option(amounts, { freq: 1 }), (split, anyAmount) => {
        // Half of the amounts are just the network fee.
        const amount = anyAmount ?? split.networkFee + 1n
        const networkFee = anyAmount === null ? amount : split.networkFee
        const exact = { ...split, networkFee, expected: amount, deposits: [deposit(1, amount)] }
        const floor = (bps: number): bigint => (amount * BigInt(bps)) / ALL_BPS
        const cut = exact.hasFeeWallet ? floor(exact.cut) : 0n
        const platform = exact.hasPlatformWallet ? floor(takenOf(exact)) : 0n
        expect('refused' in planOf(exact)).toBe(amount <= cut + platform + exact.networkFee)
      }),
    )
  })

  test('leave the seller something at every two rates, of a payment that covers the network fee', () => {
    const price = 10n ** 9n
    const paid = [deposit(1, price)]
    const whole = { expected: price, deposits: paid, networkFee: 5_000n, hasFeeWallet: true, hasPlatformWallet: true }
    fc.assert(
      fc.property(splitsOf(SOL), (split) => {
        const plan = planOf({ ...split, ...whole })
        if ('refused' in plan) throw new Error(plan.refused)
        expect(total(plan.legs)).toBe(price)
        expect(ofRole(plan.legs, 'seller')).toBeGreaterThan(0n)
        expect(ofRole(plan.legs, 'platform') > 0n).toBe(takenOf(split) > 0)
      }),
    )
  })

  test('add up to a price at every rate, which is rounded up once', () => {
    const cents = fc.bigInt({ min: 1n, max: 10_000_000n })
    const price = fc.record({ mantissa: fc.bigInt({ min: 1n, max: 10n ** 8n }), exponent: fc.constant(-4) })
    fc.assert(
      fc.property(splitsOf(SOL), cents, price, (split, usd, rate) => {
        const expected = usdCentsToBaseUnits(makeUsdCents(usd), rate, 9)
        if (typeof expected !== 'bigint') return
        const plan = planOf({ ...split, expected, deposits: [deposit(1, expected)] })
        if ('refused' in plan) return
        expect(total(plan.legs)).toBe(expected)
        // The lamports are worth the price, and one lamport less is not.
        const worth = (lamports: bigint): bigint => lamports * rate.mantissa
        const wanted = usd * 10n ** 11n
        expect(worth(total(plan.legs)) >= wanted && worth(total(plan.legs) - 1n) < wanted).toBe(true)
      }),
    )
  })

  test('lose only the rent minimum, from the seller’s leg, when it stays at the address', () => {
    everySplit(SOL, ({ rent }, legs) => {
      const sparing = sparingRent(legs, makeLamports(rent))
      const own = ofRole(legs, 'seller')
      // An empty wallet can take each part.
      if (sparing === null) return expect(own < 2n * rent).toBe(true)
      expect(ofRole(sparing, 'seller')).toBe(own - rent)
      expect(own - rent >= rent).toBe(true)
      expect(sparing.slice(1)).toEqual(legs.slice(1))
    })
  })
})

describe('the legs of a token payment for a seller', () => {
  test('are the seller’s whole price and the excess: no cut and no network fee, whatever the rates', () => {
    everySplit(MINT, ({ deposits, expected }, legs) => {
      const paid = total(deposits)
      expect(new Set(legs.map(({ role }) => role)).isSubsetOf(new Set(['seller', 'refund']))).toBe(true)
      const stays = paid - total(legs)
      expect(ofRole(legs, 'seller')).toBe(paid < expected ? paid : expected)
      expect(stays >= 0n && (stays === 0n || paid > expected)).toBe(true)
      expect(legs.every(({ amount, feeBps }) => amount > 0n && feeBps === null)).toBe(true)
    })
  })
})

// Anyone can make many deposits and many refunds of one payment. The work of a change grows with their number, and not with its
// square.
describe('shares', () => {
  const AMOUNT = 50_000n
  const walletNo = (number: number) => addressNo(20_000 + number)
  const refundTo = (number: number): Taking => ({
    kind: 'refund',
    legs: [leg('refund', walletNo(number), AMOUNT - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
  })
  const sweep: Taking = { kind: 'sweep', legs: [leg('merchant', MERCHANT, AMOUNT)] }
  const late = (number: number, wallet: number | null, patch: Partial<Deposit> = {}) =>
    deposit(number, AMOUNT, {
      use: 'late',
      senders: wallet === null ? [] : [{ address: walletNo(wallet), amount: units(AMOUNT) }],
      ...patch,
    })

  describe('the shares that the transfers of a payment look at', () => {
    test.each<[string, (at: number) => number | null, (at: number, count: number) => Taking]>([
      ['one refund to each of many wallets', (at) => at, refundTo],
      ['many refunds to one wallet', () => 0, () => refundTo(0)],
      ['refunds in the reverse order of the payments', (at) => at, (at, count) => refundTo(count - 1 - at)],
      ['sweeps on demand of money without a known sender', () => null, () => sweep],
      ['refunds and sweeps in turn', (at) => at, (at) => (at % 2 === 0 ? refundTo(at) : sweep)],
    ])('grow with their number: %s', (_, walletOf, transferAt) => {
      const stepsOf = (count: number) => {
        const pool = new SharePool()
        const deposits = Array.from({ length: count }, (_, at) => late(at, walletOf(at)))
        for (const share of depositSharesOf(deposits)) pool.add(share)
        for (let at = 0; at < count; at += 1) pool.take(pool.takesOf(transferAt(at, count)))
        return pool.steps
      }
      expect(stepsOf(4_000)).toBeLessThanOrEqual(5 * stepsOf(1_000))
      expect(stepsOf(4_000)).toBeLessThanOrEqual(6 * 4_000)
    })
  })

  test('a change reads each deposit a limited number of times, however many refunds there are', () => {
    const readsWith = (count: number) => {
      let reads = 0
      const counting = (one: Deposit): Deposit => ({
        ...one,
        get seenVersion() {
          reads += 1
          return one.seenVersion
        },
        get use() {
          reads += 1
          return one.use
        },
      })
      const deposits = Array.from({ length: count }, (_, at) => counting(late(at, at, { seenVersion: at })))
      const transfers = deposits.map((_, at) => {
        const { kind, legs } = refundTo(at)
        const moved = legs.map(({ amount }) => amount)
        return sweepOf({ id: `refund-${at}`, kind, round: at + 1, status: 'done', plannedVersion: at, legs, moved })
      })
      const intent = intentWith({ status: 'swept', selection: choice(SOL, AMOUNT), version: count })
      const facts = factsWith(intent, { deposits, transfers })
      const { after } = changeOf(decideDeposits(facts, [observedDeposit(count, AMOUNT)], null, context()))
      expect(after.listTotals.latePayments?.count).toBe(count + 1)
      return reads
    }
    expect(readsWith(1_200)).toBeLessThanOrEqual(5 * readsWith(300))
  })
})
