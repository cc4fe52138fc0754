// Money of strangers that cannot go back is held. It decides nothing about the money of others.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { bookExhausted, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { OVER_BUDGET, SENDER_UNKNOWN } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { largestDust } from '#core/payments/returns/dust.ts'
import { FAILED_TOO_OFTEN } from '#core/payments/returns/return-state.ts'
import { MAX_FAILED_ROUNDS } from '#core/payments/rounds.ts'
import { MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  attemptFor,
  BUYER,
  blockedLeg,
  changeOf,
  choice,
  context as contextWith,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  OTHER_MINT,
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
/** Lands the refund that is under way. */
const land = (facts: IntentFacts, own = context()): IntentFacts => end(facts, own, null)
/** Ends the refund that is under way with an error of the chain. */
const fail = (facts: IntentFacts): IntentFacts => end(facts, context(), 'refused')

function end(facts: IntentFacts, own: DecisionContext, error: string | null): IntentFacts {
  const transfer = facts.transfers.find(({ kind, status }) => kind === 'refund' && status === 'in_progress')
  if (transfer === undefined) throw new Error('nothing is under way')
  const { asset, legs } = transfer
  const moves = error === null ? legs.map(({ destination: account, amount: delta }) => ({ account, asset, delta })) : []
  const signature = signatureNo(900 + facts.transfers.length)
  const transaction = landed({ feePayer: FEE_PAYER, fee: makeLamports(0n), signature, error, moves })
  return afterwards(facts, bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: own }))
}

const from = (address: Address, amount: bigint) => ({ senders: [{ address, amount: units(amount) }] })
/** The wallets of the refund that is under way. */
const recipients = ({ transfers }: IntentFacts) =>
  transfers
    .find(({ kind, status }) => kind === 'refund' && status === 'in_progress')
    ?.legs.flatMap(({ role, destination }) => (role === 'refund' ? [destination] : []))

/** An underpayment of the buyer, next to what a stranger sent, after the cancel. */
function returned(asset: Asset, patch: Partial<Deposit>): IntentFacts {
  const paid = apply(awaiting(asset), pay(awaiting(asset), 1, 600_000n, { asset }))
  const both = apply(paid, pay(paid, 2, 1n, { asset, ...patch }))
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
    const { intent } = afterwards(over, change)
    expect(intent).toMatchObject({
      status,
      latePayments: [{ status: 'held' }],
      held: [{ amount: 1_000_000n, reason: SENDER_UNKNOWN }],
    })
  })
})

test('a unit of a known wallet in a transaction with money of an unknown sender does not open a refund again', () => {
  const refunded = factsWith(intentWith({ status: 'refunded', selection: choice(MINT, PRICE) }))
  const mixed = { asset: MINT, senders: [{ address: STRANGER, amount: units(1n) }] }
  const { intent } = apply(refunded, pay(refunded, 1, 10_000_000n, mixed))
  expect(intent).toMatchObject({ status: 'refunded', held: [{ amount: 10_000_000n, reason: SENDER_UNKNOWN }] })
})

test('a lamport next to money of an unknown sender does not change why that money is held', () => {
  const over = factsWith(intentWith({ status: 'cancelled', selection: choice(SOL, PRICE) }))
  const held = apply(over, pay(over, 1, 5_000_000n, UNKNOWN))
  expect(held.intent.held).toMatchObject([{ amount: 5_000_000n, reason: SENDER_UNKNOWN }])
  const pestered = apply(held, pay(held, 2, 1n))
  expect(pestered.intent.held).toMatchObject([{ amount: 5_000_001n, reason: SENDER_UNKNOWN }])
})

test('an excess of a token that is worth less than its return settles, also without a known sender', () => {
  const both = [observedDeposit(1, PRICE, { asset: MINT }), observedDeposit(2, 1n, { asset: MINT, ...UNKNOWN })]
  const settling = apply(awaiting(MINT), decideDeposits(awaiting(MINT), both, null, context()))
  expect(settling.intent).toMatchObject({ status: 'settling', statusReason: null, held: [] })
  expect(settling.transfers[0]?.legs).toMatchObject([{ role: 'merchant', amount: PRICE + 1n }])
})

test('the refund sender is by amounts of one asset', () => {
  const paid = apply(awaiting(MINT), pay(awaiting(MINT), 1, 600_000n, { asset: MINT }))
  const refunding = apply(paid, decideCancel(paid, context()))
  const senders = [{ address: STRANGER, amount: units(110_000_000n) }]
  const late = apply(refunding, pay(refunding, 2, 110_000_000n, { senders }))
  expect(late.intent).toMatchObject({ status: 'refunding', refundSender: BUYER })
})

describe('a refund of the buyer next to payments of strangers', () => {
  const strangers = Array.from({ length: 12 }, (_, at) => addressNo(200 + at))
  /** An underpayment of the buyer that is cancelled after the strangers have paid an amount each. */
  function refunding(asset: Asset, amount: bigint): IntentFacts {
    let facts = apply(awaiting(asset), pay(awaiting(asset), 1, 300_000n, { asset }))
    for (const [at, address] of strangers.entries())
      facts = apply(facts, pay(facts, 10 + at, amount, { asset, ...from(address, amount) }))
    return apply(facts, decideCancel(facts, context()))
  }

  test.each<[string, Asset, bigint]>([
    ['SOL that is worth no more than the fee of the transaction', SOL, 10_000n],
    ['a token that is worth no more than the fee of the transaction', MINT, 1n],
  ])('leaves out %s: no round is withdrawn for it', (_, asset, amount) => {
    expect(recipients(refunding(asset, amount))).toEqual([BUYER])
  })

  test('is followed by a round for each wallet whose part is worth more than the fee of the transaction', () => {
    const paid = new Set<Address>()
    let facts = refunding(MINT, 50_000n)
    for (let round = 1; facts.intent.status === 'refunding'; round += 1) {
      for (const wallet of recipients(facts) ?? []) paid.add(wallet)
      facts = land(facts)
      if (round > 1 + strangers.length) throw new Error('too many rounds')
    }
    expect(facts.intent).toMatchObject({ status: 'refunded', held: [] })
    expect(paid).toEqual(new Set([BUYER, ...strangers]))
  })

  test('contains the buyer in its first round, and takes no money that is worth a refund, whatever strangers pay', () => {
    const price = fc.constantFrom(0n, 20_000n, 100_000n, 330_000n)
    const amounts = fc.array(fc.oneof(fc.constantFrom(1n, 16_500n, 20_000n, 50_000n), fc.bigInt(1n, 300_000n)), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(price, amounts, (computeUnitPrice, others) => {
        const base = contextWith({ prices: PRICES })
        const own = { ...base, terms: { ...base.terms, computeUnitPrice } }
        const bought = 10_000_000n
        const over = factsWith(intentWith({ status: 'cancelled', selection: choice(SOL, PRICE) }))
        const paid = [bought, ...others].map((amount, at) =>
          observedDeposit(at + 1, amount, at === 0 ? {} : from(addressNo(200 + at), amount)),
        )
        let facts = apply(over, decideDeposits(over, paid, null, own))
        expect(recipients(facts)).toContain(BUYER)
        let rounds = 0
        for (; facts.intent.status === 'refunding'; rounds += 1) facts = land(facts, own)
        const legs = facts.transfers.flatMap((transfer) => transfer.legs)
        const sum = (list: readonly { readonly amount: bigint }[]) => list.reduce((all, { amount }) => all + amount, 0n)
        const got = (wallet: Address) => sum(legs.filter((leg) => leg.role === 'refund' && leg.destination === wallet))
        const fee = own.terms.networkFee
        expect(got(BUYER)).toBeGreaterThanOrEqual(bought - fee * BigInt(rounds))
        const lost = others.filter(
          (amount, at) => amount > (largestDust(SOL, own) ?? 0n) && got(addressNo(201 + at)) === 0n,
        )
        expect(lost).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('goes before that of a wallet whose round was withdrawn, also when that wallet pays again', () => {
    const [pest = STRANGER] = strangers
    let facts = apply(awaiting(SOL), pay(awaiting(SOL), 1, 500_000n, from(pest, 500_000n)))
    facts = apply(facts, pay(facts, 2, 450_000n))
    facts = apply(facts, decideCancel(facts, context()))
    expect(recipients(facts)).toEqual([pest])
    const transfers = facts.transfers.map((one) => ({ ...one, attemptCount: 0 }))
    const transfer = transfers.at(-1)
    if (transfer === undefined) throw new Error('nothing is planned')
    // It was emptied again, and has paid again meanwhile: what it paid may go back.
    facts = apply({ ...facts, transfers }, pay(facts, 20, 100_000n, from(pest, 100_000n)))
    const gone = [blockedLeg(pest, 'below_rent_minimum', 'refund')]
    const about = { facts, transfer, context: context() }
    facts = afterwards(facts, bookUndeliverable(about, { fence: transfer.fence }, 'It is empty.', gone))
    // The money of the other wallet stays, and does not pay the fee of this refund.
    const { networkFee } = context().terms
    expect(recipients(facts)).toEqual([BUYER])
    expect(facts.transfers.at(-1)?.legs).toMatchObject([{ amount: 450_000n - networkFee }, { amount: networkFee }])
  })
})

const over = factsWith(intentWith({ status: 'cancelled', selection: choice(MINT, PRICE) }))
let payments = 400
/** Adds a payment of a wallet to a payment that is over. */
const add = (facts: IntentFacts, wallet: Address, amount: bigint, asset: Asset = MINT): IntentFacts =>
  addTogether(facts, asset, [wallet, amount])

function addTogether(facts: IntentFacts, asset: Asset, ...paid: readonly (readonly [Address, bigint])[]): IntentFacts {
  const observed = paid.map(([wallet, amount]) => {
    payments += 1
    return observedDeposit(payments, amount, { asset, ...from(wallet, amount) })
  })
  return apply(facts, decideDeposits(facts, observed, null, context()))
}

describe('dust of a token from a known wallet', () => {
  const [ONE, OTHER] = [addressNo(301), addressNo(302)]
  const dusty = add(over, STRANGER, 1n)

  test('takes no turn from a wallet that pays again, after rounds that failed for others', () => {
    let facts = addTogether(dusty, MINT, [ONE, 10_000n], [OTHER, 10_000n])
    facts = land(land(fail(fail(facts))))
    for (let time = 1; time <= 3; time += 1) {
      facts = add(facts, BUYER, 50_000_000n)
      expect(recipients(facts)).toEqual([BUYER])
      facts = land(facts)
      expect(facts.intent).toMatchObject({ status: 'refunded', held: [{ amount: 1n }] })
    }
  })

  test('does not change why a refund is given up', () => {
    let facts = add(dusty, BUYER, 50_000_000n)
    for (let round = 1; round <= MAX_FAILED_ROUNDS; round += 1) facts = fail(facts)
    expect(facts.intent).toMatchObject({
      status: 'refund_failed',
      statusReason: FAILED_TOO_OFTEN,
      held: [{ amount: 50_000_001n, reason: FAILED_TOO_OFTEN }],
    })
  })

  test('does not change the obstacle for which a refund is held that was tried before', () => {
    const paid = add(dusty, BUYER, 50_000_000n)
    const transfers = paid.transfers.map((one) => ({ ...one, attemptCount: 2 }))
    const transfer = transfers.at(-1)
    if (transfer === undefined) throw new Error('nothing is planned')
    const about = { facts: { ...paid, transfers }, transfer, context: context() }
    const blocked = [blockedLeg(BUYER, 'over_budget', 'refund')]
    const facts = afterwards(about.facts, bookUndeliverable(about, { fence: transfer.fence }, OVER_BUDGET, blocked))
    for (const after of [facts, add(facts, addressNo(303), 1n)]) {
      expect(after.intent).toMatchObject({ status: 'refund_failed', statusReason: OVER_BUDGET })
      expect(after.intent.held).toMatchObject([{ reason: OVER_BUDGET }])
    }
  })

  test('goes before no wallet that had no account, pays again, and was withdrawn four times', () => {
    let facts = dusty
    for (let round = 1; round <= 4; round += 1) {
      facts = add(facts, BUYER, 50_000_000n)
      expect(recipients(facts)).toEqual([BUYER])
      const transfers = facts.transfers.map((one) => ({ ...one, attemptCount: 0 }))
      const transfer = transfers.at(-1)
      if (transfer === undefined) throw new Error('nothing is planned')
      const about = { facts: { ...facts, transfers }, transfer, context: context() }
      const gone = [blockedLeg(BUYER, 'no_account', 'refund')]
      facts = afterwards(about.facts, bookUndeliverable(about, { fence: transfer.fence }, 'It has none.', gone))
    }
    expect(recipients(add(facts, BUYER, 50_000_000n))).toEqual([BUYER])
  })
})

describe('a refund that was given up', () => {
  const BOUGHT = 50_000_000n
  /** The refund to a stranger has failed as often as it may. */
  function failed(): IntentFacts {
    let facts = add(over, STRANGER, 10_000n)
    for (let round = 1; round <= MAX_FAILED_ROUNDS; round += 1) facts = fail(facts)
    return facts
  }

  test('keeps no later payment of another wallet from going back', () => {
    expect(failed().intent.status).toBe('refund_failed')
    const later = add(failed(), BUYER, BOUGHT)
    expect(recipients(later)).toEqual([BUYER])
    expect(later.intent.status).toBe('refunding')
    expect(land(later).intent).toMatchObject({
      status: 'refund_failed',
      latePayments: [{ status: 'failed' }, { amount: BOUGHT, status: 'refunded' }],
      held: [{ amount: 10_000n, reason: FAILED_TOO_OFTEN }],
    })
  })

  test('waits for a person, also when dust arrives', () => {
    const facts = add(over, BUYER, BOUGHT)
    const transfer = facts.transfers.at(-1)
    if (transfer === undefined) throw new Error('nothing is planned')
    const about = { facts, transfer, attempt: attemptFor(transfer), context: context() }
    const exhausted = afterwards(facts, bookExhausted(about, 'Its attempts have expired.'))
    expect(exhausted.intent.status).toBe('refund_failed')
    const dusty = add(exhausted, STRANGER, 1n)
    expect(recipients(dusty)).toBeUndefined()
    expect(dusty.intent).toMatchObject({ status: 'refund_failed', held: [{ amount: BOUGHT + 1n }] })
  })

  test('does not take rounds from a wrong asset', () => {
    let facts = add(failed(), BUYER, BOUGHT, OTHER_MINT)
    for (let round = 1; round <= MAX_FAILED_ROUNDS; round += 1) {
      expect(recipients(facts)).toEqual([BUYER])
      facts = fail(facts)
    }
    expect(recipients(facts)).toBeUndefined()
  })
})
