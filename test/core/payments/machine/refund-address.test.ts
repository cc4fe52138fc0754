// An address that the buyer proposes for held money. Nothing moves on the buyer's word: the business approves the address that it has
// read, and then the release is that of the operator.

import { describe, expect, test } from 'vitest'
import { BUYER_ACTOR, keyActor } from '#core/accounts/audit.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideApproval, decideDecline, decideProposal } from '#core/payments/machine/refund-address.ts'
import { decideRelease } from '#core/payments/machine/release.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { MAX_PROPOSALS } from '#core/payments/returns/releasable.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  accountFor,
  addressNo,
  afterwards,
  apply,
  arrive,
  attemptFor,
  blockedLeg,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  LARGEST_DUST,
  landed,
  leg,
  NETWORK_FEE,
  RENT,
  signatureNo,
  sweepOf,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const PART = 400_000n
const OWN = addressNo(60)
const OTHER = addressNo(61)
const EXCHANGE = addressNo(62)
const ACTOR = keyActor('live', 'x7Qa', '203.0.113.9')
const UNKNOWN = { senders: [] }

const propose = (facts: IntentFacts, address: Address = OWN) => decideProposal(facts, address, context())
const proposed = (facts: IntentFacts, address?: Address) => afterwards(facts, changeOf(propose(facts, address)))
const approve = (facts: IntentFacts, address: Address = OWN) =>
  decideApproval(facts, { address, actor: ACTOR }, context())
const decline = (facts: IntentFacts, address: Address = OWN) =>
  decideDecline(facts, { address, actor: ACTOR, reason: 'It is not yours.' }, context())
const declined = (facts: IntentFacts, address?: Address) => afterwards(facts, changeOf(decline(facts, address)))

/** An intent that an unknown sender underpaid, cancelled: the money cannot go back. */
function stuckPayment(asset: Asset = SOL, amount = PART): IntentFacts {
  const deposits = [deposit(1, amount, { asset, account: accountFor(asset), ...UNKNOWN })]
  const intent = intentWith({ status: 'underpaid', selection: choice(asset, PRICE), received: units(amount) })
  const facts = factsWith(intent, { deposits })
  return afterwards(facts, changeOf(decideCancel(facts, context())))
}

const open = (facts: IntentFacts): PaymentTransfer => {
  const found = facts.transfers.find(({ kind, status }) => kind === 'release' && status === 'in_progress')
  if (found === undefined) throw new Error('no release is under way')
  return found
}

function end(facts: IntentFacts, error: string | null = null) {
  const transfer = open(facts)
  const { asset } = transfer
  const moves = transfer.legs.map(({ destination, amount }) => ({ account: destination, asset, delta: amount }))
  const transaction = landed({
    feePayer: FEE_PAYER,
    fee: makeLamports(0n),
    signature: signatureNo(900),
    ...(error === null ? { moves } : { error }),
  })
  return bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: context() })
}

describe('the buyer is asked for an address', () => {
  test('while money is held that could go there', () => {
    expect(stuckPayment().intent.refundAddress).toEqual({ isWanted: true, proposal: null })
    expect(intentWith({}).refundAddress).toBeNull()
  })

  test('for money in another token account than the associated one', () => {
    const payment = factsWith(intentWith({ selection: choice(SOL, PRICE) }))
    const there = deposit(1, PART, { asset: MINT, account: addressNo(70), use: 'unaccepted', ...UNKNOWN })
    expect(arrive(payment, there).intent.refundAddress).toEqual({ isWanted: true, proposal: null })
  })

  test.each([
    ['dust', () => stuckPayment(SOL, LARGEST_DUST)],
    [
      'money of the business',
      () => {
        const paid = intentWith({ status: 'settle_failed', selection: choice(SOL, PRICE), received: units(PRICE) })
        return factsWith(paid, { deposits: [deposit(1, PRICE, UNKNOWN)] })
      },
    ],
    ['money that is on its way', () => afterwards(stuckPayment(), changeOf(release(stuckPayment())))],
  ])('never for %s, and a proposal is refused', (_, make) => {
    const facts = make()
    expect(facts.intent.refundAddress).toBeNull()
    expect(propose(facts)).toMatchObject({ kind: 'refused' })
  })
})

const release = (facts: IntentFacts) =>
  decideRelease(facts, { asset: SOL, to: OTHER, reason: 'It is theirs.', decimals: 9, tokenProgram: null }, context())

describe('a proposal', () => {
  test('moves nothing: it is kept, with an event and an entry of the audit log', () => {
    const change = changeOf(propose(stuckPayment()))
    expect([change.transfers, change.releases]).toEqual([[], []])
    expect(eventsOf(change)).toEqual(['intent.refund_address_proposed'])
    const { refundAddress } = change.after
    expect(refundAddress).toEqual({
      isWanted: true,
      proposal: {
        address: OWN,
        status: 'proposed',
        reason: null,
        number: 1,
        proposedAt: context().now,
        decidedAt: null,
      },
    })
    expect(change.events.at(-1)?.intent.refundAddress).toEqual(refundAddress)
    expect(change.after.held).toHaveLength(1)
    expect(change.audit).toEqual({
      actor: BUYER_ACTOR,
      entry: {
        action: 'payment.address_proposed',
        sellerId: null,
        changes: {
          payment_id: [pendingIntent.id, pendingIntent.id],
          address: [null, OWN],
        },
      },
    })
  })

  test('takes the place of the former one, and a repeat changes nothing', () => {
    const first = proposed(stuckPayment())
    expect(propose(first)).toEqual({ kind: 'unchanged' })
    const second = proposed(first, OTHER)
    expect(second.intent.refundAddress?.proposal).toMatchObject({ address: OTHER, status: 'proposed', number: 2 })
  })

  test(`can be made ${MAX_PROPOSALS} times before the business decides, and again after that`, () => {
    let facts = stuckPayment()
    for (let number = 0; number < MAX_PROPOSALS; number += 1) {
      expect(facts.intent.refundAddress?.isWanted).toBe(true)
      facts = proposed(facts, number % 2 === 0 ? OWN : OTHER)
    }
    expect(facts.intent.refundAddress?.isWanted).toBe(false)
    expect(propose(facts)).toEqual({ kind: 'refused', code: 'refund_address_limit_reached' })
    expect(changeOf(approve(facts, OTHER)).transfers).toHaveLength(1)
    const over = declined(facts, OTHER)
    expect(over.intent.refundAddress?.isWanted).toBe(true)
    expect(proposed(over).intent.refundAddress?.proposal).toMatchObject({ address: OWN, number: 1 })
  })

  test('of a custodian is refused, and approved for none that became one', () => {
    const custodians = new Map([[EXCHANGE, 'An exchange']])
    const refusal = { kind: 'refused', code: 'invalid_address', context: { field: 'address' } }
    expect(decideProposal(stuckPayment(), EXCHANGE, context({ custodians }))).toMatchObject(refusal)
    const facts = proposed(stuckPayment(), EXCHANGE)
    const approval = decideApproval(facts, { address: EXCHANGE, actor: ACTOR }, context({ custodians }))
    expect(approval).toMatchObject(refusal)
  })

  test('is closed when the operator releases the money, and then cannot be approved', () => {
    const facts = proposed(stuckPayment())
    const moot = afterwards(facts, changeOf(release(facts)))
    expect(moot.intent.refundAddress).toMatchObject({ isWanted: false, proposal: { status: 'closed' } })
    expect(approve(moot)).toEqual({ kind: 'refused', code: 'nothing_held' })
    expect(decline(moot)).toEqual({ kind: 'refused', code: 'nothing_held' })
  })

  test('is closed when the business sweeps the money', () => {
    const facts = proposed(stuckPayment())
    const swept = afterwards(facts, changeOf(decideSweep(facts, context())))
    expect(swept.intent.refundAddress?.proposal?.status).toBe('closed')
  })

  test('stays while a stranger’s money is on its way back', () => {
    const facts = proposed(stuckPayment(SOL, 3n * RENT))
    const { intent } = arrive(facts, deposit(2, PART, { slot: 2_000n }))
    expect(intent.refundAddress?.proposal?.status).toBe('proposed')
  })
})

describe('an approval', () => {
  test('releases the money to the address, as an order of the operator does', () => {
    const facts = proposed(stuckPayment())
    const change = changeOf(approve(facts))
    expect(change.transfers).toMatchObject([
      {
        key: `release:intent:${pendingIntent.derivationIndex}:1:SOL`,
        kind: 'release',
        legs: [leg('buyer', OWN, PART - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
      },
    ])
    expect(change.releases).toEqual([{ key: change.transfers[0]?.key, reason: expect.stringContaining('approved') }])
    expect(eventsOf(change)).toEqual(['intent.refund_address_approved', 'intent.refunding'])
    expect(change.audit).toMatchObject({
      actor: ACTOR,
      entry: { action: 'payment.address_approved', changes: { address: [OWN, OWN] } },
    })
    const after = afterwards(facts, change)
    expect(after.intent.refundAddress).toMatchObject({ isWanted: false, proposal: { status: 'approved' } })
    const booked = end(after)
    expect(eventsOf(booked)).toEqual(['intent.held_released', 'intent.refunded'])
    expect(booked.after).toMatchObject({ status: 'refunded', held: [] })
  })

  test('takes every asset that is held, and leaves dust', () => {
    const stuck = stuckPayment()
    const token = arrive(stuck, deposit(2, PART, { asset: MINT, account: accountFor(MINT), slot: 2_000n, ...UNKNOWN }))
    const { transfers } = changeOf(approve(proposed(token)))
    expect(transfers.map(({ asset, decimals, tokenProgram }) => ({ asset, decimals, tokenProgram }))).toEqual([
      { asset: SOL, decimals: 9, tokenProgram: null },
      { asset: MINT, decimals: 6, tokenProgram: TOKEN_PROGRAM },
    ])
    expect(transfers.flatMap(({ legs }) => legs.map(({ destination }) => destination))).toEqual([OWN, FEE_PAYER, OWN])
  })

  test('of another address than the one that waits is refused, also of one that was swapped', () => {
    const refused = { kind: 'refused', code: 'refund_address_not_proposed' }
    expect(approve(stuckPayment())).toEqual(refused)
    const swapped = proposed(proposed(stuckPayment()), OTHER)
    expect(approve(swapped, OWN)).toEqual(refused)
    expect(decline(swapped, OWN)).toEqual(refused)
  })

  test('is made once: a repeat changes nothing, and a decline comes too late', () => {
    const facts = proposed(stuckPayment())
    const after = afterwards(facts, changeOf(approve(facts)))
    expect(approve(after)).toEqual({ kind: 'unchanged' })
    expect(decline(after)).toMatchObject({ kind: 'refused', code: 'refund_address_decided' })
    expect(propose(after, OTHER)).toEqual({ kind: 'refused', code: 'held_money_reserved' })
    const over = afterwards(after, end(after))
    expect(approve(over)).toEqual({ kind: 'unchanged' })
    expect(propose(over, OTHER)).toEqual({ kind: 'refused', code: 'nothing_held' })
  })

  test('waits for a transfer that reserves the same money', () => {
    const facts = proposed(stuckPayment(SOL, 3n * RENT))
    const busy = arrive(facts, deposit(2, PART, { slot: 2_000n }))
    expect(approve(busy)).toEqual({ kind: 'refused', code: 'held_money_reserved' })
  })

  test.each([
    ['failed on chain', (facts: IntentFacts) => end(facts, 'custom program error')],
    [
      'cannot arrive',
      (facts: IntentFacts) =>
        bookUndeliverable({ facts, transfer: open(facts), context: context() }, { fence: 1n }, 'No account.', [
          blockedLeg(OWN, 'no_account', 'buyer'),
        ]),
    ],
  ])('whose release %s asks the buyer again', (_, fail) => {
    const facts = proposed(stuckPayment())
    const approved = afterwards(facts, changeOf(approve(facts)))
    const failed = afterwards(approved, fail(approved))
    const asked = { isWanted: true, proposal: { address: OWN, status: 'not_sent' } }
    expect(failed.intent).toMatchObject({ status: 'refund_failed', refundAddress: asked })
    expect(approve(failed)).toEqual({ kind: 'unchanged' })
    expect(decline(failed)).toMatchObject({ kind: 'refused', code: 'refund_address_decided' })
    const again = proposed(failed, OTHER)
    expect(changeOf(approve(again, OTHER)).transfers).toMatchObject([
      { round: 2, legs: [leg('buyer', OTHER, PART - NETWORK_FEE), {}] },
    ])
  })

  test('stays approved when its money was sent, and more is held after that', () => {
    const facts = proposed(stuckPayment())
    const approved = afterwards(facts, changeOf(approve(facts)))
    const sent = afterwards(approved, end(approved))
    const more = arrive(sent, deposit(2, PART, { slot: 2_000n, ...UNKNOWN }))
    expect(more.intent.refundAddress).toMatchObject({ isWanted: true, proposal: { address: OWN, status: 'approved' } })
    expect(changeOf(propose(more)).after.refundAddress?.proposal).toMatchObject({ status: 'proposed', number: 1 })
  })

  test('leaves the status of a swept payment', () => {
    const intent = intentWith({ status: 'swept', selection: choice(MINT, PRICE), received: units(PRICE + PART) })
    const facts = factsWith(intent, {
      deposits: [deposit(1, PRICE + PART, { asset: MINT, account: accountFor(MINT), ...UNKNOWN })],
      transfers: [
        sweepOf({ asset: MINT, tokenProgram: TOKEN_PROGRAM, status: 'done', legs: [leg('merchant', MERCHANT, PRICE)] }),
      ],
    })
    const change = changeOf(approve(proposed(facts)))
    expect(change).toMatchObject({ after: { status: 'swept' }, transfers: [{ legs: [leg('buyer', OWN, PART)] }] })
    expect(eventsOf(change)).toEqual(['intent.refund_address_approved'])
  })
})

describe('a decline', () => {
  test('moves nothing, has a reason for the buyer, and lets the buyer propose again', () => {
    const change = changeOf(decline(proposed(stuckPayment())))
    expect(change.transfers).toEqual([])
    expect(eventsOf(change)).toEqual(['intent.refund_address_declined'])
    expect(change.after.refundAddress).toMatchObject({
      isWanted: true,
      proposal: { address: OWN, status: 'declined', reason: 'It is not yours.', decidedAt: context().now },
    })
    expect(change.audit?.entry.changes).toMatchObject({ reason: [null, 'It is not yours.'] })
  })

  test('is made once, and an approval comes too late until the buyer proposes the address again', () => {
    const facts = declined(proposed(stuckPayment()))
    expect(decline(facts)).toEqual({ kind: 'unchanged' })
    expect(approve(facts)).toMatchObject({ kind: 'refused', code: 'refund_address_decided' })
    expect(changeOf(approve(proposed(facts))).transfers).toHaveLength(1)
  })
})

test('a change of the payment without held money asks for nothing', () => {
  expect(apply(intentFacts(), decideCancel(intentFacts(), context())).intent.refundAddress).toBeNull()
})
const intentFacts = () => factsWith(intentWith({ status: 'pending' }))
