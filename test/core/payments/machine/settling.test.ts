// From a deposit to a planned sweep: in one change, once for each round, and failed with a reason.

import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  BUYER,
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
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const REARMED_AT = later(100)
const where = (number: number) => ({
  signature: signatureNo(number),
  slot: BigInt(1_000 + number),
  subjectId: pendingIntent.id,
})
const awaiting = (asset: Asset = SOL): IntentFacts =>
  factsWith(intentWith({ selection: choice(asset, PRICE), acceptedAssets: [asset] }))

describe('deposits', () => {
  test('are booked in the change that takes them in, each once', () => {
    const facts = awaiting(MINT)
    const arrived = [
      observedDeposit(1, 30n, { asset: MINT }),
      observedDeposit(2, 7n, { asset: MINT, account: addressNo(5), outOfReach: true }),
    ]
    const change = changeOf(decideDeposits(facts, arrived, null, context({ now: later(60) })))
    const common = { network: 'live', address: pendingIntent.address, kind: 'deposit', transferId: null }
    expect(change.ledger).toEqual([
      { ...common, account: TOKEN_ACCOUNT, asset: MINT, delta: 30n, ...where(1) },
      { ...common, account: addressNo(5), asset: MINT, delta: 7n, ...where(2) },
    ])
    expect(eventsOf(change)).toEqual(['intent.underpaid'])
    expect(change.after).toMatchObject({ status: 'underpaid', updatedAt: later(60) })
    expect(change.after.held).toMatchObject([{ mint: MINT, amount: 7n }])
    expect(decideDeposits(afterwards(facts, change), arrived, null, context())).toEqual({ kind: 'unchanged' })
  })
})

describe('a sweep', () => {
  test('is planned in the change that covers the price, not before', () => {
    const first = changeOf(decideDeposits(awaiting(), [observedDeposit(1, 400_000n)], null, context()))
    expect(first).toMatchObject({ transfers: [], after: { status: 'underpaid' } })
    const half = afterwards(awaiting(), first)
    const change = changeOf(decideDeposits(half, [observedDeposit(2, 600_000n)], null, context()))
    expect(eventsOf(change)).toEqual(['intent.paid', 'intent.settling'])
    expect(change.events.map(({ intent }) => intent.status)).toEqual(['paid', 'settling'])
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
    const change = changeOf(
      decideDeposits(awaiting(MINT), [observedDeposit(1, PRICE, { asset: MINT })], null, context()),
    )
    expect(change.transfers).toMatchObject([{ asset: MINT, tokenProgram: TOKEN_PROGRAM, decimals: 6 }])
  })

  test('that cannot be planned fails at once with the reason, with an event for each step', () => {
    const facts = { ...awaiting(), payee: { ...PAYEE, sweepDestination: null } }
    const change = changeOf(decideDeposits(facts, [observedDeposit(1, PRICE)], null, context()))
    expect(eventsOf(change)).toEqual(['intent.paid', 'intent.settling', 'intent.settle_failed'])
    expect(change.after).toMatchObject({
      status: 'settle_failed',
      statusReason: 'The business has no sweep destination.',
    })
    expect(change.transfers).toEqual([])
    // The deposits are still booked.
    expect(change.ledger).toHaveLength(1)
  })

  test('is not planned twice: money that arrives while it is under way waits', () => {
    const under = apply(awaiting(), decideDeposits(awaiting(), [observedDeposit(1, PRICE)], null, context()))
    const change = changeOf(decideDeposits(under, [observedDeposit(2, 5n)], null, context()))
    expect(change).toMatchObject({ transfers: [], after: { status: 'settling' } })
    expect(eventsOf(change)).toEqual(['intent.late_payment'])
    expect(change.ledger).toMatchObject([{ delta: 5n, kind: 'deposit' }])
  })
})

describe('a failed transfer that a person re-arms', () => {
  const ARMED = 'the one'
  const sweep = sweepOf({ id: ARMED, status: 'failed' })
  const refund = sweepOf({ id: ARMED, status: 'failed', kind: 'refund', legs: [leg('refund', BUYER, PRICE)] })
  const gaveUp = (status: IntentStatus, ...transfers: PaymentTransfer[]) =>
    factsWith(intentWith({ status, statusReason: 'it failed', selection: choice(SOL, PRICE) }), {
      deposits: [deposit(1, PRICE)],
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

  test('that is held continues with the money that it kept', () => {
    const known = gaveUp('settle_failed', { ...sweep, status: 'held' })
    expect(changeOf(decideRearmed(known, ARMED, context())).after.status).toBe('settling')
  })

  test('that is a rent reserve begins no settlement again while the rest is held', () => {
    const most = { ...sweep, id: 'most', status: 'held' } as const
    const rest = { ...sweep, key: 'sweep:intent:42:2:rest', portion: 'rent_reserve', status: 'held' } as const
    const change = changeOf(decideRearmed(gaveUp('settle_failed', most, rest), ARMED, context()))
    expect(change.after.status).toBe('settle_failed')
    expect(eventsOf(change)).toEqual([])
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
      deposits: [...facts.deposits, deposit(2, PRICE, { asset: MINT, use: 'wrong_asset' })],
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
