import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { Settlement } from '#core/payments/intent-values.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { SENDER_UNKNOWN } from '#core/payments/obstacle.ts'
import type { Deposit, IntentStatus } from '#core/payments/payment-intent.ts'
import { messageOf } from '#core/payments/status-view.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  arrive,
  attemptFor,
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
  landed,
  later,
  leg,
  NETWORK_FEE,
  observedDeposit,
  PAYEE,
  RENT,
  signatureNo,
  sweepOf,
  TOKEN_ACCOUNT,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n

// From a deposit to a planned sweep: in one change, once for each round, and failed with a reason.
describe('settling', () => {
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
        const change = changeOf(
          decideSweep(elsewhere(gaveUp('settle_failed', { ...sweep, status: 'held' })), context()),
        )
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
})

// The business wants its money now. Spec: POST /sweep; docs/contract.md, "Sweep on demand".
describe('a sweep on demand', () => {
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
