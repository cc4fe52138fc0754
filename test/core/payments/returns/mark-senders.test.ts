// A wallet that pays again and again makes no earlier deposit change: its obstacle is written once.
import { expect, test } from 'vitest'
import { markSenders } from '#core/payments/returns/mark-senders.ts'
import type { Obstacle } from '#core/payments/returns/obstacle.ts'
import { BUYER, deposit, units } from '../../../support/payment.ts'

const from = (obstacle?: Obstacle) =>
  deposit(1, 5n, { senders: [{ address: BUYER, amount: units(5n), ...(obstacle && { obstacle }) }] })
const tooSmall = new Map([[BUYER, 'too_small' as const]])

test('a new obstacle of a sender is in its deposit', () => {
  expect(markSenders(from(), tooSmall)).toEqual([from('too_small')])
  expect(markSenders(from('no_account'), tooSmall)).toEqual([from('too_small')])
})

test('a deposit that has the obstacle already is not written again', () => {
  expect(markSenders(from('too_small'), tooSmall)).toEqual([])
})

test('a sender that is not known for certain keeps its reason', () => {
  expect(markSenders(from('ambiguous'), tooSmall)).toEqual([])
})
