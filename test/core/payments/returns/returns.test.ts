// Returned money and its receivers: no sender gets a unit more than it sent, in any order and number of deposits.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/obstacle.ts'
import { type IntentStatus, WINDOW_ENDED } from '#core/payments/payment-intent.ts'
import { CANNOT_STAY, FAILED_TOO_OFTEN } from '#core/payments/returns/return-state.ts'
import { MAX_FAILED_ROUNDS } from '#core/payments/rounds.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  attemptFor,
  BUYER,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  leg,
  NETWORK_FEE,
  NOW,
  OTHER_MINT,
  observedDeposit,
  RENT,
  signatureNo,
  sweepOf,
  units,
} from '../../../support/payment.ts'

const PRICE = 1_000_000n
const STRANGER = addressNo(77)
const from = (address: Address, amount: bigint) => ({ senders: [{ address, amount: units(amount) }] })
const UNKNOWN = { senders: [] }

const take = (facts: IntentFacts, ...observed: Parameters<typeof decideDeposits>[1]) =>
  apply(facts, decideDeposits(facts, observed, null, context()))
const underWay = (facts: IntentFacts, kind: PaymentTransfer['kind'] = 'refund') =>
  facts.transfers.find((one) => one.kind === kind && one.status === 'in_progress')
/** Ends the transfer of this kind that is under way, with success or failure. */
const ends = (facts: IntentFacts, failed = false, kind: PaymentTransfer['kind'] = 'refund'): IntentFacts =>
  afterwards(facts, endOf(facts, failed, kind))

function endOf(facts: IntentFacts, failed: boolean, kind: PaymentTransfer['kind']): IntentChange {
  const transfer = underWay(facts, kind)
  if (transfer === undefined) throw new Error(`no ${kind} is under way`)
  const moves = transfer.legs.map(({ destination, amount }) => ({
    account: destination,
    asset: transfer.asset,
    delta: amount,
  }))
  const end = failed ? { error: 'refused' } : { moves }
  const transaction = landed({
    feePayer: FEE_PAYER,
    fee: makeLamports(0n),
    signature: signatureNo(900 + facts.transfers.length),
    ...end,
  })
  return bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: context() })
}
const legsOf = (facts: IntentFacts) =>
  underWay(facts)?.legs.map(({ role, destination, amount }) => [role, destination, amount])
/** Lands every refund. Returns what each returned to its wallet. */
function roundsOf(facts: IntentFacts): readonly (readonly [Address, bigint])[] {
  const refund = underWay(facts)?.legs[0]
  return refund === undefined ? [] : [[refund.destination, refund.amount], ...roundsOf(ends(facts))]
}
const settled = (patch: {
  status: IntentStatus
  asset?: Asset
  transfers?: readonly PaymentTransfer[]
  deposits?: IntentFacts['deposits']
}) =>
  factsWith(
    intentWith({ status: patch.status, selection: choice(patch.asset ?? SOL, PRICE), received: units(PRICE) }),
    { deposits: patch.deposits ?? [], transfers: patch.transfers ?? [] },
  )
/** A swept intent: the price came from the buyer and went to the business. */
const swept = (asset: Asset = SOL) =>
  settled({
    status: 'swept',
    asset,
    deposits: [deposit(1, PRICE, { asset })],
    transfers: [sweepOf({ asset, status: 'done', legs: [leg('merchant', MERCHANT, PRICE)] })],
  })

describe('an underpaid intent that is cancelled', () => {
  const underpaid = (asset: Asset = SOL, ...parts: Parameters<typeof deposit>[]) =>
    factsWith(intentWith({ status: 'underpaid', selection: choice(asset, PRICE), received: units(600_000n) }), {
      deposits: parts.length > 0 ? parts.map((part) => deposit(...part)) : [deposit(1, 600_000n, { asset })],
    })

  test('returns its money, SOL less the network fee, with the events refunding and refunded', () => {
    const facts = underpaid()
    const change = changeOf(decideCancel(facts, context()))
    expect(eventsOf(change)).toEqual(['intent.refunding'])
    const refunding = afterwards(facts, change)
    expect(legsOf(refunding)).toEqual([
      ['refund', BUYER, 600_000n - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    const refunded = ends(refunding)
    expect(refunded.intent.status).toBe('refunded')
    expect(decideCancel(refunded, context())).toEqual({ kind: 'unchanged' })
  })

  test('returns a token in full', () => {
    const facts = underpaid(MINT)
    expect(legsOf(apply(facts, decideCancel(facts, context())))).toEqual([['refund', BUYER, 600_000n]])
  })

  test('returns to each sender its part, the largest first, in a transaction whose fee it bears', () => {
    const facts = underpaid(
      SOL,
      [1, RENT, { ...from(addressNo(1), RENT) }],
      [2, 600_000n, { ...from(addressNo(2), 600_000n) }],
    )
    const first = apply(facts, decideCancel(facts, context()))
    expect(legsOf(first)).toEqual([
      ['refund', addressNo(2), 600_000n - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    const second = ends(first)
    expect(second.intent.status).toBe('refunding')
    expect(legsOf(second)).toEqual([
      ['refund', addressNo(1), RENT - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    expect(ends(second).intent.status).toBe('refunded')
  })

  test('fails for a person to decide when the sender is not known', () => {
    const facts = underpaid(SOL, [1, 600_000n, { ...UNKNOWN }])
    const change = changeOf(decideCancel(facts, context()))
    expect(change.transfers).toEqual([])
    expect(change.after).toMatchObject({ status: 'refund_failed', statusReason: SENDER_UNKNOWN })
    expect(eventsOf(change)).toEqual(['intent.refunding', 'intent.refund_failed'])
  })

  test('never gives the money of an unknown sender to a known sender, in this round or a later round', () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const [known = 0, unknown = 0] = order
      const facts = underpaid(MINT, [known, 60n, { asset: MINT }], [unknown, 40n, { asset: MINT, ...UNKNOWN }])
      const refunding = apply(facts, decideCancel(facts, context()))
      expect(legsOf(refunding)).toEqual([['refund', BUYER, 60n]])
      const after = ends(refunding)
      expect(underWay(after)).toBeUndefined()
      expect(after.intent).toMatchObject({ status: 'refund_failed', statusReason: SENDER_UNKNOWN })
    }
  })

  test('of SOL leaves the part without a known sender for a person, when the rent minimum lets it stay', () => {
    const parts = (unowned: bigint) => underpaid(SOL, [1, 400_000n], [2, unowned, { ...UNKNOWN }])
    const refunding = apply(parts(RENT), decideCancel(parts(RENT), context()))
    expect(legsOf(refunding)).toEqual([
      ['refund', BUYER, 400_000n - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    expect(ends(refunding).intent).toMatchObject({ status: 'refund_failed', statusReason: SENDER_UNKNOWN })
  })

  test('of SOL is not blocked by a rest without a known sender that cannot stay: the rest pays the fee', () => {
    const legs = (remnant: bigint) => {
      const facts = underpaid(SOL, [1, 400_000n], [2, remnant, { ...UNKNOWN }])
      return legsOf(apply(facts, decideCancel(facts, context())))
    }
    expect(legs(1n)).toEqual([
      ['refund', BUYER, 400_001n - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    expect(legs(RENT - 1n)).toEqual([
      ['refund', BUYER, 400_000n],
      ['network_fee', FEE_PAYER, RENT - 1n],
    ])
  })

  test('of a token goes back to one sender after the other', () => {
    const facts = underpaid(
      MINT,
      ...[10n, 12n, 11n].map(
        (amount, at): Parameters<typeof deposit> => [at, amount, { asset: MINT, ...from(addressNo(at), amount) }],
      ),
    )
    expect(roundsOf(apply(facts, decideCancel(facts, context())))).toEqual([
      [addressNo(1), 12n],
      [addressNo(2), 11n],
      [addressNo(0), 10n],
    ])
  })

  test('that is held for a person keeps its money: nothing else is planned, and the status shows it', () => {
    const facts = underpaid(MINT)
    const refunding = apply(facts, decideCancel(facts, context()))
    const reason = 'The account is frozen.'
    const held = {
      ...refunding,
      transfers: refunding.transfers.map((one) => ({ ...one, status: 'held' as const, reason })),
    }
    const more = take(held, observedDeposit(2, 5n, { asset: MINT }))
    expect(more.transfers).toHaveLength(1)
    expect(more.intent).toMatchObject({ status: 'refund_failed', statusReason: reason })
  })

  test('is not planned for less SOL than it costs', () => {
    const facts = underpaid(SOL, [1, NETWORK_FEE])
    expect(changeOf(decideCancel(facts, context())).after).toMatchObject({
      status: 'refund_failed',
      statusReason: TOO_SMALL,
    })
  })

  test('is tried again when it failed on chain, and fails after the last round', () => {
    const facts = underpaid()
    let refunding = apply(facts, decideCancel(facts, context()))
    for (let round = 1; round < MAX_FAILED_ROUNDS; round += 1) {
      refunding = ends(refunding, true)
      expect(underWay(refunding)).toMatchObject({ round: round + 1 })
    }
    const failed = ends(refunding, true)
    expect(underWay(failed)).toBeUndefined()
    expect(failed.intent).toMatchObject({ status: 'refund_failed', statusReason: FAILED_TOO_OFTEN })
  })
})

describe('a late payment', () => {
  test('after the sweep goes back to its sender, and is listed', () => {
    const late = take(swept(), observedDeposit(2, 300_000n, from(STRANGER, 300_000n)))
    expect(late.intent.status).toBe('swept')
    expect(late.intent.latePayments).toMatchObject([
      { mint: null, amount: 300_000n, status: 'settling', signature: signatureNo(2) },
    ])
    expect(legsOf(late)).toEqual([
      ['refund', STRANGER, 300_000n - NETWORK_FEE],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    expect(ends(late).intent).toMatchObject({ status: 'swept', latePayments: [{ status: 'refunded' }] })
  })

  test.each<Asset>([SOL, MINT])('of %s from an unknown sender is held, also when the buyer paid before', (asset) => {
    const late = take(swept(asset), observedDeposit(2, 300_000n, { asset, ...UNKNOWN }))
    expect(underWay(late)).toBeUndefined()
    expect(late.intent).toMatchObject({ status: 'swept', latePayments: [{ status: 'held' }] })
  })

  test('that makes the sweep fail goes back automatically, when the next sweep has left the rent reserve', () => {
    const settling = settled({
      status: 'settling',
      deposits: [deposit(1, PRICE)],
      transfers: [
        sweepOf({ legs: [leg('merchant', MERCHANT, PRICE - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)] }),
      ],
    })
    const late = take(settling, observedDeposit(2, 300_000n, from(STRANGER, 300_000n)))
    const again = ends(late, true, 'sweep')
    expect(underWay(again, 'sweep')?.legs.map(({ role, destination, amount }) => [role, destination, amount])).toEqual([
      ['merchant', MERCHANT, PRICE - NETWORK_FEE - RENT],
      ['network_fee', FEE_PAYER, NETWORK_FEE],
    ])
    const swept = ends(again, false, 'sweep')
    expect(swept.intent).toMatchObject({ status: 'swept', settlement: { pendingAmount: RENT } })
    expect(underWay(swept, 'refund')?.legs.map(({ role, destination, amount }) => [role, destination, amount])).toEqual(
      [
        ['refund', STRANGER, 300_000n - NETWORK_FEE],
        ['network_fee', FEE_PAYER, NETWORK_FEE],
      ],
    )
    expect(ends(swept, false, 'refund').intent.latePayments).toMatchObject([{ status: 'refunded' }])
  })

  test('of a wallet with an earlier return is not mistaken for the earlier payment', () => {
    const one = (number: number) => observedDeposit(number, 300_000n, from(STRANGER, 300_000n))
    const first = ends(take(swept(), one(2)))
    const second = take(first, one(3))
    expect(second.intent.latePayments).toMatchObject([
      { signature: signatureNo(2), status: 'refunded' },
      { signature: signatureNo(3), status: 'settling' },
    ])
  })

  test('is listed as returned although the clock that saw the payment before it was a day ahead', () => {
    const settling = settled({
      status: 'settling',
      deposits: [deposit(1, PRICE, { seenAt: new Date(NOW.getTime() + 86_400_000) })],
      transfers: [
        sweepOf({ legs: [leg('merchant', MERCHANT, PRICE - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)] }),
      ],
    })
    const late = take(settling, observedDeposit(2, PRICE))
    expect(late.intent.latePayments).toMatchObject([{ status: 'pending' }])
    const returned = ends(ends(late, false, 'sweep'))
    expect(returned.intent).toMatchObject({ status: 'swept', latePayments: [{ amount: PRICE, status: 'refunded' }] })
  })

  test('that is dust stays with the rent reserve, so that it cannot make the next sweep fail', () => {
    const settling = settled({
      status: 'settling',
      deposits: [deposit(1, PRICE)],
      transfers: [sweepOf()],
    })
    const again = ends(take(settling, observedDeposit(2, 1n, from(STRANGER, 1n))), true, 'sweep')
    const legs = (facts: IntentFacts) => underWay(facts, 'sweep')?.legs.map(({ role, amount }) => [role, amount])
    expect(legs(again)).toEqual([
      ['merchant', PRICE - NETWORK_FEE - RENT],
      ['network_fee', NETWORK_FEE],
    ])
    const reserved = ends(again, false, 'sweep')
    expect(legs(reserved)).toEqual([['merchant', RENT]])
    expect(reserved.intent).toMatchObject({ status: 'swept', settlement: { pendingAmount: RENT } })
  })

  test('whose return failed too often has failed', () => {
    let facts = take(swept(MINT), observedDeposit(2, 300n, { asset: MINT, ...from(STRANGER, 300n) }))
    for (let round = 1; round <= MAX_FAILED_ROUNDS; round += 1) facts = ends(facts, true)
    expect(underWay(facts)).toBeUndefined()
    expect(facts.intent.latePayments).toMatchObject([{ status: 'failed' }])
  })

  describe('next to wallets that make every transaction for them fail', () => {
    const HOSTILE = [101, 102, 103, 104].map(addressNo)
    const SMALL = addressNo(105)

    /** Ends every round as the wallets want. Returns what arrived at each wallet, and the last facts. */
    function outcome(asset: Asset, parts: readonly (readonly [Address, bigint])[]) {
      const observed = parts.map(([wallet, amount], at) =>
        observedDeposit(at + 2, amount, { asset, ...from(wallet, amount) }),
      )
      let facts = take(swept(asset), ...observed)
      const arrived = new Map<Address, bigint>()
      let rounds = 0
      for (let round = underWay(facts); round !== undefined; round = underWay(facts)) {
        const refunds = round.legs.filter(({ role }) => role === 'refund')
        const fails = refunds.some(({ destination }) => HOSTILE.includes(destination))
        if (!fails)
          for (const { destination, amount } of refunds)
            arrived.set(destination, (arrived.get(destination) ?? 0n) + amount)
        facts = ends(facts, fails)
        rounds += 1
      }
      return { arrived, facts, rounds }
    }

    test('goes back in a round of its own, and only theirs have failed', () => {
      const hostile = HOSTILE.map((wallet) => [wallet, 20_000n] as const)
      const { arrived, facts, rounds } = outcome(MINT, [[STRANGER, 900_000n], ...hostile, [SMALL, 10_000n]])
      expect(arrived).toEqual(
        new Map([
          [STRANGER, 900_000n],
          [SMALL, 10_000n],
        ]),
      )
      const statuses = facts.intent.latePayments.map(({ status }) => status)
      expect(statuses).toEqual(['refunded', 'failed', 'failed', 'failed', 'failed', 'refunded'])
      // As many as may fail for each of the four, and two that land.
      expect(rounds).toBe(MAX_FAILED_ROUNDS * HOSTILE.length + 2)
    })

    test('goes back when it is larger than theirs, or smaller, the largest first', () => {
      const hostile = HOSTILE.map((wallet) => [wallet, 700_000n] as const)
      const { arrived } = outcome(MINT, [[STRANGER, 900_000n], ...hostile, [SMALL, 500_000n]])
      expect([...arrived]).toEqual([
        [STRANGER, 900_000n],
        [SMALL, 500_000n],
      ])
    })

    test('of SOL goes back less the rent minimum, which stays with theirs, and a small one goes back too', () => {
      const hostile = HOSTILE.map((wallet) => [wallet, 20_000n] as const)
      const tiny = [addressNo(106), NETWORK_FEE] as const
      const { arrived, facts } = outcome(SOL, [[STRANGER, 5_000_000_000n], ...hostile, tiny, [SMALL, 300_000n]])
      expect(arrived).toEqual(
        new Map([
          [STRANGER, 5_000_000_000n - NETWORK_FEE - RENT],
          [SMALL, 300_000n - NETWORK_FEE],
        ]),
      )
      expect(facts.intent.held).toMatchObject([{ amount: RENT + 80_000n + NETWORK_FEE, reason: CANNOT_STAY }])
    })
  })

  test('that the business swept on demand is a part of the settlement, and no longer listed', () => {
    const held = take(swept(MINT), observedDeposit(2, 300n, { asset: MINT, ...UNKNOWN }))
    const sweeping = apply(held, decideSweep(held, context()))
    const change = endOf(sweeping, false, 'sweep')
    const shown = { status: 'swept', latePayments: [], held: [], settlement: { destinationAmount: 300n } }
    expect(change.after).toMatchObject(shown)
    expect(change.events).toMatchObject([{ type: 'intent.settlement_updated', intent: shown }])
  })

  describe('of SOL, next to those of other wallets,', () => {
    const wallets = [101, 102, 103].map(addressNo)
    const [ONE = STRANGER, TWO = STRANGER, THREE = STRANGER] = wallets
    /** A late payment of each wallet. */
    const lateFrom = (...amounts: readonly bigint[]) =>
      take(
        swept(),
        ...amounts.map((amount, at) => observedDeposit(10 + at, amount, from(wallets[at] ?? STRANGER, amount))),
      )

    test('goes back after a larger one', () => {
      expect(roundsOf(lateFrom(RENT, 2n * RENT))).toEqual([
        [TWO, 2n * RENT - NETWORK_FEE],
        [ONE, RENT - NETWORK_FEE],
      ])
    })

    test.each([
      ['the other alone cannot stay', 30_000n],
      ['the others can stay together and not one after the other', RENT - 1n],
    ])('goes back in two rounds, and leaves the rent minimum for the others, where %s', (_, part) => {
      expect(roundsOf(lateFrom(PRICE, part, 25_000n))).toEqual([
        [ONE, PRICE - NETWORK_FEE - RENT],
        [TWO, part - NETWORK_FEE],
        [THREE, 25_000n - NETWORK_FEE],
        [ONE, RENT - NETWORK_FEE],
      ])
    })

    test('goes back after smaller ones that it cannot leave the rent minimum for', () => {
      const most = 2n * RENT - 1n
      expect(roundsOf(lateFrom(most, 100_000n, 200_000n))).toEqual([
        [THREE, 200_000n - NETWORK_FEE],
        [TWO, 100_000n - NETWORK_FEE],
        [ONE, most - NETWORK_FEE],
      ])
    })

    test('is held where the others cannot stay without it', () => {
      const held = lateFrom(RENT - 1n, RENT - 2n)
      expect(roundsOf(held)).toEqual([])
      expect(held.intent.latePayments.map(({ status }) => status)).toEqual(['held', 'held'])
      expect(held.intent.held).toMatchObject([{ amount: 2n * RENT - 3n, reason: CANNOT_STAY }])
    })

    test('delays none of them when it is not worth the network fee, which it pays, and is shown as failed', () => {
      const facts = lateFrom(RENT, NETWORK_FEE)
      expect(legsOf(facts)).toEqual([
        ['refund', ONE, RENT],
        ['network_fee', FEE_PAYER, NETWORK_FEE],
      ])
      expect(ends(facts).intent.latePayments).toMatchObject([
        { status: 'refunded' },
        { amount: NETWORK_FEE, status: 'failed', refund: null },
      ])
    })

    test('leaves the rent minimum after two rounds that failed, because dust may have disturbed them', () => {
      expect(roundsOf(ends(ends(lateFrom(PRICE), true), true))).toEqual([
        [ONE, PRICE - NETWORK_FEE - RENT],
        [ONE, RENT - NETWORK_FEE],
      ])
    })
  })

  test('of SOL from an unknown sender that cannot stay is not shown as refunded', () => {
    const facts = take(
      swept(),
      observedDeposit(2, PRICE, from(STRANGER, PRICE)),
      observedDeposit(3, RENT - 1n, UNKNOWN),
    )
    const done = ends(facts)
    expect(done.intent.latePayments).toMatchObject([
      { status: 'refunded', refund: { amount: PRICE } },
      { status: 'failed', refund: null },
    ])
  })

  test('to a cancelled intent opens it again, and ends it as refunded', () => {
    const cancelled = settled({ status: 'cancelled' })
    const late = take(
      { ...cancelled, intent: { ...cancelled.intent, statusReason: WINDOW_ENDED } },
      observedDeposit(2, 300_000n),
    )
    expect(late.intent.status).toBe('refunding')
    const refunded = ends(late)
    expect(refunded.intent.status).toBe('refunded')
    // A second time.
    expect(ends(take(refunded, observedDeposit(3, 400_000n))).intent.status).toBe('refunded')
  })
})

describe('an excess that goes back after the sweep', () => {
  test.each<[Asset, bigint]>([
    [SOL, 300_000n - NETWORK_FEE],
    [MINT, 300_000n],
  ])('of %s is in the refunds, while it is under way and when it has arrived', (asset, amount) => {
    const settling = settled({
      status: 'settling',
      asset,
      deposits: [deposit(1, PRICE, { asset }), deposit(2, 700_000n, { asset, ...from(STRANGER, 700_000n) })],
      transfers: [sweepOf({ asset, legs: [leg('merchant', MERCHANT, PRICE), leg('refund', STRANGER, 400_000n)] })],
    })
    const swept = ends(settling, false, 'sweep')
    const mint = asset === SOL ? null : asset
    expect(swept.intent).toMatchObject({ status: 'swept', refunds: [{ mint, amount, signatures: [] }] })
    expect(ends(swept).intent).toMatchObject({ status: 'swept', refunds: [{ mint, amount }], latePayments: [] })
  })

  test('in the sweep is in the settlement, and a late payment in its own list: neither is in the refunds', () => {
    const settling = settled({
      status: 'settling',
      deposits: [deposit(1, PRICE + 300_000n)],
      transfers: [sweepOf({ legs: [leg('merchant', MERCHANT, PRICE), leg('refund', BUYER, 300_000n)] })],
    })
    const late = take(ends(settling, false, 'sweep'), observedDeposit(2, 500_000n, from(STRANGER, 500_000n)))
    expect(ends(late).intent).toMatchObject({ status: 'swept', refunds: [], latePayments: [{ status: 'refunded' }] })
  })
})

describe('a wrong asset', () => {
  test('goes back while the payment continues, and has a list of its own', () => {
    const pending = factsWith(intentWith({ selection: choice(SOL, PRICE) }))
    const back = take(pending, observedDeposit(1, 50n, { asset: OTHER_MINT, ...from(STRANGER, 50n) }))
    expect(back.intent.tokenRefunds).toMatchObject([{ mint: OTHER_MINT, status: 'settling', amount: 50n }])
    expect(legsOf(back)).toEqual([['refund', STRANGER, 50n]])
    expect(ends(back).intent).toMatchObject({
      status: 'pending',
      tokenRefunds: [{ mint: OTHER_MINT, status: 'refunded' }],
    })
  })

  test('of SOL that cannot stay when a late payment goes back is shown as failed', () => {
    const facts = factsWith(intentWith({ status: 'cancelled', selection: choice(MINT, PRICE) }), {
      deposits: [deposit(1, RENT - 1n, { use: 'wrong_asset', ...UNKNOWN })],
    })
    const done = ends(take(facts, observedDeposit(2, PRICE, from(STRANGER, PRICE))))
    expect(done.intent).toMatchObject({
      latePayments: [{ status: 'refunded', refund: { amount: PRICE } }],
      tokenRefunds: [{ status: 'failed', amount: RENT - 1n, refund: null }],
    })
  })
})

describe('any sequence of deposits', () => {
  const arrival = fc.record({
    amount: fc.constantFrom(40n, 60n, 6_000n, 900_000n, PRICE),
    sender: fc.constantFrom(null, addressNo(1), addressNo(2)),
    asset: fc.constantFrom<Asset>(SOL, MINT, OTHER_MINT),
    what: fc.constantFrom('pay', 'pay', 'pay', 'end', 'end', 'fail', 'cancel'),
  })

  test('gives no sender more than it sent, loses no unit of an asset, and reserves nothing twice', () => {
    let refunds = 0
    fc.assert(
      fc.property(
        fc.constantFrom<Asset>(SOL, MINT),
        fc.array(arrival, { minLength: 4, maxLength: 30 }),
        (selected, list) => {
          let facts = factsWith(intentWith({ selection: choice(selected, PRICE) }))
          for (const [number, { amount, sender, asset, what }] of list.entries()) {
            const kind = underWay(facts, 'sweep') === undefined ? 'refund' : 'sweep'
            if (what === 'pay') {
              facts = take(
                facts,
                observedDeposit(number, amount, { asset, ...(sender === null ? UNKNOWN : from(sender, amount)) }),
              )
            } else if (what === 'cancel') {
              const decision = decideCancel(facts, context())
              if (decision.kind === 'moved') facts = apply(facts, decision)
            } else if (underWay(facts, kind) !== undefined) facts = ends(facts, what === 'fail', kind)
            check(facts)
            refunds += facts.transfers.some((one) => one.kind === 'refund' && one.status === 'done') ? 1 : 0
          }
        },
      ),
      { numRuns: 400, seed: 20_261_121 },
    )
    expect(refunds).toBeGreaterThan(100)
  })

  function check(facts: IntentFacts): void {
    for (const asset of [SOL, MINT, OTHER_MINT] as const) {
      const arrived = facts.deposits.filter((one) => one.asset === asset)
      const transfers = facts.transfers.filter((one) => one.asset === asset && one.status !== 'failed')
      const legs = transfers.flatMap((transfer) => transfer.legs)
      const sum = (list: readonly { amount: bigint }[]) => list.reduce((total, { amount }) => total + amount, 0n)
      expect(sum(legs) <= sum(arrived), `${asset} is not reserved twice`).toBe(true)
      for (const one of [addressNo(1), addressNo(2)]) {
        const sent = sum(arrived.filter(({ senders }) => senders[0]?.address === one))
        const got = sum(legs.filter(({ role, destination }) => role === 'refund' && destination === one))
        expect(got <= sent, `${one} gets no more ${asset} than it sent`).toBe(true)
      }
      const open = facts.transfers.filter(
        (one) => one.asset === asset && one.portion === 'main' && one.kind !== 'rent' && one.status === 'in_progress',
      )
      expect(open.length).toBeLessThanOrEqual(1)
    }
  }
})
