// A transfer that cannot land as planned, because money arrived since then: whether it is planned again with that
// money, and which money it then takes. The rent reserve goes last and to the business, so it must never take money
// that others are owed.

import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Decision, IntentChange, IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookDusty, bookHeld, bookUndeliverable, isReserveDue } from '#core/payments/machine/withdraw.ts'
import { obstacleText } from '#core/payments/obstacle.ts'
import type { Deposit, IntentStatus } from '#core/payments/payment-intent.ts'
import { Position } from '#core/payments/position/position.ts'
import { MAX_WITHDRAWN_ROUNDS } from '#core/payments/rounds.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  attemptFor,
  BUYER,
  blockedLeg,
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
  MARKETPLACE,
  NETWORK_FEE,
  NOW,
  PAYEE,
  PLATFORM,
  RENT,
  signatureNo,
  sweepOf,
  TERMS,
  units,
} from '../../../support/payment.ts'

const PRICE = 10_000_000n
const UNKNOWN = { senders: [] }
const STRANGER = addressNo(77)
const REST = sweepOf({
  id: 'rest',
  key: 'sweep:intent:42:4:rest',
  portion: 'rent_reserve',
  status: 'planned',
  round: 4,
  legs: [leg('merchant', MERCHANT, RENT)],
})

/** Facts of a payment that is swept except the rent reserve, with later deposits. */
const swept = (
  since: readonly Deposit[],
  { status = 'swept', others = [] }: { status?: IntentStatus; others?: readonly PaymentTransfer[] } = {},
): IntentFacts =>
  factsWith(intentWith({ status, selection: choice(SOL, PRICE), received: units(PRICE) }), {
    deposits: [deposit(1, PRICE), ...since],
    transfers: [
      sweepOf({ id: 'most', status: 'done', round: 3, legs: [leg('merchant', MERCHANT, PRICE - RENT)] }),
      REST,
      ...others,
    ],
  })

const late = (amount: bigint, patch: Partial<Deposit> = {}): Deposit => deposit(2, amount, { use: 'late', ...patch })
const DUST = 3_000n
/** Returns the outcome of the transfer when the chain shows additional dust; null while it waits. */
const dusty = (facts: IntentFacts, transfer = REST, seconds = 0): IntentChange | null =>
  bookDusty({ facts, transfer, context: context({ now: later(seconds) }) }, { fence: 1n }, 'More lies there.')
const isTaken = (facts: IntentFacts, transfer = REST): boolean => dusty(facts, transfer) !== null

describe('a cut whose wallet cannot take it', () => {
  const TAKEN = [
    leg('seller', MERCHANT, PRICE - 1_000n - 500n - NETWORK_FEE),
    leg('marketplace', MARKETPLACE, 1_000n),
    leg('platform', PLATFORM, 500n),
    leg('network_fee', FEE_PAYER, NETWORK_FEE),
  ]
  const sweep = sweepOf({ id: 'split', status: 'planned', attemptCount: 0, legs: TAKEN })
  const settling = {
    ...factsWith(
      intentWith({
        status: 'settling',
        selection: choice(SOL, PRICE),
        received: units(PRICE),
        marketplaceFeeBps: makeBasisPoints(1),
      }),
      { deposits: [deposit(1, PRICE)], transfers: [sweep] },
    ),
    payee: { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } },
  }
  const change = bookUndeliverable(
    { facts: settling, transfer: sweep, context: context() },
    { fence: 1n },
    'The wallet is empty.',
    [blockedLeg(MARKETPLACE, 'below_rent_minimum', 'marketplace')],
  )

  test('goes to the seller in the next round, to the lamport', () => {
    const [next] = change.transfers
    const amounts = new Map(next?.legs.map(({ role, amount }) => [role, amount]))
    expect(amounts.has('marketplace')).toBe(false)
    const platform = amounts.get('platform') ?? 0n
    expect(amounts.get('seller')).toBe(PRICE - platform - NETWORK_FEE)
  })

  test('is no entry of the audit trail yet: a later round can pay it', () => {
    expect(change.waived).toBeUndefined()
  })

  test('in a wallet of both cuts leaves the other cut as it is', () => {
    const terms = { ...TERMS, platformWallet: MARKETPLACE }
    const shared = bookUndeliverable(
      { facts: settling, transfer: sweep, context: context({ terms }) },
      { fence: 1n },
      'The wallet is empty.',
      [blockedLeg(MARKETPLACE, 'below_rent_minimum', 'platform')],
    )
    expect(shared.transfers[0]?.legs.map(({ role }) => role)).toEqual(['seller', 'marketplace', 'network_fee'])
  })
})

describe('the rent reserve', () => {
  test('takes dust without a known sender, which is not returned', () => {
    const facts = swept([late(DUST, UNKNOWN)])
    expect(isTaken(facts)).toBe(true)
    const change = dusty(facts)
    expect(change?.statusOverride).toMatchObject({ transferId: 'rest', status: 'failed' })
    expect(change?.transfers).toMatchObject([
      {
        key: 'sweep:intent:42:5:rest',
        portion: 'rent_reserve',
        kind: 'sweep',
        round: 5,
        legs: [leg('merchant', MERCHANT, RENT + DUST)],
      },
    ])
  })

  describe('and what it takes is in the figures of the settlement at once', () => {
    const withSettlement = (facts: IntentFacts, received = PRICE): IntentFacts => ({
      ...facts,
      intent: {
        ...facts.intent,
        received: units(received),
        settlement: {
          asset: 'SOL',
          decimals: 9,
          destinationAmount: units(PRICE - RENT),
          platformFeeAmount: units(0n),
          pendingAmount: units(RENT),
          signatures: [signatureNo(3)],
          legs: [],
        },
      },
    })
    const rest = deposit(2, DUST, { ...UNKNOWN })

    test.each<[string, IntentFacts]>([
      ['late dust', withSettlement(swept([late(DUST, UNKNOWN)]))],
      ['the rest of an excess', withSettlement(swept([rest]), PRICE + DUST)],
    ])('%s', (_name, facts) => {
      const joined = dusty(facts) as IntentChange
      expect(eventsOf(joined)).toEqual(['intent.settlement_updated'])
      expect(joined.after).toMatchObject({
        status: 'swept',
        received: PRICE + DUST,
        settlement: { pendingAmount: RENT + DUST, destinationAmount: PRICE - RENT },
        latePayments: [],
        held: [],
      })

      const open = afterwards(facts, joined)
      const transfer = open.transfers.at(-1)
      if (transfer === undefined) throw new Error('no reserve is planned')
      const moves = transfer.legs.map((one) => ({ account: one.destination, delta: one.amount }))
      const transaction = landed({ feePayer: FEE_PAYER, signature: signatureNo(900), moves })
      const booked = bookTransfer({
        facts: open,
        transfer,
        attempt: attemptFor(transfer),
        transaction,
        context: context(),
      })
      expect(eventsOf(booked)).toEqual(['intent.settlement_updated'])
      expect(booked.after).toMatchObject({
        received: PRICE + DUST,
        settlement: { pendingAmount: 0n, destinationAmount: PRICE + DUST },
        latePayments: [],
        held: [],
      })
    })
  })

  test('is sent before held money, but not before an open transfer', () => {
    const refund = (status: PaymentTransfer['status']) => sweepOf({ id: 'back', kind: 'refund', status })
    const isDue = (facts: IntentFacts) => isReserveDue(REST, facts, NOW)
    expect(isDue(swept([late(RENT, UNKNOWN)]))).toBe(true)
    expect(isDue(swept([], { others: [refund('done')] }))).toBe(true)
    for (const status of ['planned', 'in_progress', 'held'] as const) {
      expect(isDue(swept([], { others: [refund(status)] }))).toBe(false)
    }
  })

  test('takes dust to the current sweep destination', () => {
    const facts = { ...swept([late(DUST, UNKNOWN)]), payee: { ...PAYEE, sweepDestination: STRANGER } }
    expect(dusty(facts)?.transfers).toMatchObject([{ legs: [leg('merchant', STRANGER, RENT + DUST)] }])
  })

  test('takes dust that is worth less than its return', () => {
    expect(isTaken(swept([late(DUST)]))).toBe(true)
  })

  test('takes dust that belongs to the business', () => {
    expect(isTaken(swept([late(DUST)], { status: 'settling' }))).toBe(true)
  })

  test('has no dust left next to it by a refund, which takes it for the network fee', () => {
    const dust = deposit(3, DUST, { use: 'late', senders: [{ address: STRANGER, amount: units(DUST) }] })
    const { transfers } = complete(new Position(swept([late(PRICE), dust]), context()))
    expect(transfers.map(({ legs }) => legs)).toEqual([
      [leg('refund', BUYER, PRICE - NETWORK_FEE + DUST), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
    ])
  })

  test('takes nothing when nothing arrived', () => {
    expect(isTaken(swept([]))).toBe(false)
  })

  test('takes no held money that could stay at the address', () => {
    expect(isTaken(swept([late(500_000_000n, UNKNOWN)]))).toBe(false)
    expect(isTaken(swept([late(RENT, UNKNOWN)]))).toBe(false)
    expect(isTaken(swept([late(RENT - 1n, UNKNOWN)]))).toBe(true)
  })

  test.each([RENT - 1n, 500_000_000n])(
    'has another round, and does not take %s lamports that go back by now',
    (amount) => {
      const planned = dusty(swept([late(amount)]))?.transfers.map(({ kind, legs }) => [kind, legs[0]?.amount])
      expect(planned).toEqual([
        ['sweep', RENT],
        ['refund', amount - NETWORK_FEE],
      ])
    },
  )

  test.each(['planned', 'in_progress', 'held'] as const)('takes nothing while another transfer is %s', (status) => {
    const refund = sweepOf({ id: 'refund', key: 'refund:intent:42:1:SOL', kind: 'refund', status, legs: [] })
    expect(isTaken(swept([late(DUST, UNKNOWN)], { others: [refund] }))).toBe(false)
  })

  test('takes no money whose return failed, because a person decides about it', () => {
    const gaveUp = sweepOf({
      id: 'refund',
      key: 'refund:intent:42:1:SOL',
      kind: 'refund',
      status: 'failed',
      attemptCount: 1,
      legs: [leg('refund', BUYER, RENT / 2n - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
    })
    expect(isTaken(swept([late(RENT / 2n)], { status: 'refund_failed', others: [gaveUp] }))).toBe(false)
  })

  test('takes no money whose return failed five times, also next to dust of a stranger', () => {
    const own = RENT / 2n
    const failed = Array.from({ length: 5 }, (_, at) =>
      sweepOf({
        id: `refund-${at}`,
        key: `refund:intent:42:${at + 1}:SOL`,
        kind: 'refund',
        round: at + 1,
        status: 'failed',
        legs: [leg('refund', BUYER, own - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
      }),
    )
    const dust = deposit(3, 1n, { use: 'late', senders: [{ address: STRANGER, amount: units(1n) }] })
    expect(isTaken(swept([late(own)], { others: failed }))).toBe(false)
    expect(isTaken(swept([late(own), dust], { others: failed }))).toBe(false)
  })
})

describe('a wallet that cannot take its refund', () => {
  const refund = sweepOf({
    id: 'refund',
    key: 'refund:intent:42:1:SOL',
    kind: 'refund',
    attemptCount: 0,
    legs: [leg('refund', BUYER, 900n), leg('network_fee', FEE_PAYER, 100n)],
  })
  const refunding = factsWith(intentWith({ status: 'refunding', selection: choice(SOL, PRICE) }), {
    deposits: [late(1_000n)],
    transfers: [refund],
  })
  const change = bookUndeliverable(
    { facts: refunding, transfer: refund, context: context() },
    { fence: 1n },
    'It waits.',
    [blockedLeg(BUYER, 'not_a_wallet')],
  )
  const reason = obstacleText('not_a_wallet', BUYER)

  test('is not forgotten: the deposit keeps its address with the obstacle', () => {
    expect(change.deposits).toMatchObject([{ senders: [{ address: BUYER, amount: 1_000n, obstacle: 'not_a_wallet' }] }])
  })

  test('is shown as the reason why the money is held, and nothing more is planned', () => {
    expect(change.after).toMatchObject({ status: 'refund_failed', statusReason: reason })
    expect(change.after.held).toEqual([{ mint: null, amount: 1_000n, reason }])
    expect(change.transfers).toEqual([])
  })

  test('is still shown as the reason when an attempt of the transfer was abandoned before', () => {
    const tried = { ...refund, attemptCount: 1 }
    const facts = { ...refunding, transfers: [tried] }
    const blocked = [blockedLeg(BUYER, 'not_a_wallet')]
    const after = bookUndeliverable(
      { facts, transfer: tried, context: context() },
      { fence: 1n },
      'It waits.',
      blocked,
    ).after
    expect(after.held).toMatchObject([{ reason }])
  })

  test('takes nothing from what was paid after the round was planned: the next round returns both', () => {
    const more = deposit(8, 400_000_000n, { use: 'late', seenVersion: refund.plannedVersion + 1 })
    const both = { ...refunding, deposits: [...refunding.deposits, more] }
    const blocked = [blockedLeg(BUYER, 'too_small')]
    const about = { facts: both, transfer: refund, context: context() }
    const after = bookUndeliverable(about, { fence: 1n }, 'It is too small.', blocked)
    expect(after.deposits).toMatchObject([{ amount: 1_000n, senders: [{ obstacle: 'too_small' }] }])
    expect(after.transfers).toMatchObject([{ kind: 'refund', legs: [{ destination: BUYER }, { role: 'network_fee' }] }])
    expect(after.transfers[0]?.legs.reduce((sum, { amount }) => sum + amount, 0n)).toBe(400_001_000n)
  })

  test('leaves the obstacle of an earlier payment as it is, when dust of the same wallet is not worth its return', () => {
    const senders = [{ address: BUYER, amount: units(400_000_000n), obstacle: 'frozen_account' as const }]
    const earlier = deposit(8, 400_000_000n, { use: 'late', senders, seenVersion: 0 })
    const facts = { ...refunding, deposits: [earlier, ...refunding.deposits] }
    const about = { facts, transfer: refund, context: context() }
    const after = bookUndeliverable(about, { fence: 1n }, 'It is too small.', [blockedLeg(BUYER, 'too_small')])
    expect(after.deposits).toMatchObject([{ amount: 1_000n, senders: [{ obstacle: 'too_small' }] }])
    expect(after.after.held).toMatchObject([{ amount: 400_001_000n, reason: obstacleText('frozen_account', BUYER) }])
  })

  test('can be paid by a person who retries the transfer when the obstacle has ended', () => {
    const stopped = afterwards(refunding, change)
    expect(decideRearmed(stopped, 'refund', context())).toMatchObject({ kind: 'moved' })
  })
})

describe('the rent reserve, while dust keeps arriving', () => {
  const ended = (count: number, status: PaymentTransfer['status'] = 'failed'): readonly PaymentTransfer[] =>
    Array.from({ length: count }, (_, at) => ({ ...REST, id: `earlier-${at}`, status, attemptCount: at % 2 }))

  test.each([
    [1, 60],
    [2, 120],
    [3, 240],
    [11, 61_440],
    [12, 86_400],
    [40, 86_400],
  ])('waits longer each time, and follows without a person when the dust ends: after %i times %i s', (count, wait) => {
    const before = swept([late(DUST, UNKNOWN)], { others: ended(count) })
    const facts = { ...before, transfers: [...before.transfers.filter((one) => one !== REST), REST] }
    expect(isReserveDue(REST, facts, later(wait - 1))).toBe(false)
    expect(isReserveDue(REST, facts, later(wait))).toBe(true)
    expect(dusty(facts, REST, wait)?.transfers).toMatchObject([{ legs: [leg('merchant', MERCHANT, RENT + DUST)] }])
  })

  test.each([
    ['a retry', (facts: IntentFacts) => decideRearmed(facts, REST.id, context())],
    ['a sweep on demand', (facts: IntentFacts) => decideSweep(facts, context())],
  ])('goes by %s when it was held, to the wallet of that moment', (_, decide) => {
    const facts = afterwards(
      swept([]),
      bookHeld({ facts: swept([]), transfer: REST, context: context() }, { fence: 1n }, 'no'),
    )
    expect(changeOf(decide(facts)).statusOverride).toMatchObject({ transferId: REST.id, status: 'planned' })
    const moved = { ...facts, payee: { ...PAYEE, sweepDestination: STRANGER } }
    expect(changeOf(decide(moved)).transfers).toMatchObject([{ legs: [leg('merchant', STRANGER, RENT)] }])
  })
})

describe('a refund of an excess that follows the settlement', () => {
  const EXCESS = 5_000_000n
  const refund = sweepOf({
    id: 'refund',
    key: 'refund:intent:42:1:SOL',
    kind: 'refund',
    status: 'in_progress',
    legs: [leg('refund', BUYER, EXCESS)],
  })
  const overpaid = factsWith(
    intentWith({ status: 'swept', selection: choice(SOL, PRICE), received: units(PRICE + EXCESS) }),
    {
      deposits: [deposit(1, PRICE + EXCESS)],
      transfers: [sweepOf({ id: 'most', status: 'done', legs: [leg('merchant', MERCHANT, PRICE)] }), refund],
    },
  )

  test('says why it is held, and nothing when it continues', () => {
    const reason = 'The deposit address’s token account is frozen by its issuer.'
    const held = bookHeld({ facts: overpaid, transfer: refund, context: context() }, { fence: 1n }, reason)
    expect(held.after).toMatchObject({ status: 'swept', statusReason: `What was paid too much is held. ${reason}` })
    expect(held.after.held).toMatchObject([{ amount: EXCESS, reason }])
    const again = changeOf(decideRearmed(afterwards(overpaid, held), refund.id, context()))
    expect(again.after).toMatchObject({ statusReason: null, held: [] })
  })

  test.each([
    ['release', 'release:intent:42:1:SOL', leg('release', STRANGER, EXCESS)],
    ['sweep', 'sweep:intent:42:2', leg('merchant', MERCHANT, EXCESS)],
  ] as const)('says why the %s that a person planned in its place is held', (kind, key, instead) => {
    const transfer = sweepOf({ ...refund, id: kind, key, kind, legs: [instead] })
    const facts = { ...overpaid, transfers: [...overpaid.transfers.filter((one) => one !== refund), transfer] }
    const reason = `The account of ${instead.destination} is frozen.`
    const held = bookHeld({ facts, transfer, context: context() }, { fence: 1n }, reason)
    expect(held.after).toMatchObject({ status: 'swept', statusReason: `What was paid too much is held. ${reason}` })
  })
})

describe('a sweep with additional dust', () => {
  const sweep = sweepOf({
    id: 'sweep',
    status: 'in_progress',
    legs: [leg('merchant', MERCHANT, PRICE - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
  })
  const settling = (since: readonly Deposit[] = [], others: readonly PaymentTransfer[] = []): IntentFacts => ({
    ...swept(since, { status: 'settling' }),
    transfers: [sweep, ...others],
  })
  const amounts = (change: IntentChange | null) => change?.transfers.map(({ legs }) => legs.map(({ amount }) => amount))

  test('is withdrawn once, and the next round leaves the rent minimum, whether the dust is known or not', () => {
    const leaving = [[PRICE - NETWORK_FEE - RENT, NETWORK_FEE]]
    expect(amounts(dusty(settling(), sweep))).toEqual(leaving)
    expect(amounts(dusty(settling([late(DUST)]), sweep))).toEqual(leaving)
    expect(amounts(dusty(settling([deposit(2, DUST, { use: 'late' })]), sweep))).toEqual(leaving)
  })

  test.each([RENT - 1n, 2n * RENT - 1n])(
    'of %i is too small to leave a rent reserve, which an empty wallet could not take apart from the rest: it takes the dust as soon as it is final',
    (most) => {
      const small = { ...sweep, legs: [leg('merchant', MERCHANT, most), leg('network_fee', FEE_PAYER, NETWORK_FEE)] }
      const little = most + NETWORK_FEE
      const facts = (since: readonly Deposit[]): IntentFacts => ({
        ...factsWith(intentWith({ status: 'settling', selection: choice(SOL, little), received: units(little) }), {
          deposits: [deposit(1, little), ...since],
        }),
        transfers: [small],
      })
      expect(dusty(facts([]), small)).toBeNull()
      expect(dusty(facts([]), small, 60)?.transfers).toHaveLength(1)
      expect(amounts(dusty(facts([late(DUST)]), small))).toEqual([[most + DUST, NETWORK_FEE]])
    },
  )

  const withdrawn = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      sweepOf({ id: `earlier-${at}`, key: `sweep:intent:42:${at + 10}`, status: 'failed', attemptCount: 0 }),
    )

  test.each([
    [1, 60],
    [2, 120],
    [9, 15_360],
  ])('waits longer each time, so that no person is needed when the dust ends: after %i rounds %i s', (count, wait) => {
    const facts = settling([late(DUST)], withdrawn(count))
    expect(dusty(facts, sweep, wait - 1)).toBeNull()
    expect(dusty(facts, sweep, wait)).toMatchObject({
      statusOverride: { status: 'failed' },
      after: { status: 'settling' },
    })
  })

  test('is held for a person after ten rounds', () => {
    const change = dusty(settling([], withdrawn(MAX_WITHDRAWN_ROUNDS)), sweep)
    expect(change).toMatchObject({ statusOverride: { status: 'held' }, after: { status: 'settle_failed' } })
  })

  describe('of less than two rent minimums, when the dust has ended', () => {
    const most = 2n * RENT - 1n
    const small = { ...sweep, legs: [leg('merchant', MERCHANT, most), leg('network_fee', FEE_PAYER, NETWORK_FEE)] }
    const facts = (transfer: PaymentTransfer, others: readonly PaymentTransfer[]): IntentFacts => ({
      ...factsWith(
        intentWith({
          status: 'settling',
          selection: choice(SOL, most + NETWORK_FEE),
          received: units(most + NETWORK_FEE),
        }),
        { deposits: [deposit(1, most + NETWORK_FEE), late(1n)] },
      ),
      transfers: [transfer, ...others],
    })
    const withDust = { status: 'settling', transfers: [[most + 1n, NETWORK_FEE]] }
    const outcome = (decision: Decision) => ({
      status: changeOf(decision).after.status,
      transfers: amounts(changeOf(decision)),
    })

    test.each([
      ['a retry', (known: IntentFacts) => decideRearmed(known, 'sweep', context())],
      ['a sweep on demand', (known: IntentFacts) => decideSweep(known, context())],
    ])('takes it along by %s, when it was held after ten rounds', (_, decide) => {
      const waiting = facts(small, withdrawn(MAX_WITHDRAWN_ROUNDS))
      const held = afterwards(waiting, dusty(waiting, small) as IntentChange)
      expect(held.intent.status).toBe('settle_failed')
      expect(outcome(decide(held))).toEqual(withDust)
    })

    test('takes it along by a retry, when five rounds failed on chain', () => {
      const failed = Array.from({ length: 5 }, (_, at) =>
        sweepOf({ ...small, id: `failed-${at}`, key: `sweep:intent:42:${at + 1}`, round: at + 1, status: 'failed' }),
      )
      const [first = small, ...others] = failed
      const stopped = facts(first, others)
      const known = { ...stopped, intent: { ...stopped.intent, status: 'settle_failed' as const } }
      expect(outcome(decideRearmed(known, 'failed-4', context()))).toEqual(withDust)
    })
  })
})

describe('a refund with additional dust', () => {
  const refund = sweepOf({
    id: 'refund',
    key: 'refund:intent:42:1:SOL',
    kind: 'refund',
    status: 'in_progress',
    attemptCount: 0,
    legs: [leg('refund', BUYER, PRICE - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
  })
  const refunding = (since: readonly Deposit[], others: readonly PaymentTransfer[] = []): IntentFacts =>
    factsWith(intentWith({ status: 'refunding', selection: choice(SOL, PRICE * 2n), received: units(PRICE) }), {
      deposits: [deposit(1, PRICE), ...since],
      transfers: [refund, ...others],
    })
  const dust = late(DUST, { senders: [{ address: STRANGER, amount: units(DUST) }] })

  test('waits a minute for the dust to be known', () => {
    expect(dusty(refunding([]), refund, 59)).toBeNull()
    expect(dusty(refunding([]), refund, 60)).not.toBeNull()
  })

  test('is planned again with dust that is final, which pays a part of the fee: it is too little to return', () => {
    expect(dusty(refunding([dust]), refund)?.transfers).toMatchObject([
      { legs: [leg('refund', BUYER, PRICE - NETWORK_FEE + DUST), leg('network_fee', FEE_PAYER, NETWORK_FEE)] },
    ])
  })

  test('leaves the rent minimum from the second time on', () => {
    const earlier = sweepOf({ ...refund, id: 'earlier', key: 'refund:intent:42:0:SOL', status: 'failed' })
    const change = dusty(refunding([dust], [earlier]), refund, 60)
    expect(change?.transfers.map(({ legs }) => legs[0]?.amount)).toEqual([PRICE - NETWORK_FEE - RENT])
  })

  test.each([
    ['leaves the rent minimum', 2n * RENT, RENT],
    [
      'is too small to leave it, which an empty wallet could not take apart from the rest',
      2n * RENT - 1n - DUST,
      2n * RENT - 1n,
    ],
  ])('%s when it is %i lamports', (_, most, returned) => {
    const little = most + NETWORK_FEE
    const legs = [leg('refund', BUYER, most), leg('network_fee', FEE_PAYER, NETWORK_FEE)]
    const earlier = sweepOf({ ...refund, id: 'earlier', key: 'refund:intent:42:0:SOL', status: 'failed', legs })
    const facts = factsWith(
      intentWith({ status: 'refunding', selection: choice(SOL, PRICE), received: units(little) }),
      { deposits: [deposit(1, little), dust], transfers: [{ ...refund, legs }, earlier] },
    )
    const change = dusty(facts, { ...refund, legs }, 60)
    expect(change?.transfers.map((one) => one.legs[0]?.amount)).toEqual([returned])
  })

  test('is planned no more when ten rounds to its wallet were withdrawn, for whatever reason', () => {
    const withdrawn = (count: number) =>
      Array.from({ length: count }, (_, at) => sweepOf({ ...refund, id: `earlier-${at}`, status: 'failed' }))
    const planned = (count: number) =>
      complete(new Position({ ...refunding([]), transfers: withdrawn(count) }, context()))
    expect(planned(MAX_WITHDRAWN_ROUNDS - 1).transfers).toHaveLength(1)
    expect(planned(MAX_WITHDRAWN_ROUNDS)).toMatchObject({ transfers: [], after: { status: 'refund_failed' } })
  })

  test('waits for a person after ten times, and reserves nothing, so that the operator can release the money', () => {
    const earlier = Array.from({ length: MAX_WITHDRAWN_ROUNDS }, (_, at) =>
      sweepOf({ ...refund, id: `earlier-${at}`, key: `refund:intent:42:${at + 10}:SOL`, status: 'failed' }),
    )
    expect(dusty(refunding([dust], earlier), refund, 86_400)).toMatchObject({
      statusOverride: { status: 'failed' },
      transfers: [],
      after: { status: 'refund_failed' },
    })
  })

  test('has its first round quickly, however often rounds for money that is back were withdrawn', () => {
    const earlier = Array.from({ length: MAX_WITHDRAWN_ROUNDS }, (_, at) =>
      sweepOf({ ...refund, id: `earlier-${at}`, key: `refund:intent:42:${at + 10}:SOL`, status: 'failed' }),
    )
    const legs = [leg('refund', BUYER, 1n)]
    const back = sweepOf({ ...refund, id: 'back', key: 'refund:intent:42:30:SOL', status: 'done', legs })
    expect(dusty(refunding([dust], [...earlier, back]), refund)?.statusOverride?.status).toBe('failed')
  })
})

describe('a release with additional dust', () => {
  const releasing = (most: bigint) => {
    const release = sweepOf({
      id: 'release',
      key: 'release:intent:42:1:SOL',
      kind: 'release',
      status: 'in_progress',
      attemptCount: 0,
      legs: [leg('release', STRANGER, most), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
    })
    const held = most + NETWORK_FEE
    const intent = intentWith({ status: 'refunding', selection: choice(SOL, 2n * held), received: units(held) })
    const facts = factsWith(intent, {
      deposits: [deposit(1, held, { ...UNKNOWN })],
      transfers: [release],
    })
    return { release, facts }
  }

  test('is withdrawn once, and its next round leaves the rent minimum, for the same wallet and the same reason', () => {
    const { release, facts } = releasing(PRICE)
    const change = dusty(facts, release)
    expect(change).toMatchObject({
      statusOverride: { transferId: 'release', status: 'failed' },
      after: { status: 'refunding' },
      transfers: [
        {
          key: 'release:intent:42:2:SOL',
          legs: [leg('release', STRANGER, PRICE - RENT), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
        },
      ],
      releases: [{ key: 'release:intent:42:2:SOL', reason: { sameAs: 'release' } }],
    })
  })

  test('that is too small to leave it is given back to the operator after a minute', () => {
    const { release, facts } = releasing(2n * RENT - 1n)
    expect(dusty(facts, release, 59)).toBeNull()
    expect(dusty(facts, release, 60)).toMatchObject({ transfers: [], after: { status: 'refund_failed' } })
  })
})
