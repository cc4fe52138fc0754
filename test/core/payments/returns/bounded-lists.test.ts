import { describe, expect, test } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Decimal } from '#core/money/price.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { bookDusty, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { type Obstacle, TOO_SMALL } from '#core/payments/obstacle.ts'
import { type IntentStatus, intentToJson, type Sender } from '#core/payments/payment-intent.ts'
import { NEWEST } from '#core/payments/returns/asset-books.ts'
import { fullListsOf } from '#core/payments/returns/return-lists.ts'
import type { Token } from '#core/tokens/token.ts'
import { MERCHANT, MINT } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  arrive,
  attemptFor,
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
  later,
  leg,
  NETWORK_FEE,
  OTHER_MINT,
  observedDeposit,
  PRICES,
  RENT,
  SOL_TOKEN,
  signatureNo,
  sweepOf,
  units,
} from '../../../support/payment.ts'

const STRANGER = addressNo(77)

// Anyone can pay any address at any time. The data that this writes is bounded.
describe('payments of strangers', () => {
  const PRICE = 1_000_000n

  const TOO_LITTLE: Obstacle = 'too_small'

  /** The bytes that a change wrote into the event log. */
  const bytesOf = (change: IntentChange): number =>
    change.events.reduce((sum, { intent }) => sum + JSON.stringify(intentToJson(intent)).length, 0)

  const over = (status: IntentStatus, selected: Asset = SOL): IntentFacts =>
    factsWith(
      intentWith({ status, selection: choice(selected, PRICE), received: units(status === 'swept' ? PRICE : 0n) }),
      {
        deposits: status === 'swept' ? [deposit(1, PRICE, { asset: selected })] : [],
        transfers:
          status === 'swept'
            ? [sweepOf({ asset: selected, status: 'done', legs: [leg('merchant', MERCHANT, PRICE)] })]
            : [],
      },
    )

  /** Payments ten seconds apart. */
  function paySpaced(
    start: IntentFacts,
    count: number,
    pay: (at: number) => Parameters<typeof observedDeposit>,
    {
      isWorthIt = true,
      prices = new Map(),
    }: { readonly isWorthIt?: boolean; readonly prices?: ReadonlyMap<Asset, Decimal> } = {},
  ) {
    let facts = start
    let [bytes, events] = [0, 0]
    const take = (change: IntentChange) => {
      bytes += bytesOf(change)
      events += change.events.length
      facts = afterwards(facts, change)
    }
    for (let at = 0; at < count; at += 1) {
      const when = (second: number) => context({ now: later(10 * at + second), prices })
      take(changeOf(decideDeposits(facts, [observedDeposit(...pay(at))], null, when(0))))
      for (const transfer of facts.transfers.filter(({ status }) => status === 'in_progress')) {
        if (!isWorthIt) {
          const refused = transfer.legs.map(({ role, destination }) => ({ role, destination, obstacle: TOO_LITTLE }))
          // No attempt of it was signed.
          const unsigned = { ...transfer, attemptCount: 0 }
          facts = { ...facts, transfers: facts.transfers.map((one) => (one.id === transfer.id ? unsigned : one)) }
          const booking = { facts, transfer: unsigned, context: when(2) }
          take(bookUndeliverable(booking, { fence: 1n }, TOO_SMALL, refused))
          continue
        }
        const signature = signatureNo(50_000 + facts.transfers.length)
        const moves = transfer.legs.map((one) => ({
          account: one.destination,
          asset: transfer.asset,
          delta: one.amount,
        }))
        const transaction = landed({ feePayer: FEE_PAYER, fee: makeLamports(0n), signature, moves })
        take(
          bookTransfer({
            facts,
            transfer,
            attempt: attemptFor(transfer, { signature }),
            transaction,
            context: when(2),
          }),
        )
        facts = {
          ...facts,
          transfers: facts.transfers.map((one) => (one.id === transfer.id ? { ...one, signature } : one)),
        }
      }
    }
    return { facts, bytes, events }
  }

  describe('spaced payments that are too small to return', () => {
    const DUST = 100
    test.each<[string, IntentFacts]>([
      ['a swept intent', over('swept')],
      ['a cancelled intent', over('cancelled')],
      ['a refunded intent', over('refunded')],
      ['an intent that waits for a token', over('pending', MINT)],
      ['an intent that was paid in a token', over('swept', MINT)],
    ])('to %s write a limited number of events', (_, start) => {
      const { facts, bytes, events } = paySpaced(start, DUST, (at) => [10 + at, 1n, { senders: [] }])
      expect(events).toBeLessThanOrEqual(2)
      expect(bytes).toBeLessThan(10_000)
      expect(facts.intent.status).toBe(start.intent.status)
      expect(facts.intent.held).toMatchObject([{ mint: null, amount: BigInt(DUST) }])
      expect(facts.intent.latePayments.length + facts.intent.tokenRefunds.length).toBe(1)
      for (const late of facts.intent.latePayments) {
        expect(late).toMatchObject({ amount: BigInt(DUST), count: DUST, status: 'held', refund: null })
      }
      for (const wrong of facts.intent.tokenRefunds) {
        expect(wrong).toMatchObject({ amount: BigInt(DUST), status: 'failed', refund: null })
      }
    })

    test('from a wallet that finally sends enough all go back, and cost the wallet a network fee each time', () => {
      const start = over('cancelled')
      const from = { senders: [{ address: STRANGER, amount: units(1_000n) }] }
      const { facts, events } = paySpaced(start, 48, (at) => [10 + at, 1_000n, from])
      // Sixteen payments are more than the network fee and the fee of their return.
      expect(facts.transfers).toHaveLength(3)
      expect(events).toBeLessThanOrEqual(2 * 3 + 1)
      expect(facts.intent).toMatchObject({
        status: 'refunded',
        refundSender: STRANGER,
        refunds: [{ mint: null, amount: 3n * (16_000n - NETWORK_FEE) }],
        latePayments: [{ count: 48, status: 'refunded', refund: { amount: 3n * (16_000n - NETWORK_FEE) } }],
      })
      expect(facts.intent.refunds[0]?.signatures).toHaveLength(3)
    })

    test.each<[string, (at: number) => readonly [wallet: Address, amount: bigint]]>([
      ['from different wallets, each more than the network fee', (at) => [addressNo(6_000 + at), LARGEST_DUST]],
      [
        'from one wallet whose payments are more than the network fee together',
        (at) => [STRANGER, at === 0 ? 5_001n : 1n],
      ],
    ])('%s plan no return, and change no status', (_, given) => {
      for (const start of [over('cancelled'), over('refunded'), over('swept', MINT)]) {
        const { facts, events } = paySpaced(start, 60, (at) => {
          const [address, amount] = given(at)
          return [10 + at, amount, { senders: [{ address, amount: units(amount) }] }]
        })
        expect(facts.transfers.filter(({ kind }) => kind === 'refund')).toEqual([])
        expect(events).toBeLessThanOrEqual(2)
        expect(facts.intent.status).toBe(start.intent.status)
        expect(facts.intent.held).toMatchObject([{ mint: null, reason: TOO_SMALL }])
      }
    })
  })

  describe('spaced token payments that are worth less than their return', () => {
    const COUNT = 50
    const prices = PRICES
    const from = (address: Address, amount: bigint): Sender => ({ address, amount: units(amount) })

    describe.each<[string, (at: number) => readonly [amount: bigint, senders: readonly Sender[]]]>([
      ['from different wallets', (at) => [7n, [from(addressNo(6_000 + at), 7n)]]],
      ['each larger than the last, from one wallet', (at) => [BigInt(1 + at), [from(STRANGER, BigInt(1 + at))]]],
      ['from unknown senders', () => [7n, []]],
      ['from one of several possible senders', () => [7n, [{ ...from(STRANGER, 7n), obstacle: 'ambiguous' }]]],
    ])('%s', (_, given) => {
      test.each<[string, IntentFacts, Asset]>([
        ['a swept intent', over('swept', MINT), MINT],
        ['a cancelled intent', over('cancelled', MINT), MINT],
        ['a refunded intent', over('refunded', MINT), MINT],
        ['an underpaid intent', over('underpaid', MINT), MINT],
        ['an intent that waits for SOL', over('pending'), MINT],
        ['an intent that was paid in SOL', over('swept'), OTHER_MINT],
      ])('to %s plan no transfer, and write a limited number of events', (_, start, asset) => {
        const { facts, events } = paySpaced(
          start,
          COUNT,
          (at) => {
            const [amount, senders] = given(at)
            return [10 + at, amount, { asset, senders }]
          },
          { isWorthIt: false, prices },
        )
        expect(facts.transfers.filter(({ kind }) => kind === 'refund')).toEqual([])
        expect(events).toBeLessThanOrEqual(2)
        expect(facts.intent.status).toBe(start.intent.status)
        const apart = facts.deposits.filter(({ use }) => use !== 'applied')
        const { held, latePayments, tokenRefunds } = facts.intent
        expect(latePayments.length + tokenRefunds.length).toBe(apart.length > 0 ? 1 : 0)
        const total = apart.reduce((sum, { amount }) => sum + amount, 0n)
        expect(held).toMatchObject(apart.length > 0 ? [{ mint: asset, amount: total }] : [])
      })
    })

    test('do not prevent the return of a larger payment', () => {
      const start = over('swept', MINT)
      const sent = (address: Address, amount: bigint) => ({ asset: MINT, senders: [from(address, amount)] })
      const { facts } = paySpaced(start, 5, (at) => [10 + at, 7n, sent(addressNo(6_000 + at), 7n)], { prices })
      const more = paySpaced(facts, 1, () => [100, 5_000_000n, sent(STRANGER, 5_000_000n)], { prices })
      expect(more.facts.intent.latePayments.at(-1)).toMatchObject({
        status: 'refunded',
        refund: { amount: 5_000_000n, signatures: [expect.any(String)] },
      })
    })

    test('without a price are judged before each return is signed', () => {
      const sent = (at: number) => ({ asset: MINT, senders: [from(addressNo(6_000 + at), 7n)] })
      const { facts } = paySpaced(over('swept', MINT), 3, (at) => [10 + at, 7n, sent(at)], { isWorthIt: false })
      expect(facts.transfers.filter(({ kind }) => kind === 'refund')).toHaveLength(3)
      expect(facts.intent.held).toMatchObject([{ mint: MINT, amount: 21n, reason: TOO_SMALL }])
    })
  })

  describe('late payments that go back', () => {
    const COUNT = 60
    const { facts, bytes, events } = paySpaced(over('swept'), COUNT, (at) => [
      10 + at,
      20_000n,
      { senders: [{ address: STRANGER, amount: units(20_000n) }] },
    ])

    test('show the newest, with the number and the totals of all', () => {
      const { latePayments, listTotals } = facts.intent
      expect(latePayments.map(({ signature }) => signature)).toEqual(
        Array.from({ length: NEWEST }, (_, at) => signatureNo(10 + COUNT - NEWEST + at)),
      )
      expect(listTotals.latePayments).toEqual({
        count: COUNT,
        totals: [{ mint: null, amount: BigInt(COUNT) * 20_000n, count: COUNT }],
      })
      expect(listTotals).toMatchObject({ tokenRefunds: null, held: null })
    })

    test('each show the returned amount and its transaction', () => {
      for (const { status, refund, count } of facts.intent.latePayments) {
        expect({ status, count, amount: refund?.amount }).toEqual({
          status: 'refunded',
          count: 1,
          amount: 20_000n - NETWORK_FEE,
        })
        expect(refund?.signatures).toHaveLength(1)
      }
      const signatures = new Set(facts.intent.latePayments.flatMap(({ refund }) => refund?.signatures ?? []))
      expect(signatures.size).toBe(NEWEST)
    })

    test('write one event of limited size each', () => {
      expect(events).toBe(COUNT)
      expect(bytes / events).toBeLessThan(9_000)
    })

    test('are all in the full list', () => {
      const { latePayments } = fullListsOf(facts, context())
      expect(latePayments).toHaveLength(COUNT)
      expect(latePayments.slice(-NEWEST)).toMatchObject([...facts.intent.latePayments])
    })
  })

  test('many mints and many held amounts are shown up to the limit, with totals of as many mints', () => {
    const mints = Array.from({ length: 30 }, (_, at) => addressNo(5_000 + at))
    const tokens = new Map<Asset, Token>([
      [SOL, SOL_TOKEN],
      ...mints.map((mint) => [mint, { ...SOL_TOKEN, asset: mint, mint, isNative: false }] as const),
    ])
    const allowed = context({ tokens })
    const facts = over('pending')
    const observed = mints.map((asset, at) => observedDeposit(10 + at, 7n, { asset, senders: [] }))
    const change = changeOf(decideDeposits(facts, observed, null, allowed))
    const { held, tokenRefunds, listTotals } = change.after
    expect(held.map(({ mint }) => mint)).toEqual(mints.slice(-NEWEST))
    expect(tokenRefunds.map(({ mint }) => mint)).toEqual(mints.slice(-NEWEST))
    expect(listTotals.held?.count).toBe(30)
    expect(listTotals.held?.totals).toEqual(mints.slice(-NEWEST).map((mint) => ({ mint, amount: 7n, count: 1 })))
    expect(eventsOf(change)).toEqual(['intent.token_refund_updated'])
    expect(bytesOf(change)).toBeLessThan(12_000)
  })
})

// A stranger who keeps sending dust: at any rhythm, final money moves within a limited number of steps.
describe('dust', () => {
  const PRICE = 10_000_000n

  const dustNo = (number: number, amount: bigint) =>
    observedDeposit(number, amount, { senders: [{ address: STRANGER, amount: units(amount) }] })

  test('two lamports a second while settling withdraw the sweep once only', () => {
    let facts = arrive(factsWith(intentWith({ selection: choice(SOL, PRICE) })), observedDeposit(1, PRICE))
    let withdrawals = 0
    for (let second = 1; second <= 30; second += 1) {
      const now = later(second)
      facts = apply(facts, decideDeposits(facts, [dustNo(200 + second, 2n)], null, context({ now })))
      const sweep = facts.transfers.find(
        ({ portion, status }) => status === 'in_progress' && portion !== 'rent_reserve',
      )
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
})
