// A transfer that the chain shows cannot land as it is: whether it may be planned anew with what came since, and what it
// then takes. What was left behind goes last and to the business, so it must never take what is anybody else's.
import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/intents/change.ts'
import type { Deposit, IntentStatus } from '#core/intents/intent.ts'
import { obstacleText } from '#core/intents/obstacle.ts'
import { decideRearmed } from '#core/intents/sweeping.ts'
import { bookWithdrawn, canTakeMore } from '#core/transfers/set-aside.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import { MERCHANT, MINT } from '../../support/example-intent.ts'
import {
  afterwards,
  around,
  BUYER,
  blockedLeg,
  choice,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  leg,
  RENT,
  sweepOf,
  units,
} from '../../support/payment.ts'

const PRICE = 10_000_000n
const UNKNOWN = { senders: [] }
const REST = sweepOf({
  id: 'rest',
  key: 'sweep:intent:42:4:rest',
  status: 'planned',
  round: 4,
  legs: [leg('merchant', MERCHANT, RENT)],
})

/** Swept but for the rent minimum, with what came since. */
const swept = (
  since: readonly Deposit[],
  { status = 'swept', beside = [] }: { status?: IntentStatus; beside?: readonly Transfer[] } = {},
): IntentFacts =>
  factsWith(intentWith({ status, selection: choice(SOL, PRICE), received: units(PRICE) }), {
    deposits: [deposit(1, PRICE, { state: 'final' }), ...since],
    transfers: [
      sweepOf({ id: 'most', status: 'done', round: 3, legs: [leg('merchant', MERCHANT, PRICE - RENT)] }),
      REST,
      ...beside,
    ],
  })

const late = (amount: bigint, patch: Partial<Deposit> = {}): Deposit =>
  deposit(2, amount, { state: 'final', use: 'late', ...patch })
const DUST = 3_000n
const isTaken = (facts: IntentFacts, transfer = REST): boolean => canTakeMore({ facts, transfer, around: around() })

describe('what was left behind', () => {
  test('takes dust along that nobody can be told to have sent, and that goes back to nobody', () => {
    const facts = swept([late(DUST, UNKNOWN)])
    expect(isTaken(facts)).toBe(true)
    const change = bookWithdrawn({ facts, transfer: REST, around: around() }, { fence: 1n }, 'More lies there.')
    expect(change.restated).toMatchObject({ transferId: 'rest', status: 'failed' })
    expect(change.transfers).toMatchObject([
      { key: 'sweep:intent:42:5:rest', kind: 'sweep', round: 5, legs: [leg('merchant', MERCHANT, RENT + DUST)] },
    ])
  })

  test('takes dust along that is less than returning it costs', () => {
    expect(isTaken(swept([late(DUST)]))).toBe(true)
  })

  test('takes dust along that is the business’s', () => {
    expect(isTaken(swept([late(DUST)], { status: 'settling' }))).toBe(true)
  })

  test('takes nothing when nothing came', () => {
    expect(isTaken(swept([]))).toBe(false)
  })

  test('takes nothing that is held for a person and could stay where it is', () => {
    expect(isTaken(swept([late(500_000_000n, UNKNOWN)]))).toBe(false)
    expect(isTaken(swept([late(RENT, UNKNOWN)]))).toBe(false)
    expect(isTaken(swept([late(RENT - 1n, UNKNOWN)]))).toBe(true)
  })

  test('takes nothing that is owed back to its sender', () => {
    expect(isTaken(swept([late(RENT - 1n)]))).toBe(false)
    expect(isTaken(swept([late(500_000_000n)]))).toBe(false)
  })

  test('takes nothing while more of the asset is on its way to be final', () => {
    expect(isTaken(swept([late(DUST, UNKNOWN), deposit(3, 7n, { use: 'late' })]))).toBe(false)
  })

  test.each(['planned', 'in_progress', 'held'] as const)(
    'takes nothing beside another transfer that is %s',
    (status) => {
      const refund = sweepOf({ id: 'refund', key: 'refund:intent:42:1:SOL', kind: 'refund', status, legs: [] })
      expect(isTaken(swept([late(DUST, UNKNOWN)], { beside: [refund] }))).toBe(false)
    },
  )

  test('takes nothing of which a transfer back gave up: a person was asked', () => {
    const gaveUp = sweepOf({
      id: 'refund',
      key: 'refund:intent:42:1:SOL',
      kind: 'refund',
      status: 'failed',
      attemptCount: 1,
      legs: [leg('refund', BUYER, DUST)],
    })
    expect(isTaken(swept([late(DUST)], { status: 'refund_failed', beside: [gaveUp] }))).toBe(false)
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
  const change = bookWithdrawn({ facts: refunding, transfer: refund, around: around() }, { fence: 1n }, 'It waits.', [
    blockedLeg(BUYER, 'not_a_wallet'),
  ])
  const reason = obstacleText('not_a_wallet', BUYER)

  test('is not forgotten: the deposit keeps its name with what stands in the way', () => {
    expect(change.deposits).toMatchObject([{ senders: [{ address: BUYER, amount: 1_000n, obstacle: 'not_a_wallet' }] }])
  })

  test('is told as the reason for which the money is held, and nothing more is planned', () => {
    expect(change.after).toMatchObject({ status: 'refund_failed', statusReason: reason })
    expect(change.after.held).toEqual([{ mint: null, amount: 1_000n, reason }])
    expect(change.transfers).toEqual([])
  })

  test('is still told as the reason when an attempt of the transfer had died before', () => {
    const tried = { ...refund, attemptCount: 1 }
    const facts = { ...refunding, transfers: [tried] }
    const blocked = [blockedLeg(BUYER, 'not_a_wallet')]
    const after = bookWithdrawn({ facts, transfer: tried, around: around() }, { fence: 1n }, 'It waits.', blocked).after
    expect(after.held).toMatchObject([{ reason }])
  })

  test('can be paid by a person who retries the transfer when the obstacle has ended', () => {
    const stopped = afterwards(refunding, change)
    expect(decideRearmed(stopped, 'refund', around())).toMatchObject({ kind: 'moved' })
  })
})

describe('any other transfer that cannot land as it is', () => {
  const sweep = sweepOf({ id: 'sweep', status: 'planned', legs: [leg('merchant', MERCHANT, PRICE)] })
  const settling = (since: readonly Deposit[]): IntentFacts => ({
    ...swept(since, { status: 'settling' }),
    transfers: [sweep],
  })

  test('is planned anew with all that came since, however much', () => {
    expect(isTaken(settling([deposit(2, 500_000_000n, { state: 'final' })]), sweep)).toBe(true)
  })

  test('waits while nothing came that is final', () => {
    expect(isTaken(settling([deposit(2, 500_000_000n)]), sweep)).toBe(false)
  })

  test('is not planned anew for money of another asset', () => {
    expect(isTaken(settling([deposit(2, 7n, { asset: MINT, state: 'final', use: 'wrong_asset' })]), sweep)).toBe(false)
  })
})
