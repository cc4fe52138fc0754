import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts, Payee } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { decideRelease } from '#core/payments/machine/release.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookDusty, bookExhausted, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { custodianText, type Obstacle, obstacleText, SENDER_AMBIGUOUS } from '#core/payments/obstacle.ts'
import type { Deposit, Sender } from '#core/payments/payment-intent.ts'
import { Position, unreservedOf } from '#core/payments/position/position.ts'
import { depositSharesOf, totalOf } from '#core/payments/position/shares.ts'
import { allocateRefund, mainObstruction, markSenders } from '#core/payments/returns/recipients.ts'
import type { LegRole, PaymentTransfer } from '#core/payments/transfers.ts'
import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
  accountFor,
  addressNo,
  afterwards,
  apply,
  arrive,
  attemptFor,
  BUYER,
  blockedLeg,
  choice,
  context,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  leg,
  MARKETPLACE,
  NETWORK_FEE,
  observedDeposit,
  PAYEE,
  remainingShares,
  signatureNo,
  sweepOf,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

// Whose money each transfer moves, over several payments and rounds: no wallet gets what another wallet sent, and none gets its
// own money twice. Docs: docs/money.md, "Refund recipients".
describe('over several payments and rounds', () => {
  const PRICE = 10_000_000n
  const OTHER = addressNo(77)
  const NO_ONE: readonly Sender[] = []
  const from = (address: Sender['address'], amount: bigint): readonly Sender[] => [{ address, amount: units(amount) }]

  /** A payment by its number and amount; from the buyer when no one else is named. */
  type Paid = readonly [number: number, amount: bigint, senders?: readonly Sender[]]

  const pay = (facts: IntentFacts, asset: Asset, ...paid: readonly Paid[]): IntentFacts =>
    arrive(
      facts,
      ...paid.map(([number, amount, senders = from(BUYER, amount)]) =>
        observedDeposit(number, amount, { asset, account: accountFor(asset), senders }),
      ),
    )

  const underWay = ({ transfers }: IntentFacts, kind: PaymentTransfer['kind'] = 'refund'): PaymentTransfer => {
    const found = transfers.find((one) => one.kind === kind && one.status === 'in_progress')
    if (found === undefined) throw new Error(`no ${kind} is under way`)
    return found
  }

  const legsOf = ({ legs }: Pick<PaymentTransfer, 'legs'>) => legs.map(({ role, amount }) => [role, amount])

  function ends(facts: IntentFacts, kind?: PaymentTransfer['kind']): IntentFacts {
    const transfer = underWay(facts, kind)
    const moves = transfer.legs.map((one) => ({ account: one.destination, asset: transfer.asset, delta: one.amount }))
    const signature = signatureNo(900 + facts.transfers.length)
    const transaction = landed({ feePayer: FEE_PAYER, fee: makeLamports(0n), signature, moves })
    const attempt = attemptFor(transfer)
    return afterwards(facts, bookTransfer({ facts, transfer, attempt, transaction, context: context() }))
  }

  /** A worker finds, before it signs, that the wallet has no account for the token. */
  function hasNoAccount(facts: IntentFacts, wallet: Sender['address']): IntentFacts {
    const transfer = { ...underWay(facts), attemptCount: 0 }
    const transfers = facts.transfers.map((one) => (one.id === transfer.id ? transfer : one))
    const booking = { facts: { ...facts, transfers }, transfer, context: context() }
    return afterwards(
      booking.facts,
      bookUndeliverable(booking, { fence: 1n }, 'It has no account.', [blockedLeg(wallet, 'no_account')]),
    )
  }

  function sweptPayment(asset: Asset, payee: Payee = PAYEE): IntentFacts {
    const intent = intentWith({
      status: 'swept',
      selection: choice(asset, PRICE),
      received: units(PRICE),
      ...(payee.marketplace !== null && { marketplaceFeeBps: makeBasisPoints(100) }),
    })
    const sweep = sweepOf({
      asset,
      status: 'done',
      legs: [leg('merchant', MERCHANT, PRICE)],
      tokenProgram: asset === SOL ? null : TOKEN_PROGRAM,
    })
    return factsWith(intent, {
      payee,
      deposits: [deposit(1, PRICE, { asset, account: accountFor(asset) })],
      transfers: [sweep],
    })
  }

  const openPayment = (asset: Asset): IntentFacts =>
    factsWith(intentWith({ status: 'pending', selection: choice(asset, PRICE) }))

  /** What refunds that landed, by a refund or a sweep, brought to a wallet. */
  const returnedTo = (wallet: Sender['address'], { transfers }: IntentFacts): bigint =>
    transfers
      .filter(({ status }) => status === 'done')
      .flatMap(({ legs }) => legs)
      .filter(({ role, destination }) => role === 'refund' && destination === wallet)
      .reduce((sum, { amount }) => sum + amount, 0n)

  describe('a refund takes what was known when it was planned, and no later payment', () => {
    test('so the next payment of its wallet goes back whole, and no settled one of another wallet', () => {
      const start = pay(openPayment(MINT), MINT, [1, 6_000_000n], [2, 3_000_000n, from(OTHER, 3_000_000n)])
      const cancelled = hasNoAccount(apply(start, decideCancel(start, context())), OTHER)
      const returned = ends(cancelled)
      const settled = ends(apply(returned, decideSweep(returned, context())), 'sweep')
      const again = pay(settled, MINT, [3, 6_000_000n])
      expect(legsOf(underWay(again))).toEqual([['refund', 6_000_000n]])
      const both = pay(ends(again), MINT, [4, 100_000n, from(OTHER, 100_000n)])
      expect(legsOf(underWay(both))).toEqual([['refund', 100_000n]])
      expect(both.intent.latePayments.map(({ refund }) => refund?.amount ?? null)).toContain(6_000_000n)
    })

    test('so money that was released goes to no wallet afterwards', () => {
      const first = ends(pay(sweptPayment(MINT), MINT, [2, 10_000_000n]))
      const held = hasNoAccount(pay(first, MINT, [3, 5_000_000n, from(OTHER, 5_000_000n)]), OTHER)
      const order = {
        asset: MINT,
        to: addressNo(88),
        reason: 'Their support named the address.',
        decimals: 6,
        tokenProgram: TOKEN_PROGRAM,
        account: accountFor(MINT),
      }
      const released = ends(apply(held, decideRelease(held, order, context())), 'release')
      const again = pay(released, MINT, [4, 10_000_000n])
      expect(legsOf(underWay(again))).toEqual([['refund', 10_000_000n]])
      const last = pay(ends(again), MINT, [5, 100_000n, from(OTHER, 100_000n)])
      expect(legsOf(underWay(last))).toEqual([['refund', 100_000n]])
    })

    test('so a remnant that left with the first refund costs the second nothing', () => {
      const first = ends(pay(sweptPayment(SOL), SOL, [2, 3_000_000n], [3, 300_000n, NO_ONE]))
      expect(returnedTo(BUYER, first)).toBe(3_000_000n)
      const second = pay(first, SOL, [4, 3_000_000n])
      expect(legsOf(underWay(second))).toEqual([
        ['refund', 3_000_000n - NETWORK_FEE],
        ['network_fee', NETWORK_FEE],
      ])
    })
  })

  test('a refund that failed is not planned again with money that came after it', () => {
    const own = { asset: MINT, account: accountFor(MINT), use: 'late' } as const
    const legs = [leg('refund', BUYER, 5_000_000n)]
    const refund = sweepOf({ id: 'refund', kind: 'refund', asset: MINT, status: 'failed', legs, plannedVersion: 3 })
    const released = { id: 'release', kind: 'release', asset: MINT, status: 'done' } as const
    const release = sweepOf({ ...released, legs: [leg('release', OTHER, 5_000_000n)], plannedVersion: 4 })
    const before = deposit(2, 5_000_000n, { ...own, seenVersion: 2, senders: from(BUYER, 5_000_000n) })
    const after = deposit(3, 5_000_000n, { ...own, seenVersion: 6, senders: from(BUYER, 5_000_000n) })
    const intent = intentWith({ status: 'refund_failed', selection: choice(MINT, PRICE), version: 7 })
    const decide = (deposits: readonly Deposit[], transfers: readonly PaymentTransfer[]) =>
      decideRearmed(factsWith(intent, { deposits, transfers }), refund.id, context())
    expect(decide([before, after], [refund]).kind).toBe('moved')
    expect(decide([before, after], [refund, release])).toMatchObject({
      kind: 'refused',
      code: 'transfer_not_retryable',
    })
  })

  test('a transfer that is being planned takes the money that became known with it', () => {
    const facts = factsWith(intentWith({ status: 'swept', selection: choice(MINT, PRICE), version: 7 }))
    const { id: _, ...planned } = sweepOf({ kind: 'refund', asset: MINT, legs: [leg('refund', BUYER, 5_000_000n)] })
    const late = { asset: MINT, account: accountFor(MINT), use: 'late', seenVersion: 8 } as const
    const paid = deposit(2, 5_000_000n, { ...late, senders: from(BUYER, 5_000_000n) })
    const position = new Position(facts, context()).with({ deposits: [paid], transfers: [planned] })
    expect(position.of(MINT).free).toEqual([])
  })

  test('the sweep of a payment that was given up leaves late money, which goes back once', () => {
    const paid = pay(openPayment(MINT), MINT, [1, PRICE], [2, 4_000_000n, NO_ONE])
    const transfer = underWay(paid, 'sweep')
    const about = { facts: paid, transfer, attempt: attemptFor(transfer), context: context() }
    const failed = afterwards(paid, bookExhausted(about, 'No transaction landed.'))
    expect(failed.intent.status).toBe('settle_failed')
    const more = pay(failed, MINT, [3, 3_000_000n])
    const asked = apply(more, decideSweep(more, context()))
    expect(legsOf(underWay(asked, 'sweep'))).toEqual([['merchant', PRICE]])
    const swept = ends(asked, 'sweep')
    const returned = ends(swept)
    expect(returnedTo(BUYER, returned)).toBe(3_000_000n)
    expect(returned.transfers.filter(({ kind, status }) => kind === 'refund' && status === 'in_progress')).toEqual([])
    expect(returned.intent.held).toMatchObject([{ amount: 4_000_000n }])
  })

  test('an obstacle is kept for what a wallet has not got back, and gives it no money of an unknown sender', () => {
    const start = pay(openPayment(MINT), MINT, [1, PRICE], [2, 5_000_000n, from(BUYER, 2_000_000n)])
    const swept = ends(start, 'sweep')
    expect(returnedTo(BUYER, swept)).toBe(2_000_000n)
    const closed = hasNoAccount(pay(swept, MINT, [3, 1_000_000n]), BUYER)
    const open = pay(closed, MINT, [4, 100_000n])
    expect(legsOf(underWay(open))).toEqual([['refund', 1_100_000n]])
    expect(ends(open).intent.held).toMatchObject([{ amount: 3_000_000n }])
  })

  describe('a sweep of held money that is withdrawn before it is signed is planned again', () => {
    const held = (payee?: Payee): IntentFacts => pay(sweptPayment(SOL, payee), SOL, [2, 5_000_000n, NO_ONE])
    const unsigned = (facts: IntentFacts) => {
      const asked = apply(facts, decideSweep(facts, context()))
      const transfer = { ...underWay(asked, 'sweep'), attemptCount: 0 }
      return {
        facts: { ...asked, transfers: asked.transfers.map((one) => (one.id === transfer.id ? transfer : one)) },
        transfer,
      }
    }

    test('without the cut that its wallet cannot take', () => {
      const { facts, transfer } = unsigned(held({ ...PAYEE, marketplace: { feeDestination: MARKETPLACE } }))
      expect(legsOf(transfer).map(([role]) => role)).toContain('marketplace')
      const blocked = [{ role: 'marketplace', destination: MARKETPLACE, obstacle: 'below_rent_minimum' }] as const
      const about = { facts, transfer, context: context() }
      const next = underWay(afterwards(facts, bookUndeliverable(about, { fence: 1n }, 'Too small.', blocked)), 'sweep')
      expect(next.round).toBe(transfer.round + 1)
      expect(legsOf(next).map(([role]) => role)).not.toContain('marketplace')
    })

    test('with the dust that disturbs it, as soon as it is known: such a sweep takes everything at the address', () => {
      const { facts, transfer } = unsigned(held())
      const dusty = (now: IntentFacts) =>
        bookDusty({ facts: now, transfer, context: context() }, { fence: 1n }, 'Dust.')
      expect(dusty(facts)).toBeNull()
      const known = pay(facts, SOL, [3, 1n, NO_ONE])
      const change = dusty(known)
      if (change === null) throw new Error('it waits')
      const open = afterwards(known, change).transfers.filter(({ status }) => status === 'in_progress')
      expect(open.map(({ portion }) => portion)).toEqual(['main'])
      expect(open[0]?.legs.reduce((sum, { amount }) => sum + amount, 0n)).toBe(5_000_001n)
    })
  })

  test('a refund of which nothing arrives shows no amount', () => {
    const facts = pay(sweptPayment(MINT), MINT, [2, 1n])
    const transfer = underWay(facts)
    const transaction = landed({ feePayer: FEE_PAYER, fee: makeLamports(0n), signature: signatureNo(950), moves: [] })
    const booking = { facts, transfer, attempt: attemptFor(transfer), transaction, context: context() }
    const { intent } = afterwards(facts, bookTransfer(booking))
    expect(intent.latePayments.map(({ refund }) => refund)).toEqual([null])
  })
})

describe('the recipients of money', () => {
  const sender = (number: number, amount: bigint) => ({ address: addressNo(number), amount: units(amount) })
  const brief = (shares: ReturnType<typeof depositSharesOf>) => shares.map((share) => [share.sender, share.amount])

  describe('the shares of deposits', () => {
    test('are the parts of each sender, oldest deposit first, and the rest has no sender', () => {
      const deposits = [
        deposit(1, 100n, { slot: 20n, senders: [sender(1, 70n), sender(2, 20n)] }),
        // It sent more than arrived here: the rest went elsewhere.
        deposit(2, 50n, { slot: 10n, senders: [sender(3, 900n), sender(4, 5n)] }),
      ]
      expect(brief(depositSharesOf(deposits))).toEqual([
        [addressNo(3), 50n],
        [null, 10n],
        [addressNo(2), 20n],
        [addressNo(1), 70n],
      ])
    })
  })

  describe('the amount that goes back automatically', () => {
    const marked = (number: number, amount: bigint, obstacle: Obstacle) => ({ ...sender(number, amount), obstacle })
    const custodians = new Map([[addressNo(9), 'An exchange']])
    const everything = (...deposits: readonly Deposit[]) => {
      const shares = depositSharesOf(deposits)
      return {
        refunds: allocateRefund(totalOf(shares), shares, custodians),
        reason: mainObstruction(shares, custodians),
      }
    }

    test('excludes a sender with an obstacle, and gives its share to no other sender', () => {
      const one = deposit(1, 100n, { senders: [marked(1, 70n, 'not_a_wallet'), sender(2, 20n)] })
      expect(everything(one)).toEqual({
        refunds: [{ address: addressNo(2), amount: 20n }],
        reason: obstacleText('not_a_wallet', addressNo(1)),
      })
    })

    test.each(['too_small', 'no_account', 'below_rent_minimum'] as const)(
      'includes what was held as %s, with what the same wallet sends later, and not with what another sends',
      (held) => {
        const before = deposit(1, 70n, { slot: 1n, senders: [marked(1, 70n, held)] })
        expect(everything(before).refunds).toEqual([])
        expect(everything(before, deposit(2, 30n, { slot: 2n, senders: [sender(2, 30n)] })).refunds).toEqual([
          sender(2, 30n),
        ])
        const both = everything(before, deposit(2, 30n, { slot: 2n, senders: [sender(1, 30n)] }))
        expect(both.refunds).toEqual([sender(1, 100n)])
      },
    )

    test('excludes the whole part that several wallets may have sent', () => {
      const both = [marked(1, 100n, 'ambiguous'), marked(2, 90n, 'ambiguous')]
      expect(everything(deposit(1, 100n, { senders: both }))).toEqual({ refunds: [], reason: SENDER_AMBIGUOUS })
      const partly = deposit(1, 100n, { senders: [sender(1, 60n), ...both] })
      expect(everything(partly).refunds).toEqual([{ address: addressNo(1), amount: 60n }])
    })

    test('excludes a wallet while it is on the list of custodians, and names its label', () => {
      const exchange = deposit(1, 100n, { senders: [sender(9, 100n)] })
      expect(everything(exchange)).toEqual({ refunds: [], reason: custodianText(addressNo(9), 'An exchange') })
      expect(allocateRefund(units(100n), depositSharesOf([exchange]), new Map())).toEqual([sender(9, 100n)])
    })

    test('a refund takes the returnable shares, and leaves the share with an obstacle', () => {
      const shares = depositSharesOf([
        deposit(1, 7n, { slot: 1n, senders: [sender(1, 7n)] }),
        deposit(2, 50n, { slot: 2n, senders: [marked(1, 50n, 'frozen_account')] }),
      ])
      const [left, ...others] = remainingShares(shares, [{ kind: 'refund', legs: [leg('refund', addressNo(1), 7n)] }])
      expect(left).toMatchObject({ amount: 50n, obstacle: 'frozen_account' })
      expect(others).toEqual([])
    })

    test('a refund that was made before the obstacle still counts for its sender', () => {
      const shares = depositSharesOf([
        deposit(1, 100n, { slot: 1n, senders: [sender(2, 100n)] }),
        deposit(2, 50n, { slot: 2n, senders: [marked(1, 50n, 'frozen_account')] }),
      ])
      expect(brief(remainingShares(shares, [{ kind: 'refund', legs: [leg('refund', addressNo(1), 50n)] }]))).toEqual([
        [addressNo(2), 100n],
      ])
    })
  })

  describe('the rest after legs', () => {
    const shares = depositSharesOf([
      deposit(1, 100n, { slot: 1n, senders: [sender(1, 100n)] }),
      deposit(2, 50n, { slot: 2n, senders: [sender(2, 50n)] }),
      deposit(3, 30n, { slot: 3n, senders: [sender(1, 30n)] }),
    ])

    test('a refund takes from the shares of its recipient, newest first', () => {
      expect(brief(remainingShares(shares, [{ kind: 'refund', legs: [leg('refund', addressNo(1), 40n)] }]))).toEqual([
        [addressNo(1), 90n],
        [addressNo(2), 50n],
      ])
    })

    test('other transfers take from the oldest share', () => {
      const legs = [leg('merchant', MERCHANT, 95n), leg('network_fee', addressNo(9), 15n)]
      expect(brief(remainingShares(shares, [{ kind: 'sweep', legs }]))).toEqual([
        [addressNo(2), 40n],
        [addressNo(1), 30n],
      ])
    })

    test('is the total less their amounts, in any order', () => {
      const roles: LegRole[] = ['merchant', 'refund', 'network_fee']
      const anyLeg = fc.record({
        role: fc.constantFrom(...roles),
        to: fc.nat(3),
        amount: fc.bigInt({ min: 1n, max: 40n }),
      })
      fc.assert(
        fc.property(fc.array(anyLeg, { maxLength: 4 }), (list) => {
          const legs = list.map(({ role, to, amount }) => leg(role, addressNo(to), amount))
          expect(totalOf(remainingShares(shares, [{ kind: 'sweep', legs }]))).toBe(180n - totalOf(legs))
          const reversed = remainingShares(shares, [{ kind: 'sweep', legs: legs.toReversed() }])
          expect(totalOf(reversed)).toBe(180n - totalOf(legs))
        }),
      )
    })
  })

  test('unreserved money is of that asset, not held, and not reserved by a transfer that may still happen', () => {
    const deposits = [
      deposit(1, 1_000n),
      deposit(2, 2n, { use: 'late' }),
      deposit(3, 4n, { use: 'wrong_asset' }),
      deposit(6, 32n, { use: 'unaccepted' }),
      deposit(7, 64n, { asset: MINT }),
    ]
    expect(totalOf(unreservedOf(SOL, deposits, []))).toBe(1_006n)
    const transfer = (status: 'planned' | 'in_progress' | 'held' | 'done' | 'failed') =>
      sweepOf({ status, legs: [leg('merchant', MERCHANT, 1_000n)] })
    for (const status of ['planned', 'in_progress', 'held', 'done'] as const) {
      expect(totalOf(unreservedOf(SOL, deposits, [transfer(status)]))).toBe(6n)
    }
    expect(totalOf(unreservedOf(SOL, deposits, [transfer('failed')]))).toBe(1_006n)
    expect(totalOf(unreservedOf(MINT, deposits, [transfer('done')]))).toBe(64n)
  })

  const from = (obstacle?: Obstacle) =>
    deposit(1, 5n, { senders: [{ address: BUYER, amount: units(5n), ...(obstacle && { obstacle }) }] })
  const tooSmall = new Map([[BUYER, 'too_small' as const]])
  const mark = (one: ReturnType<typeof from>) => markSenders(depositSharesOf([one]), tooSmall)

  test('a new obstacle of a sender is in its deposit', () => {
    expect(mark(from())).toEqual([from('too_small')])
    expect(mark(from('no_account'))).toEqual([from('too_small')])
  })

  test('a deposit that has the obstacle already is not written again', () => {
    expect(mark(from('too_small'))).toEqual([])
  })

  test('a sender that is not known for certain keeps its reason', () => {
    expect(mark(from('ambiguous'))).toEqual([])
  })

  test('only the senders of the shares are marked, in a deposit of several', () => {
    const senders = [BUYER, addressNo(7)].map((address) => ({ address, amount: units(5n) }))
    const [first] = depositSharesOf([deposit(1, 10n, { senders })]).filter(({ sender }) => sender === BUYER)
    if (first === undefined) throw new Error('the share is missing')
    const both = new Map([...tooSmall, [addressNo(7), 'too_small' as const]])
    expect(markSenders([first], both)).toMatchObject([{ senders: [{ obstacle: 'too_small' }, senders[1]] }])
    expect(markSenders([first], both)[0]?.senders[1]).toEqual(senders[1])
  })
})
