// A stranger who keeps sending dust: at any rhythm, final money moves within a limited number of steps.

import { expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { bookDusty } from '#core/payments/machine/withdraw.ts'

import {
  addressNo,
  afterwards,
  apply,
  arrive,
  choice,
  context,
  factsWith,
  intentWith,
  later,
  observedDeposit,
  RENT,
  units,
} from '../../../support/payment.ts'

const PRICE = 10_000_000n
const STRANGER = addressNo(77)

const dustNo = (number: number, amount: bigint) =>
  observedDeposit(number, amount, { senders: [{ address: STRANGER, amount: units(amount) }] })

test('two lamports a second while settling withdraw the sweep once only', () => {
  let facts = arrive(factsWith(intentWith({ selection: choice(SOL, PRICE) })), observedDeposit(1, PRICE))
  let withdrawals = 0
  for (let second = 1; second <= 30; second += 1) {
    const now = later(second)
    facts = apply(facts, decideDeposits(facts, [dustNo(200 + second, 2n)], null, context({ now })))
    const sweep = facts.transfers.find(({ portion, status }) => status === 'in_progress' && portion !== 'rent_reserve')
    if (sweep === undefined) throw new Error('no sweep is under way')
    const legs = sweep.legs.reduce((sum, { amount }) => sum + amount, 0n)
    const balance = facts.deposits.reduce((sum, { amount }) => sum + amount, 0n)
    // The chain would refuse it: the rest would be between zero and the rent minimum.
    if (balance - legs >= RENT) continue
    const transfer = { ...sweep, attemptCount: 0 }
    const known = { ...facts, transfers: facts.transfers.map((one) => (one.id === sweep.id ? transfer : one)) }
    const change = bookDusty({ facts: known, transfer, context: context({ now }) }, { fence: 1n }, 'Dust arrived.')
    if (change === null) continue
    withdrawals += 1
    facts = afterwards(known, change)
  }
  expect(withdrawals).toBe(1)
})
