import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { custodianText, type Obstacle, obstacleText, SENDER_AMBIGUOUS } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { unreservedOf } from '#core/payments/position/position.ts'
import { depositSharesOf, totalOf } from '#core/payments/position/shares.ts'
import { allocateRefund, mainObstruction, markSenders } from '#core/payments/returns/recipients.ts'
import type { LegRole } from '#core/payments/transfers.ts'
import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import { addressNo, BUYER, deposit, leg, remainingShares, sweepOf, units } from '../../../support/payment.ts'

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
    return { refunds: allocateRefund(totalOf(shares), shares, custodians), reason: mainObstruction(shares, custodians) }
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
