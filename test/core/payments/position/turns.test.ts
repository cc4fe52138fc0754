import { describe, expect, test } from 'vitest'
import { takeInTurn } from '#core/payments/position/share-pool.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { turnsOf } from '#core/payments/position/turns.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'
import { MERCHANT } from '../../../support/example-intent.ts'
import { BUYER, deposit, FEE_PAYER, leg, sweepOf, units } from '../../../support/payment.ts'

const RESERVE = 445_440n
const PRICE = deposit(1, 2_003_000n, { seenVersion: 4 })
const STRANGE = deposit(2, 1n, { seenVersion: 13, use: 'late', senders: [] })
const LATE = deposit(3, 3_000_000n, { seenVersion: 13, use: 'late' })

const transfer = (id: string, plannedVersion: number, patch: Partial<PaymentTransfer>): PaymentTransfer =>
  sweepOf({ id, plannedVersion, status: 'in_progress', ...patch })
const sweep = transfer('sweep', 8, { status: 'done', legs: [leg('merchant', MERCHANT, 1_557_560n)] })
const reserve = (id: string, plannedVersion: number, amount: bigint, status: PaymentTransfer['status']) =>
  transfer(id, plannedVersion, { portion: 'rent_reserve', legs: [leg('merchant', MERCHANT, amount)], status })
/** Takes the strange lamport along: it cannot stay alone. */
const refund = transfer('refund', 14, {
  kind: 'refund',
  legs: [leg('refund', BUYER, 2_995_001n), leg('network_fee', FEE_PAYER, 5_000n)],
})

/** Returns what each transfer took of each deposit, in the order of the turns. */
function takings(...transfers: readonly PaymentTransfer[]): Readonly<Record<string, string>> {
  const taken: Record<string, string[]> = {}
  takeInTurn(depositSharesOf([PRICE, STRANGE, LATE]), turnsOf(transfers), ({ transfer: { id } }, takes) => {
    for (const [{ deposit: from }, amount] of takes)
      taken[id] = [...(taken[id] ?? []), `${amount} of ${[PRICE, STRANGE, LATE].indexOf(from) + 1}`]
  })
  return Object.fromEntries(Object.entries(taken).map(([id, parts]) => [id, parts.join(', ')]))
}

describe('a rent reserve that takes the place of an earlier one', () => {
  const ofRefund = '3000000 of 3, 1 of 2'

  test('keeps its turn: a refund that was planned in between took no money of the business', () => {
    expect(takings(sweep, reserve('first', 8, RESERVE, 'in_progress'), refund)).toMatchObject({ refund: ofRefund })
    const later = takings(sweep, reserve('first', 8, RESERVE, 'failed'), refund, reserve('next', 23, RESERVE, 'done'))
    expect(later).toEqual({ sweep: '1557560 of 1', next: `${RESERVE} of 1`, refund: ofRefund })
  })

  test('has a second turn for what it takes along, after all that were planned before it', () => {
    const dust = deposit(4, 7n, { seenVersion: 20, use: 'late', senders: [] })
    const transfers = [
      sweep,
      reserve('first', 8, RESERVE, 'failed'),
      refund,
      reserve('next', 23, RESERVE + 3n, 'failed'),
      reserve('last', 25, RESERVE + 7n, 'in_progress'),
    ]
    const turns = turnsOf(transfers).map(({ transfer: { id }, legs, plannedVersion }) => [
      id,
      legs.reduce((sum, { amount }) => sum + amount, 0n),
      plannedVersion,
    ])
    expect(turns).toEqual([
      ['sweep', 1_557_560n, 8],
      ['last', RESERVE, 8],
      ['refund', 3_000_001n, 14],
      ['last', 3n, 23],
      ['last', 4n, 25],
    ])
    expect(takeInTurn(depositSharesOf([PRICE, STRANGE, LATE, dust]), turnsOf(transfers))).toEqual([])
  })
})

test('a rent reserve that was split off a later sweep takes nothing at the turn of an earlier one that failed', () => {
  const second = transfer('second', 10, { legs: [leg('merchant', MERCHANT, 1_000n)] })
  const turns = turnsOf([
    { ...sweep, status: 'failed' },
    reserve('first', 8, RESERVE, 'failed'),
    second,
    reserve('split', 10, RESERVE, 'in_progress'),
  ])
  expect(turns.map(({ transfer: { id }, plannedVersion }) => [id, plannedVersion])).toEqual([
    ['second', 10],
    ['split', 10],
  ])
  expect(turns.flatMap(({ legs }) => legs.map(({ amount }) => amount))).toEqual([units(1_000n), units(RESERVE)])
})
