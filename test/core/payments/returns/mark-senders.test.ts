// A wallet that pays again and again makes no earlier deposit change: its obstacle is written once.
import { expect, test } from 'vitest'
import type { Obstacle } from '#core/payments/obstacle.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { markSenders } from '#core/payments/returns/mark-senders.ts'
import { addressNo, BUYER, deposit, units } from '../../../support/payment.ts'

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
