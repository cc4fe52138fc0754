// Anyone can make many deposits and many refunds of one payment. The work of a change grows with their number, and not with its
// square.
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { depositSharesOf, SharePool, type Taking } from '#core/payments/position/shares.ts'
import { MERCHANT } from '../../../support/example-intent.ts'
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
  NETWORK_FEE,
  observedDeposit,
  sweepOf,
  units,
} from '../../../support/payment.ts'

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
