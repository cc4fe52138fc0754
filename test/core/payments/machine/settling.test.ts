// From paid to a planned sweep: only when every deposit is final, once for each round, and failed with a reason.

import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import { decideDeposits, decideFinality, decideSettlement } from '#core/payments/machine/deposits.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import type { Deposit, IntentStatus } from '#core/payments/payment-intent.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  changeOf,
  choice,
  context,
  deposit,
  depositAuthority,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  later,
  leg,
  NETWORK_FEE,
  observedDeposit,
  PAYEE,
  signatureNo,
  sweepOf,
  TOKEN_ACCOUNT,
  TOKEN_PROGRAM,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const REARMED_AT = later(100)
const settled = (deposits: readonly Deposit[], state: 'final' | 'dropped' = 'final') =>
  deposits.map((one) => ({ deposit: one, state }))
const where = (number: number) => ({
  signature: signatureNo(number),
  slot: BigInt(1_000 + number),
  subjectId: pendingIntent.id,
})
const paidWith = (...deposits: Deposit[]): IntentFacts =>
  factsWith(intentWith({ status: 'paid', selection: choice(SOL, PRICE), received: units(PRICE) }), { deposits })

describe('final deposits', () => {
  test('are booked, each once, in the change that makes them final', () => {
    const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(MINT, PRICE), received: units(30n) }), {
      deposits: [
        deposit(1, 30n, { asset: MINT }),
        deposit(2, 7n, { use: 'unaccepted', asset: UNKNOWN_MINT, account: addressNo(5) }),
      ],
    })
    const change = changeOf(decideFinality(facts, settled(facts.deposits), context({ now: later(60) })))
    const common = { network: 'live', address: pendingIntent.address, kind: 'deposit', transferId: null }
    expect(change.ledger).toEqual([
      { ...common, account: TOKEN_ACCOUNT, asset: MINT, delta: 30n, ...where(1) },
      { ...common, account: addressNo(5), asset: UNKNOWN_MINT, delta: 7n, ...where(2) },
    ])
    expect(change.deposits.map(({ state }) => state)).toEqual(['final', 'final'])
    expect(change.events).toEqual([])
    expect(change.after).toMatchObject({ status: 'underpaid', updatedAt: later(60) })
    expect(change.after.held).toEqual([
      {
        mint: UNKNOWN_MINT,
        amount: 7n,
        reason: 'It is in another token account than the associated one of the address.',
      },
    ])
  })

  test('have the amount and slot of the final transaction', () => {
    const facts = paidWith(deposit(1, PRICE))
    const final = deposit(1, PRICE - 1n, { slot: 5_000n })
    const change = changeOf(decideFinality(facts, settled([final]), context()))
    expect(change.after).toMatchObject({ status: 'underpaid', received: PRICE - 1n })
    expect(change.deposits).toMatchObject([{ amount: PRICE - 1n, slot: 5_000n, state: 'final' }])
    expect(change.ledger).toMatchObject([{ delta: PRICE - 1n, slot: 5_000n }])
  })

  test('keep their present use, not the use at the time of the chain call', () => {
    const facts = paidWith(deposit(1, PRICE))
    const stale = deposit(1, PRICE, { use: 'wrong_asset' })
    expect(changeOf(decideFinality(facts, settled([stale]), context())).deposits).toMatchObject([{ use: 'applied' }])
  })

  test('are decided once: a second decision, or a decision on an unknown deposit, changes nothing', () => {
    const facts = paidWith(deposit(1, PRICE))
    const after = afterwards(facts, changeOf(decideFinality(facts, settled(facts.deposits), context())))
    expect(decideFinality(after, settled(facts.deposits), context())).toEqual({ kind: 'unchanged' })
    expect(decideFinality(facts, settled([deposit(9, 1n)]), context())).toEqual({ kind: 'unchanged' })
  })
})

describe('a sweep', () => {
  test('is planned when the last deposit becomes final, not before', () => {
    const facts = paidWith(deposit(1, 400_000n), deposit(2, 600_000n))
    const first = changeOf(decideFinality(facts, settled(facts.deposits.slice(0, 1)), context()))
    expect(first).toMatchObject({ transfers: [], after: { status: 'paid' } })
    const half = afterwards(facts, first)
    const rest = half.deposits.filter(({ state }) => state === 'confirmed')
    const change = changeOf(decideFinality(half, settled(rest), context()))
    expect(eventsOf(change)).toEqual(['intent.settling'])
    expect(change.after.status).toBe('settling')
    expect(change.transfers).toEqual([
      {
        key: 'sweep:intent:42:1',
        portion: 'main',
        sourceAccount: null,
        kind: 'sweep',
        network: 'live',
        accountId: pendingIntent.accountId,
        subject: { kind: 'payment', id: pendingIntent.id },
        source: pendingIntent.address,
        authority: depositAuthority(pendingIntent.address, PAYEE.accountIndex, pendingIntent.derivationIndex),
        asset: SOL,
        decimals: 9,
        tokenProgram: null,
        round: 1,
        legs: [
          { role: 'merchant', destination: MERCHANT, amount: PRICE - NETWORK_FEE, feeBps: null },
          { role: 'network_fee', destination: FEE_PAYER, amount: NETWORK_FEE, feeBps: null },
        ],
      },
    ])
  })

  test('of a token names its program', () => {
    const facts = factsWith(intentWith({ status: 'paid', selection: choice(MINT, PRICE), received: units(PRICE) }), {
      deposits: [deposit(1, PRICE, { asset: MINT })],
    })
    const change = changeOf(decideFinality(facts, settled(facts.deposits), context()))
    expect(change.transfers).toMatchObject([{ asset: MINT, tokenProgram: TOKEN_PROGRAM, decimals: 6 }])
  })

  test('is not planned while money is missing, even when the rest is final', () => {
    const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(SOL, PRICE), received: units(1n) }), {
      deposits: [deposit(1, 1n)],
    })
    const change = changeOf(decideFinality(facts, settled(facts.deposits), context()))
    expect(change).toMatchObject({ transfers: [], after: { status: 'underpaid' } })
  })

  test('follows at once when a fork dropped every deposit that was not final', () => {
    const facts = factsWith(
      intentWith({ status: 'overpaid', selection: choice(SOL, PRICE), received: units(PRICE + 9n) }),
      {
        deposits: [deposit(1, PRICE, { state: 'final' }), deposit(2, 9n)],
      },
    )
    const change = changeOf(decideFinality(facts, settled(facts.deposits.slice(1), 'dropped'), context()))
    expect(eventsOf(change)).toEqual(['intent.paid', 'intent.settling'])
    expect(change.transfers).toHaveLength(1)
  })

  test('that cannot be planned fails at once with the reason, with an event for each step', () => {
    const facts = { ...paidWith(deposit(1, PRICE)), payee: { ...PAYEE, sweepDestination: null } }
    const change = changeOf(decideFinality(facts, settled(facts.deposits), context()))
    expect(eventsOf(change)).toEqual(['intent.settling', 'intent.settle_failed'])
    expect(change.after).toMatchObject({
      status: 'settle_failed',
      statusReason: 'The business has no sweep destination.',
    })
    expect(change.transfers).toEqual([])
    // The deposits are still booked.
    expect(change.ledger).toHaveLength(1)
  })

  test('that a crash left between two steps is planned later, once', () => {
    const left = paidWith(deposit(1, PRICE, { state: 'final' }))
    const change = changeOf(decideSettlement(left, context()))
    expect(eventsOf(change)).toEqual(['intent.settling'])
    expect(change.transfers).toHaveLength(1)
    expect(decideSettlement(paidWith(deposit(1, PRICE)), context())).toEqual({ kind: 'unchanged' })
    expect(decideSettlement(afterwards(left, change), context())).toEqual({ kind: 'unchanged' })
  })

  test('is not planned twice: money that arrives while it is under way waits', () => {
    const facts = paidWith(deposit(1, PRICE))
    const under = afterwards(facts, changeOf(decideFinality(facts, settled(facts.deposits), context())))
    const late = afterwards(under, changeOf(decideDeposits(under, [observedDeposit(2, 5n)], null, context())))
    const fresh = late.deposits.filter(({ state }) => state === 'confirmed')
    const change = changeOf(decideFinality(late, settled(fresh), context()))
    expect(change).toMatchObject({ transfers: [], events: [], after: { status: 'settling' } })
    expect(change.ledger).toMatchObject([{ delta: 5n, kind: 'deposit' }])
  })
})

describe('a failed transfer that a person re-arms', () => {
  const ARMED = 'the one'
  const sweep = sweepOf({ id: ARMED, status: 'failed' })
  const refund = sweepOf({ id: ARMED, status: 'failed', kind: 'refund' })
  const gaveUp = (status: IntentStatus, ...transfers: PaymentTransfer[]) =>
    factsWith(intentWith({ status, statusReason: 'it failed', selection: choice(SOL, PRICE) }), {
      deposits: [deposit(1, PRICE, { state: 'final' })],
      transfers,
    })

  test.each([
    ['settle_failed', 'settling', sweep],
    ['refund_failed', 'refunding', refund],
  ] as const)('takes its intent from %s back to %s, with one event', (from, to, transfer) => {
    const change = changeOf(decideRearmed(gaveUp(from, transfer), ARMED, context({ now: REARMED_AT })))
    expect(change.statusOverride).toEqual({ transferId: ARMED, status: 'planned', reason: null, fence: null })
    expect(change.after).toMatchObject({ status: to, statusReason: null, updatedAt: REARMED_AT })
    expect(eventsOf(change)).toEqual([`intent.${to}`])
  })

  test('that is held continues with the reservation that it kept', () => {
    const known = gaveUp('settle_failed', { ...sweep, status: 'held' })
    expect(changeOf(decideRearmed(known, ARMED, context())).after.status).toBe('settling')
  })

  describe('to a wallet that is no longer the sweep destination', () => {
    const elsewhere = (facts: IntentFacts): IntentFacts => ({
      ...facts,
      payee: { ...PAYEE, sweepDestination: addressNo(55) },
    })
    const decided = (facts: IntentFacts) => changeOf(decideRearmed(elsewhere(facts), ARMED, context()))
    const paysNew = [
      { role: 'merchant', destination: addressNo(55), amount: PRICE - NETWORK_FEE },
      { role: 'network_fee', destination: FEE_PAYER, amount: NETWORK_FEE },
    ]

    test('is withdrawn while it is held, and a new round pays the new wallet', () => {
      const change = decided(gaveUp('settle_failed', { ...sweep, status: 'held' }))
      expect(change.statusOverride).toMatchObject({ transferId: ARMED, status: 'failed', fence: null })
      expect(change.transfers).toMatchObject([{ key: 'sweep:intent:42:2', kind: 'sweep', round: 2, legs: paysNew }])
      expect(eventsOf(change)).toEqual(['intent.settling'])
    })

    test('stays failed, and a new round pays the new wallet', () => {
      const change = decided(gaveUp('settle_failed', sweep))
      expect(change.statusOverride).toBeNull()
      expect(change.transfers).toMatchObject([{ key: 'sweep:intent:42:2', legs: paysNew }])
    })

    test('is withdrawn by POST /sweep as well', () => {
      const change = changeOf(decideSweep(elsewhere(gaveUp('settle_failed', { ...sweep, status: 'held' })), context()))
      expect(change).toMatchObject({ statusOverride: { status: 'failed' }, transfers: [{ legs: paysNew }] })
    })

    describe('while it waits, as for an account of that wallet,', () => {
      const waiting = (attemptCount: number) =>
        elsewhere(gaveUp('settling', { ...sweep, status: 'in_progress', attemptCount }))

      test('is withdrawn at the request of business or operator, and a new round pays the new wallet', () => {
        for (const decision of [decideSweep(waiting(0), context()), decideRearmed(waiting(0), ARMED, context())]) {
          const change = changeOf(decision)
          expect(change.statusOverride).toMatchObject({ transferId: ARMED, status: 'failed', fence: null })
          expect(change.transfers).toMatchObject([{ key: 'sweep:intent:42:2', round: 2, legs: paysNew }])
          expect(change.after.status).toBe('settling')
        }
      })

      test('goes on once a transaction of it was made', () => {
        expect(decideSweep(waiting(1), context()).kind).toBe('unchanged')
        expect(decideRearmed(waiting(1), ARMED, context())).toMatchObject({ code: 'transfer_not_retryable' })
      })

      test('goes on while the wallet is the same', () => {
        const same = gaveUp('settling', { ...sweep, status: 'in_progress', attemptCount: 0 })
        expect(decideSweep(same, context()).kind).toBe('unchanged')
      })
    })

    test('is the rent reserve, and follows to the new wallet', () => {
      const rest = {
        ...sweep,
        key: 'sweep:intent:42:2:rest',
        portion: 'rent_reserve',
        legs: [leg('merchant', MERCHANT, 900n)],
      } as const
      const most = { ...sweep, id: 'most', status: 'done', legs: [leg('merchant', MERCHANT, PRICE - 900n)] } as const
      const change = decided(gaveUp('swept', most, { ...rest, status: 'held' }))
      expect(change.transfers).toMatchObject([
        {
          key: 'sweep:intent:42:2:rest',
          portion: 'rent_reserve',
          legs: [{ destination: addressNo(55), amount: 900n }],
        },
      ])
    })

    test('is unchanged when it is not a sweep', () => {
      const change = decided(gaveUp('refund_failed', { ...refund, status: 'held' }))
      expect(change).toMatchObject({ statusOverride: { status: 'planned' }, transfers: [] })
    })
  })

  test.each<[string, IntentFacts]>([
    ['it is of a wrong asset', gaveUp('refund_failed', refund, { ...refund, id: 'other', asset: MINT })],
    ['it was requested after the end', gaveUp('swept', { ...sweep, id: 'other' })],
    ['it collects rent', gaveUp('settle_failed', sweep, { ...sweep, id: 'other', kind: 'rent', legs: [] })],
  ])('does not change the status of its intent when %s', (_, facts) => {
    const known = {
      ...facts,
      deposits: [...facts.deposits, deposit(2, PRICE, { asset: MINT, use: 'wrong_asset', state: 'final' })],
    }
    const change = changeOf(decideRearmed(known, 'other', context()))
    expect(change.statusOverride?.transferId).toBe('other')
    expect(change.after.status).toBe(facts.intent.status)
  })

  const other = { id: 'other', round: 2 }
  const left = { legs: [leg('merchant', MERCHANT, 900n)] }
  const goingOn = { ...other, key: 'sweep:intent:42:3:rest', portion: 'rent_reserve', status: 'in_progress' } as const
  test.each<[string, IntentFacts]>([
    ['a later round replaced it', gaveUp('settle_failed', sweep, { ...sweep, ...other })],
    [
      'it is a rent reserve that continues in a later round',
      gaveUp(
        'swept',
        { ...sweep, ...left, key: 'sweep:intent:42:2:rest', portion: 'rent_reserve' },
        { ...sweep, ...goingOn, ...left },
      ),
    ],
    ['another transfer is about to take its money', gaveUp('swept', refund, { ...sweep, ...other, status: 'held' })],
    ['another transfer moved its money', gaveUp('refund_failed', refund, { ...sweep, ...other, status: 'done' })],
    [
      'the present money has another sender',
      gaveUp('swept', { ...refund, legs: [leg('refund', addressNo(8), PRICE)] }),
    ],
    ['it is under way', gaveUp('settling', { ...sweep, status: 'in_progress' })],
    ['it is done', gaveUp('swept', { ...sweep, status: 'done' })],
    ['the transfer does not exist', gaveUp('settle_failed')],
  ])('is refused when %s', (_, facts) => {
    expect(decideRearmed(facts, ARMED, context())).toEqual({ kind: 'refused', code: 'transfer_not_retryable' })
  })
})
