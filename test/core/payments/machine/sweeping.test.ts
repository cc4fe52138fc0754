// The business wants its money now. Spec: POST /sweep; docs/contract.md, "Sweep on demand".
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { Settlement } from '#core/payments/intent-values.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { SENDER_UNKNOWN } from '#core/payments/obstacle.ts'
import type { Deposit, IntentStatus } from '#core/payments/payment-intent.ts'
import { messageOf } from '#core/payments/status-view.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
  afterwards,
  arrive,
  attemptFor,
  BUYER,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  later,
  leg,
  observedDeposit,
  PAYEE,
  RENT,
  signatureNo,
  sweepOf,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const final = (number: number, amount: bigint, patch: Partial<Deposit> = {}) =>
  deposit(number, amount, { asset: MINT, ...patch })
const sweep = (status: PaymentTransfer['status'], patch: Partial<PaymentTransfer> = {}) =>
  sweepOf({ asset: MINT, status, legs: [leg('merchant', MERCHANT, PRICE)], ...patch })
const refund = (status: PaymentTransfer['status'], amount = PRICE) =>
  sweepOf({ asset: MINT, kind: 'refund', status, legs: [leg('refund', BUYER, amount)] })
const settlement: Settlement = {
  asset: 'USDC',
  decimals: 6,
  destinationAmount: units(PRICE),
  platformFeeAmount: units(0n),
  pendingAmount: units(0n),
  signatures: [signatureNo(3)],
  legs: [],
}

function facts(
  status: IntentStatus,
  deposits: readonly Deposit[],
  transfers: readonly PaymentTransfer[] = [],
): IntentFacts {
  const intent = intentWith({
    status,
    selection: choice(MINT, PRICE),
    settlement: transfers.some((one) => one.kind === 'sweep' && one.status === 'done') ? settlement : null,
  })
  return factsWith(intent, { deposits, transfers })
}
/** Books a sweep that is under way: each of its legs arrived, or the chain refused it. */
function landing(
  known: IntentFacts,
  isMeant = (one: PaymentTransfer) => one.kind === 'sweep',
  error: string | null = null,
) {
  const transfer = known.transfers.find((one) => isMeant(one) && one.status === 'in_progress')
  if (transfer === undefined) throw new Error('no sweep is under way')
  const moves = transfer.legs.map((one) => ({ account: one.destination, asset: transfer.asset, delta: one.amount }))
  const result = error === null ? { moves } : { error }
  const transaction = landed({ feePayer: FEE_PAYER, signature: signatureNo(900), ...result })
  return bookTransfer({ facts: known, transfer, attempt: attemptFor(transfer), transaction, context: context() })
}
const decided = (known: IntentFacts) => decideSweep(known, context())
const swept = (known: IntentFacts) =>
  changeOf(decided(known)).transfers.map(({ legs }) => legs.map(({ role, amount }) => [role, amount]))

describe('a sweep on demand', () => {
  test.each([
    ['underpaid', 400n],
    ['settle_failed', PRICE],
  ] as const)('of an intent that is %s takes what is final, and has it settling', (status, amount) => {
    const known = facts(status, [final(1, amount)])
    expect(swept(known)).toEqual([[['merchant', amount]]])
    expect(eventsOf(changeOf(decided(known)))).toEqual(['intent.settling'])
  })

  test('that has failed too often is tried again at once, and then after pauses that double, up to a day', () => {
    const failedAt = (count: number, secondsAgo: number) => {
      const failed = Array.from({ length: count }, (_, at) =>
        sweep('failed', {
          id: `transfer-${at}`,
          round: at + 1,
          doneAt: later(at === count - 1 ? -secondsAgo : -999_999),
        }),
      )
      return decided(facts('settle_failed', [final(1, PRICE)], failed))
    }
    const refusedFor = (seconds: number) => ({
      kind: 'refused',
      code: 'rate_limited',
      context: { retry_after_seconds: seconds },
    })
    expect(failedAt(5, 0).kind).toBe('moved')
    expect(failedAt(6, 1)).toEqual(refusedFor(59))
    expect(failedAt(6, 60).kind).toBe('moved')
    expect(failedAt(8, 0)).toEqual(refusedFor(240))
    expect(failedAt(40, 1)).toEqual(refusedFor(86_399))
  })

  test('of dust that arrives again and again waits as one that fails: each transaction costs the fee payer its fee', () => {
    const sweptBefore = (count: number) => {
      const done = Array.from({ length: count }, (_, at) =>
        sweep('done', {
          id: `transfer-${at}`,
          round: at + 1,
          doneAt: later(-1),
          legs: [leg('merchant', MERCHANT, 1n)],
        }),
      )
      const deposits = Array.from({ length: count + 1 }, (_, at) => final(at + 1, 1n))
      return decided(facts('swept', deposits, done))
    }
    expect(sweptBefore(5).kind).toBe('moved')
    expect(sweptBefore(6)).toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: 59 } })
    expect(sweptBefore(9)).toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: 479 } })
  })

  test.each(['cancelled', 'refunded', 'refund_failed', 'swept'] as const)(
    'of one that is %s takes what no refund has claimed, and leaves the status as it is',
    (status) => {
      const known = facts(
        status,
        [final(1, 100n, { use: 'late' }), final(2, 60n, { use: 'late' })],
        [refund('done', 60n)],
      )
      const change = changeOf(decided(known))
      expect(change.after.status).toBe(status)
      expect(change.after.latePayments).toMatchObject([{ status: 'settling' }, { status: 'refunded' }])
      expect(eventsOf(change)).toEqual([])
      expect(swept(known)).toEqual([[['merchant', 100n]]])
    },
  )

  test('of money that could not go back says so when it has landed, until more arrives that cannot go back', () => {
    const amount = 400n
    const part = { deposits: [final(1, amount, { senders: [] })] }
    const intent = intentWith({ status: 'underpaid', selection: choice(MINT, PRICE), received: units(amount) })
    const stuck = afterwards(factsWith(intent, part), changeOf(decideCancel(factsWith(intent, part), context())))
    expect(messageOf(stuck.intent)).toContain(SENDER_UNKNOWN)

    const sweeping = afterwards(stuck, changeOf(decided(stuck)))
    expect(sweeping.intent).toMatchObject({ status: 'refund_failed', statusReason: SENDER_UNKNOWN })
    const change = landing(sweeping)
    expect(eventsOf(change)).toEqual(['intent.settlement_updated'])
    const settledInstead =
      'The payment could not be returned automatically. The business settled the money that it received.'
    expect(messageOf(change.after)).toBe(settledInstead)
    expect(change.events.map(({ intent }) => messageOf(intent))).toEqual([settledInstead])

    const done = afterwards(sweeping, change)
    const held = arrive(done, observedDeposit(2, 70n, { asset: MINT, senders: [] })).intent
    expect(held).toMatchObject({ status: 'refund_failed', held: [{ amount: 70n, reason: SENDER_UNKNOWN }] })
    expect(messageOf(held)).toContain(SENDER_UNKNOWN)
  })

  test('returns an excess with the first, and none afterwards', () => {
    expect(swept(facts('settle_failed', [final(1, PRICE + 70n)]))).toEqual([
      [
        ['merchant', PRICE],
        ['refund', 70n],
      ],
    ])
    const later = facts('swept', [final(1, PRICE), final(2, PRICE + 70n, { use: 'late' })], [sweep('done')])
    expect(swept(later)).toEqual([[['merchant', PRICE + 70n]]])
  })

  test.each(['planned', 'in_progress'] as const)('while one is %s is that very one', (status) => {
    expect(decided(facts('settling', [final(1, PRICE)], [sweep(status)]))).toEqual({ kind: 'unchanged' })
  })

  test('tries one again that is held', () => {
    const held = facts('settle_failed', [final(1, PRICE)], [sweep('held')])
    const decision = decided(held)
    if (decision.kind !== 'moved') throw new Error('nothing moved')
    expect(decision.change).toMatchObject({
      transfers: [],
      statusOverride: { status: 'planned' },
      after: { status: 'settling' },
    })
  })

  describe('retries a held rent reserve', () => {
    const reserve = sweepOf({
      id: 'rest',
      key: 'sweep:intent:42:1:rest',
      portion: 'rent_reserve',
      status: 'held',
      round: 2,
      legs: [leg('merchant', MERCHANT, RENT)],
    })
    const withReserve = (deposits: readonly Deposit[], transfers: readonly PaymentTransfer[] = [reserve]) => {
      const intent = intentWith({ status: 'swept', selection: choice(SOL, PRICE), received: units(PRICE), settlement })
      const main = sweepOf({ status: 'done', legs: [leg('merchant', MERCHANT, PRICE - RENT)] })
      return factsWith(intent, {
        deposits: [deposit(1, PRICE), ...deposits],
        transfers: [main, ...transfers],
      })
    }
    const dust = deposit(2, 1n, { use: 'late' })

    test('when nothing else is left', () => {
      const change = changeOf(decided(withReserve([])))
      expect(change).toMatchObject({
        transfers: [],
        statusOverride: { transferId: 'rest', status: 'planned' },
        after: { status: 'swept' },
      })
    })

    test('also next to dust, which has no sweep of its own', () => {
      expect(changeOf(decided(withReserve([dust])))).toMatchObject({
        transfers: [],
        statusOverride: { transferId: 'rest', status: 'planned' },
      })
    })

    test('after the money that has arrived since', () => {
      const more = deposit(2, PRICE, { use: 'late', senders: [] })
      const first = withReserve([more])
      expect(changeOf(decided(first))).toMatchObject({ transfers: [{ portion: 'main' }], statusOverride: null })
      expect(decided(afterwards(first, changeOf(decided(first))))).toEqual({ kind: 'unchanged' })
    })

    test('and no other', () => {
      expect(decided(withReserve([], [{ ...reserve, status: 'in_progress' }]))).toEqual({ kind: 'unchanged' })
    })
  })

  test('after everything was swept is that one once more', () => {
    expect(decided(facts('swept', [final(1, PRICE)], [sweep('done')]))).toEqual({ kind: 'unchanged' })
  })

  test.each(['planned', 'in_progress', 'held'] as const)('is refused while a refund is %s', (status) => {
    const refusal = { kind: 'refused', code: 'refund_in_progress' }
    expect(decided(facts('swept', [final(1, PRICE)], [refund(status)]))).toEqual(refusal)
  })

  test('is refused while the payment is refunding', () => {
    const known = facts('refunding', [deposit(1, 5n, { asset: MINT })])
    expect(decided(known)).toEqual({ kind: 'refused', code: 'refund_in_progress' })
  })

  test('is refused when there is nothing, or nothing left', () => {
    const nothing = { kind: 'refused', code: 'nothing_to_sweep' }
    expect(decided(facts('pending', []))).toEqual(nothing)
    expect(decided(facts('pending', [final(1, 9n, { asset: SOL, use: 'wrong_asset' })]))).toEqual(nothing)
    expect(decided(facts('refunded', [final(1, 9n)], [refund('done', 9n)]))).toEqual(nothing)
    expect(decided(factsWith(intentWith({ selection: null })))).toEqual(nothing)
  })

  test('of SOL that its network fee would eat is nothing to sweep', () => {
    const known = factsWith(intentWith({ status: 'underpaid', selection: choice(SOL, PRICE) }), {
      deposits: [deposit(1, 5_000n)],
    })
    expect(decided(known)).toEqual({ kind: 'refused', code: 'nothing_to_sweep' })
  })

  test('is refused without a destination', () => {
    const known = { ...facts('settle_failed', [final(1, PRICE)]), payee: { ...PAYEE, sweepDestination: null } }
    expect(decided(known)).toEqual({ kind: 'refused', code: 'sweep_destination_missing' })
  })
})
