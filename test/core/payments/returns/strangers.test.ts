// Money of strangers that cannot go back is held. It decides nothing about the money of others.
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { bookTransfer } from '#core/payments/booking/booking.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits, decideFinality } from '#core/payments/machine/deposits.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { SENDER_UNKNOWN } from '#core/payments/returns/obstacle.ts'
import { MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  attemptFor,
  BUYER,
  changeOf,
  choice,
  context as contextWith,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  observedDeposit,
  PRICES,
  signatureNo,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const STRANGER = addressNo(77)
const UNKNOWN = { senders: [] }
const context = () => contextWith({ prices: PRICES })

const awaiting = (asset: Asset) =>
  factsWith(intentWith({ selection: choice(asset, PRICE), acceptedAssets: [SOL, MINT] }))
const pay = (facts: IntentFacts, number: number, amount: bigint, patch: Partial<Deposit> = {}) =>
  decideDeposits(facts, [observedDeposit(number, amount, patch)], null, context())
const finalize = (facts: IntentFacts) => {
  const open = facts.deposits.filter(({ state }) => state === 'confirmed')
  return apply(
    facts,
    decideFinality(
      facts,
      open.map((deposit) => ({ deposit, state: 'final' as const })),
      context(),
    ),
  )
}

/** Lands the refund that is under way. */
function land(facts: IntentFacts): IntentFacts {
  const transfer = facts.transfers.find(({ status }) => status === 'in_progress')
  if (transfer === undefined) throw new Error('nothing is under way')
  const { asset, legs } = transfer
  const moves = legs.map(({ destination: account, amount: delta }) => ({ account, asset, delta }))
  const signature = signatureNo(900 + facts.transfers.length)
  const transaction = landed({ feePayer: FEE_PAYER, fee: makeLamports(0n), signature, moves })
  return afterwards(
    facts,
    bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: context() }),
  )
}

/** An underpayment of the buyer, next to what a stranger sent, after the cancel. */
function returned(asset: Asset, patch: Partial<Deposit>): IntentFacts {
  const paid = finalize(apply(awaiting(asset), pay(awaiting(asset), 1, 600_000n, { asset })))
  const both = finalize(apply(paid, pay(paid, 2, 1n, { asset, ...patch })))
  return land(apply(both, decideCancel(both, context())))
}

describe('dust of a stranger next to an underpayment', () => {
  test('that cannot go back is held, and the payment is refunded when the buyer has its money', () => {
    const { intent } = returned(MINT, UNKNOWN)
    expect(intent).toMatchObject({
      status: 'refunded',
      refundSender: BUYER,
      refunds: [{ mint: MINT, amount: 600_000n }],
      held: [{ mint: MINT, amount: 1n, reason: SENDER_UNKNOWN }],
    })
  })

  test('of SOL leaves with the refund of the buyer', () => {
    const { intent } = returned(SOL, UNKNOWN)
    expect(intent).toMatchObject({ status: 'refunded', held: [] })
  })
})

describe('late money that cannot go back', () => {
  test.each(['cancelled', 'refunded'] as const)('leaves a payment %s, and is held', (status) => {
    const over = factsWith(intentWith({ status, selection: choice(SOL, PRICE) }))
    const change = changeOf(pay(over, 1, 1_000_000n, UNKNOWN))
    expect(eventsOf(change)).toEqual(['intent.late_payment'])
    const { intent } = finalize(afterwards(over, change))
    expect(intent).toMatchObject({
      status,
      latePayments: [{ status: 'held' }],
      held: [{ amount: 1_000_000n, reason: SENDER_UNKNOWN }],
    })
  })
})

test('an excess of a token that is worth less than its return settles, also without a known sender', () => {
  const paid = apply(awaiting(MINT), pay(awaiting(MINT), 1, PRICE, { asset: MINT }))
  const over = apply(paid, pay(paid, 2, 1n, { asset: MINT, ...UNKNOWN }))
  expect(over.intent).toMatchObject({ status: 'overpaid', statusReason: null })
  const settling = finalize(over)
  expect(settling.intent).toMatchObject({ status: 'settling', held: [] })
  expect(settling.transfers[0]?.legs).toMatchObject([{ role: 'merchant', amount: PRICE + 1n }])
})

test('the refund sender is by amounts of one asset', () => {
  const paid = finalize(apply(awaiting(MINT), pay(awaiting(MINT), 1, 600_000n, { asset: MINT })))
  const refunding = apply(paid, decideCancel(paid, context()))
  const senders = [{ address: STRANGER, amount: units(110_000_000n) }]
  const late = apply(refunding, pay(refunding, 2, 110_000_000n, { senders }))
  expect(late.intent).toMatchObject({ status: 'refunding', refundSender: BUYER })
})
