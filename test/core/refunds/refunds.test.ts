// Refunds by a business: the limit, the part of the marketplace, and what a transaction counts for, in any course.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWallet } from '#core/chain/curve.ts'
import { type Address, SOL } from '#core/chain/types.ts'
import { sumOf, ZERO } from '#core/money/amounts.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'
import { judgeTransaction, nextLook, READ_AFTER_END_MS, withTransactions } from '#core/refunds/observe.ts'
import { countedIn, partOfMarketplace, payingWalletsOf, planRefunds, type Settled } from '#core/refunds/plan.ts'
import { countedOf, type Refund, type RefundTransaction } from '#core/refunds/refund.ts'
import { exampleRefund } from '../../support/example-refund.ts'
import {
  addressNo,
  choice,
  deposit,
  factsWith,
  intentWith,
  landed,
  later,
  leg,
  NOW,
  signatureNo,
  sweepOf,
  units,
} from '../../support/payment.ts'

const SELLER_WALLET = addressNo(1)
const FEE_WALLET = addressNo(2)
/** An address that a private key can sign for. */
const BUYER = Array.from({ length: 50 }, (_, at) => addressNo(700 + at)).find(isWallet) ?? SELLER_WALLET

const settled = (amount: bigint, cut = 0n): Settled => ({
  intentId: exampleRefund.intentId,
  chargeId: null,
  subscriptionId: null,
  network: 'live',
  callerAccountId: exampleRefund.callerAccountId,
  asset: SOL,
  decimals: 9,
  tokenProgram: null,
  label: 'Corner Shop',
  amount: units(amount),
  cut: units(cut),
  rate: { units: units(amount), cents: 2_500n },
  payee: { accountId: 'seller', wallet: SELLER_WALLET },
  marketplace: { accountId: 'marketplace', wallet: FEE_WALLET },
  // More than settled: only the limit bounds the refunds.
  senders: [{ address: BUYER, amount: units(1_000_000n) }],
})

let ids = 0
const plan = (of: Settled, stored: readonly Refund[], amount: bigint | null, reverseFee: boolean) => {
  ids += 2
  const counted = countedIn(stored.map((one) => ({ ...one, counted: countedOf(one), waiting: 0 })))
  const input = {
    amount: amount === null ? null : units(amount),
    amountUsdCents: null,
    to: null,
    reason: null,
    reference: null,
    reverseFee,
  }
  const made = {
    ids: [`${ids}`, `${ids + 1}`],
    keys: [addressNo(ids), addressNo(ids + 1)],
    at: NOW,
    slot: null,
  } as const
  return planRefunds(of, input, counted, made)
}

const total = (refunds: readonly Refund[]): bigint => sumOf(refunds.map(countedOf))
const ofMarketplace = (refunds: readonly Refund[]) => refunds.filter(({ part }) => part === 'marketplace')

/** One step of a course: a refund is asked for, or a stored one ends with a part of it paid. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), amount: fc.bigInt(1n, 400n), reverseFee: fc.boolean() }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(), paid: fc.bigInt(0n, 400n) }),
)

function run(of: Settled, steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Refund[] {
  let refunds: Refund[] = []
  for (const one of steps) {
    if (one.kind === 'create') {
      const planned = plan(of, refunds, one.amount, one.reverseFee)
      if (!('refused' in planned)) refunds = [...refunds, ...planned]
    } else if (refunds.length > 0) {
      const at = one.which % refunds.length
      refunds = refunds.map((refund, index) =>
        index === at && refund.status === 'open' ? ended(refund, one.paid) : refund,
      )
    }
  }
  return refunds
}

const ended = (refund: Refund, paid: bigint): Refund => {
  const paidAmount = units(paid % refund.amount)
  return { ...refund, status: paidAmount === 0n ? 'canceled' : 'failed', paidAmount, endedAt: refund.createdAt }
}

describe('all refunds of a payment', () => {
  it('never take more than what settled, in any course of creates and ends', () => {
    const course = fc.tuple(fc.bigInt(1n, 1_000n), fc.array(step, { maxLength: 40 }))
    fc.assert(
      fc.property(course, ([amount, steps]) => {
        expect(total(run(settled(amount, amount / 10n), steps)) <= amount).toBe(true)
      }),
    )
  })

  it('take the whole amount together when one asks for everything', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 1_000n), fc.array(step, { maxLength: 20 }), (amount, steps) => {
        const of = settled(amount)
        const before = run(of, steps)
        const rest = plan(of, before, null, false)
        expect('refused' in rest ? total(before) : total([...before, ...rest])).toBe(amount)
      }),
    )
  })
})

describe('the part of a marketplace', () => {
  it('adds up to its cut, to the unit, over refunds of everything, and is at most the cut in any course', () => {
    const course = fc.tuple(
      fc.bigInt(1n, 2_000n).chain((amount) => fc.tuple(fc.constant(amount), fc.bigInt(0n, amount))),
      fc.array(
        fc.oneof(
          fc.record({
            kind: fc.constant('create' as const),
            amount: fc.bigInt(1n, 400n),
            reverseFee: fc.constant(true),
          }),
          fc.record({ kind: fc.constant('end' as const), which: fc.nat(), paid: fc.bigInt(0n, 400n) }),
        ),
        { maxLength: 40 },
      ),
    )
    fc.assert(
      fc.property(course, ([[amount, cut], steps]) => {
        const of = settled(amount, cut)
        const before = run(of, steps)
        expect(total(ofMarketplace(before)) <= cut).toBe(true)
        const rest = plan(of, before, null, true)
        const all = 'refused' in rest ? before : [...before, ...rest]
        expect([total(all), total(ofMarketplace(all))]).toEqual([amount, cut])
      }),
    )
  })

  it('and that of the seller are the amount that was asked for, to one wallet', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 1_000n), fc.bigInt(0n, 1_000n), (amount, cut) => {
        const planned = plan(settled(1_000n, cut), [], amount, true)
        if ('refused' in planned) throw new Error(planned.refused)
        expect(sumOf(planned.map((one) => one.amount))).toBe(amount)
        expect(new Set(planned.map(({ recipient }) => recipient)).size).toBe(1)
        expect(
          planned.map(({ payer, part }) => payer === (part === 'payee' ? SELLER_WALLET : FEE_WALLET)),
        ).not.toContain(false)
      }),
    )
  })

  it('is never more than the amount', () => {
    const before = { payee: units(50n), marketplace: ZERO }
    expect(partOfMarketplace(settled(100n, 100n), units(1n), before)).toBe(1n)
  })
})

describe('what a wallet has paid', () => {
  const [A, B] = [addressNo(610), addressNo(611)]
  const from = (number: number, address: Address, amount: bigint, patch: Partial<Deposit> = {}) =>
    deposit(number, amount, { senders: [{ address, amount: units(amount) }], ...patch })
  const by = (kind: PaymentTransfer['kind'], ...legs: readonly PaymentLeg[]) => sweepOf({ kind, legs, status: 'done' })
  const paidIn = (deposits: readonly Deposit[], transfers: readonly PaymentTransfer[] = []) => {
    const facts = factsWith(intentWith({ selection: choice(SOL, 100n) }), { deposits, transfers })
    return Object.fromEntries(payingWalletsOf(facts, new Map()).map(({ address, amount }) => [address, amount]))
  }

  it('is less what went back to it, by a refund, by the operator or by the approval of the business', () => {
    const deposits = [from(1, A, 60n), from(2, B, 40n)]
    for (const role of ['refund', 'release', 'buyer'] as const)
      expect(paidIn(deposits, [by(role === 'refund' ? role : 'release', leg(role, A, 10n))])).toEqual({
        [A]: 50n,
        [B]: 40n,
      })
    const vault = by('release', leg('release', addressNo(612), 10n))
    expect(paidIn(deposits, [vault])).toEqual({ [A]: 60n, [B]: 40n })
  })

  it('is not less what it sent late and got back, and not more what it sent late', () => {
    const late = from(2, A, 30n, { use: 'late' })
    expect(paidIn([from(1, A, 60n), late])).toEqual({ [A]: 60n })
    expect(paidIn([from(1, A, 60n), late], [by('refund', leg('refund', A, 30n))])).toEqual({ [A]: 60n })
    expect(paidIn([from(1, A, 60n), late], [by('refund', leg('refund', A, 40n))])).toEqual({ [A]: 50n })
  })
})

describe('a transaction', () => {
  const claim = (number: number, amount: bigint): Parameters<typeof judgeTransaction>[0] => ({
    id: String(number),
    asset: SOL,
    recipient: BUYER,
    amount: units(amount),
    createdAt: later(number),
  })
  const moving = (moved: bigint) =>
    landed({
      moves: [
        { account: SELLER_WALLET, delta: -moved },
        { account: BUYER, delta: moved },
      ],
      feePayer: SELLER_WALLET,
    })

  it('counts for the refunds that it names exactly what it moved, and for each as much as it asks for before the next has any', () => {
    const amounts = fc.array(fc.bigInt(1n, 1_000n), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(amounts, fc.bigInt(1n, 4_000n), fc.nat(), (asked, moved, seed) => {
        const claims = asked.map((amount, at) => claim(at, amount))
        const named = claims.toSorted((a, b) => ((Number(a.id) * 7 + seed) % 5) - ((Number(b.id) * 7 + seed) % 5))
        const judged = claims.map((one) => judgeTransaction(one, moving(moved), named))
        const parts = judged.map((one) => ('problem' in one ? 0n : one.amount))
        expect(sumOf(parts)).toBe(moved)
        for (const [at, part] of parts.slice(0, -1).entries()) {
          expect(part <= (asked[at] ?? 0n)).toBe(true)
          if (part < (asked[at] ?? 0n)) expect(sumOf(parts.slice(at + 1))).toBe(0n)
        }
      }),
    )
  })

  it('counts in full where the recipient pays its network fee', () => {
    const own = landed({
      moves: [
        { account: SELLER_WALLET, delta: -100n },
        { account: BUYER, delta: -4_900n },
      ],
      feePayer: BUYER,
    })
    expect(judgeTransaction(claim(1, 100n), own, [claim(1, 100n)])).toMatchObject({
      amount: 100n,
      paidBy: SELLER_WALLET,
    })
  })
})

it('the wallet that paid is the one that gave most, and not one that paid the network fee', () => {
  const claim: Parameters<typeof judgeTransaction>[0] = {
    id: '1',
    asset: SOL,
    recipient: BUYER,
    amount: units(10n),
    createdAt: NOW,
  }
  const moved = landed({
    moves: [
      { account: FEE_WALLET, delta: -5_000n },
      { account: SELLER_WALLET, delta: -10n },
      { account: BUYER, delta: 10n },
    ],
    feePayer: FEE_WALLET,
  })
  expect(judgeTransaction(claim, moved, [claim])).toMatchObject({ amount: 10n, paidBy: SELLER_WALLET })
})

describe('the state of a refund', () => {
  const paid = (number: number, amount: bigint): RefundTransaction => ({
    refundId: exampleRefund.id,
    signature: signatureNo(number),
    slot: BigInt(number),
    amount: units(amount),
    paidBy: SELLER_WALLET,
  })

  it('follows from all transactions that paid it, in whatever parts they are read', () => {
    const parts = fc.array(fc.bigInt(1n, 40_000_000n), { maxLength: 6 })
    fc.assert(
      fc.property(parts, (amounts) => {
        const all = amounts.map((amount, at) => paid(at, amount))
        const once = withTransactions(exampleRefund, all, null, NOW)
        let refund = exampleRefund
        const events: string[] = []
        for (let count = 1; count <= all.length; count += 1) {
          const { after, event } = withTransactions(refund, all.slice(0, count).toReversed(), null, NOW)
          refund = after
          if (event !== null) events.push(event)
        }
        const { status, paidAmount, signatures } = once.after
        if (all.length > 0) expect(refund).toMatchObject({ status, paidAmount, signatures })
        expect(events).toEqual(status === 'succeeded' ? ['refund.succeeded'] : [])
      }),
    )
  })
})

describe('the history of a refund', () => {
  it('is read ever more rarely, at most ten minutes apart, and at the end of its time', () => {
    let now = exampleRefund.createdAt
    const pauses: number[] = []
    while (now < exampleRefund.expiresAt) {
      const next = nextLook(exampleRefund, now)
      if (next === null) throw new Error('it is read to its end')
      pauses.push(next.getTime() - now.getTime())
      now = next
    }
    expect(now).toEqual(exampleRefund.expiresAt)
    expect(pauses.slice(0, 3)).toEqual([5_000, 5_000, 5_000])
    expect(Math.max(...pauses)).toBe(600_000)
    expect(pauses.length).toBeLessThan(240)
  })

  it('is read ever more rarely for seven days after any end, at most six hours apart', () => {
    const ended = { ...exampleRefund, endedAt: exampleRefund.createdAt }
    const pauses: number[] = []
    let now = ended.endedAt
    for (let next = nextLook(ended, now); next !== null; next = nextLook(ended, now)) {
      pauses.push(next.getTime() - now.getTime())
      now = next
    }
    expect(now.getTime() - ended.endedAt.getTime()).toBeGreaterThan(READ_AFTER_END_MS - 1)
    expect(Math.max(...pauses)).toBe(6 * 3_600_000)
    expect(pauses.length).toBeLessThan(130)
  })
})
