// Books the effect of a final transaction: ledger, transfer and intent.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { bookTransfer } from '#core/payments/machine/booking.ts'
import { bookExhausted } from '#core/payments/machine/withdraw.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { isOpen } from '#core/payments/position/position.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { MAX_FAILED_ROUNDS } from '#core/payments/rounds.ts'
import { settlementOf } from '#core/payments/settlement/figures.ts'
import { planSettlement } from '#core/payments/settlement/settlement-plan.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import { ledgerOf, movedByLegs } from '#core/transfers/ledger.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  arrive,
  attemptFor,
  BUYER,
  choice,
  context,
  deposit,
  eventsOf,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  leg,
  MARKETPLACE,
  NETWORK_FEE,
  NOW,
  observedDeposit,
  PAYEE,
  PLATFORM,
  signatureNo,
  sweepOf,
  TOKEN_ACCOUNT,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

const SIGNATURE = signatureNo(500)
const SLOT = 4_000n
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/**
 * Returns the transaction of a transfer as it lands, with every changed balance. One wallet may receive several legs.
 */
function carriedOut(
  transfer: PaymentTransfer,
  { fee = 10_000n, mintFeeBps = 0n, rent = 0n }: { fee?: bigint; mintFeeBps?: bigint; rent?: bigint } = {},
): ObservedTransaction {
  const deltas = new Map<string, { account: Address; owner: Address; asset: PaymentTransfer['asset']; delta: bigint }>()
  const isToken = transfer.asset !== SOL
  const accountOf = (owner: Address): Address => (isToken ? tokenAccountOf(owner) : owner)
  const move = (account: Address, owner: Address, asset: PaymentTransfer['asset'], delta: bigint) => {
    const key = `${account} ${asset}`
    deltas.set(key, { account, owner, asset, delta: (deltas.get(key)?.delta ?? 0n) + delta })
  }
  for (const { destination, amount } of transfer.legs) {
    move(accountOf(transfer.source), transfer.source, transfer.asset, -amount)
    const kept = (amount * mintFeeBps + 9_999n) / 10_000n
    move(accountOf(destination), destination, transfer.asset, amount - kept)
  }
  move(FEE_PAYER, FEE_PAYER, SOL, -fee - rent)
  return landed({
    signature: SIGNATURE,
    slot: SLOT,
    feePayer: FEE_PAYER,
    fee: makeLamports(fee),
    signers: [FEE_PAYER, transfer.source],
    moves: [...deltas.values()].filter(({ delta }) => delta !== 0n),
  })
}
const failedTransaction = (fee = 10_000n): ObservedTransaction =>
  landed({
    signature: SIGNATURE,
    slot: SLOT,
    error: '{"InsufficientFundsForRent":{"account_index":1}}',
    feePayer: FEE_PAYER,
    fee: makeLamports(fee),
    moves: [{ account: FEE_PAYER, delta: -fee }],
  })

const tokenAccounts = new Map<Address, Address>([[pendingIntent.address, TOKEN_ACCOUNT]])
const tokenAccountOf = (owner: Address): Address => {
  const account = tokenAccounts.get(owner) ?? addressNo(6_000 + tokenAccounts.size)
  tokenAccounts.set(owner, account)
  return account
}

describe('the amount that arrived for each leg', () => {
  const asPaid = (
    asset: PaymentTransfer['asset'],
    received: bigint,
    expected: bigint,
    cut: number,
    forSeller: boolean,
  ) => {
    const intent = intentWith({ selection: choice(asset, expected), marketplaceFeeBps: makeBasisPoints(cut) })
    const payee = forSeller ? { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } } : PAYEE
    const plan = planSettlement(intent, payee, depositSharesOf([deposit(1, received, { asset })]), context())
    if ('refused' in plan) return null
    return sweepOf({ asset, legs: plan.legs, tokenProgram: asset === SOL ? null : TOKEN_PROGRAM })
  }
  const amounts = fc.bigInt({ min: 20_000n, max: 10n ** 12n })

  test('is the amount that was sent, when the chain withholds nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PaymentTransfer['asset']>(SOL, MINT),
        amounts,
        amounts,
        fc.integer({ min: 0, max: 4_000 }),
        fc.boolean(),
        fc.bigInt({ min: 5_000n, max: 50_000n }),
        (asset, received, expected, cut, forSeller, fee) => {
          const transfer = asPaid(asset, received, expected, cut, forSeller)
          if (transfer === null) return
          const moved = movedByLegs(transfer, carriedOut(transfer, { fee }))
          expect(moved).toEqual(transfer.legs.map(({ amount }) => amount))
          expect(sum(moved)).toBe(received)
        },
      ),
    )
  })

  test('of the fee payer excludes the fee that it paid, even when both are the same', () => {
    for (const fee of [NETWORK_FEE, NETWORK_FEE - 1n, NETWORK_FEE + 1n, 10n * NETWORK_FEE]) {
      expect(movedByLegs(sweepOf(), carriedOut(sweepOf(), { fee }))).toEqual([995_000n, NETWORK_FEE])
    }
  })

  test('is divided in the order of the legs where one wallet gets several', () => {
    const transfer = sweepOf({
      legs: [
        leg('seller', MERCHANT, 600n),
        leg('platform', FEE_PAYER, 30n),
        leg('refund', MERCHANT, 300n),
        leg('network_fee', FEE_PAYER, 70n),
      ],
    })
    expect(movedByLegs(transfer, carriedOut(transfer))).toEqual([600n, 30n, 300n, 70n])
  })

  test('of a mint with transfer fees is less than the amount that was sent', () => {
    const transfer = sweepOf({
      asset: MINT,
      tokenProgram: TOKEN_PROGRAM,
      legs: [leg('merchant', MERCHANT, 10_000n), leg('refund', BUYER, 500n)],
    })
    expect(movedByLegs(transfer, carriedOut(transfer, { mintFeeBps: 100n, rent: 2_039_280n }))).toEqual([9_900n, 495n])
    // Only the sum of two legs to one wallet is known: the later leg bears the withheld fee.
    const twice = { ...transfer, legs: [leg('merchant', MERCHANT, 10_000n), leg('refund', MERCHANT, 500n)] }
    expect(movedByLegs(twice, carriedOut(twice, { mintFeeBps: 100n }))).toEqual([10_000n, 395n])
  })

  test('is never more than the amount that was sent, and 0 where nothing arrived', () => {
    const transfer = sweepOf({ legs: [leg('merchant', MERCHANT, 100n), leg('refund', BUYER, 50n)] })
    const transaction = landed({ moves: [{ account: MERCHANT, delta: 130n }], feePayer: FEE_PAYER })
    expect(movedByLegs(transfer, transaction)).toEqual([100n, 0n])
  })
})

describe('the settlement', () => {
  test('has its amounts from the balances of the transaction, and legs that add up to the received amount', () => {
    const legs = [
      leg('seller', MERCHANT, 845_000n),
      leg('marketplace', MARKETPLACE, 100_000n, 1_000),
      leg('platform', PLATFORM, 10_000n, 100),
      leg('refund', BUYER, 40_000n),
      leg('network_fee', FEE_PAYER, NETWORK_FEE),
    ]
    const transfer = sweepOf({ legs })
    const settlement = settlementOf(
      transfer,
      legs.map(({ amount }) => amount),
      SIGNATURE,
      { ticker: 'SOL' },
    )
    expect(settlement).toMatchObject({
      asset: 'SOL',
      decimals: 9,
      destinationAmount: 845_000n,
      platformFeeAmount: 10_000n,
      signatures: [SIGNATURE],
    })
    expect(settlement.legs).toEqual(
      legs.map((one) => ({ ...one, mint: null, asset: 'SOL', decimals: 9, signature: SIGNATURE })),
    )
    expect(sum(settlement.legs.map(({ amount }) => amount))).toBe(1_000_000n)
  })

  test('shows the withheld transfer fees as a leg of their own', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.bigInt({ min: 0n, max: 10n ** 6n }),
        fc.bigInt({ min: 0n, max: 9_999n }),
        (price, excess, mintFeeBps) => {
          const legs = [leg('merchant', MERCHANT, price), leg('refund', BUYER, excess)].filter(
            ({ amount }) => amount > 0n,
          )
          const transfer = sweepOf({ asset: MINT, decimals: 6, tokenProgram: TOKEN_PROGRAM, legs })
          const moved = movedByLegs(transfer, carriedOut(transfer, { mintFeeBps }))
          const settlement = settlementOf(transfer, moved, SIGNATURE, { ticker: 'USDC' })
          expect(sum(settlement.legs.map(({ amount }) => amount))).toBe(price + excess)
          expect(settlement.destinationAmount).toBe(moved[0])
          const kept = settlement.legs.filter(({ role }) => role === 'network_fee')
          expect(kept).toEqual(
            mintFeeBps === 0n
              ? []
              : [
                  {
                    role: 'network_fee',
                    destination: MINT,
                    mint: MINT,
                    asset: 'USDC',
                    decimals: 6,
                    feeBps: null,
                    signature: SIGNATURE,
                    amount: price + excess - sum(moved),
                  },
                ],
          )
        },
      ),
    )
  })
})

describe('the ledger', () => {
  test('takes every effect on the service’s addresses from the transaction’s balances, and none on others', () => {
    const about = { network: 'live', kind: 'sweep', subjectId: 'i', transferId: 't' } as const
    const transfer = sweepOf({ asset: MINT, tokenProgram: TOKEN_PROGRAM, legs: [leg('merchant', MERCHANT, 700n)] })
    const transaction = carriedOut(transfer, { fee: 10_000n, rent: 2_039_280n })
    const common = { ...about, signature: SIGNATURE, slot: SLOT }
    expect(ledgerOf(transaction, new Set([transfer.source, FEE_PAYER]), about)).toEqual([
      { ...common, address: transfer.source, account: TOKEN_ACCOUNT, asset: MINT, delta: -700n },
      { ...common, address: FEE_PAYER, account: FEE_PAYER, asset: SOL, delta: -2_049_280n },
    ])
  })
})

describe('booking a sweep', () => {
  const PRICE = 1_000_000n
  const settling = (asset: PaymentTransfer['asset'] = SOL, payee = PAYEE, feeBps = 0): IntentFacts => {
    const terms = { selection: choice(asset, PRICE), marketplaceFeeBps: makeBasisPoints(feeBps) }
    return arrive(factsWith(intentWith(terms), { payee }), observedDeposit(1, PRICE, { asset }))
  }
  const underWay = (facts: IntentFacts): PaymentTransfer => {
    const transfer = facts.transfers.find(
      (one) => one.status === 'in_progress' && one.kind === 'sweep' && !isRentReserve(one),
    )
    if (transfer === undefined) throw new Error('no sweep is under way')
    return transfer
  }
  const book = (facts: IntentFacts, transaction: ObservedTransaction, transfer = underWay(facts)) =>
    bookTransfer({ facts, transfer, attempt: attemptFor(transfer), transaction, context: context() })

  test('that landed writes status, outcome, ledger, settlement and one event in one change', () => {
    const facts = settling()
    const transfer = underWay(facts)
    const change = book(facts, carriedOut(transfer))
    expect(eventsOf(change)).toEqual(['intent.swept'])
    expect(change.after).toMatchObject({ status: 'swept', settlement: { destinationAmount: PRICE - NETWORK_FEE } })
    expect(change.outcome).toEqual({
      attemptId: `attempt-of-${transfer.id}`,
      transferId: transfer.id,
      fence: transfer.fence,
      attemptState: 'final_ok',
      transferStatus: 'done',
      reason: null,
      signature: SIGNATURE,
      slot: SLOT,
      moved: [PRICE - NETWORK_FEE, NETWORK_FEE],
      at: NOW,
    })
    const common = { network: 'live', kind: 'sweep', subjectId: pendingIntent.id, transferId: transfer.id, asset: SOL }
    const landing = { signature: SIGNATURE, slot: SLOT }
    expect(change.ledger).toEqual([
      { ...common, ...landing, address: pendingIntent.address, account: pendingIntent.address, delta: -PRICE },
      { ...common, ...landing, address: FEE_PAYER, account: FEE_PAYER, delta: NETWORK_FEE - 10_000n },
    ])
    expect(change.transfers).toEqual([])
  })

  test('of a token plans a separate transfer of the emptied account’s rent', () => {
    const facts = settling(MINT)
    const change = book(facts, carriedOut(underWay(facts)))
    expect(change.after.status).toBe('swept')
    expect(change.transfers).toEqual([
      expect.objectContaining({
        key: `rent:${pendingIntent.address}:${MINT}:1`,
        kind: 'rent',
        asset: MINT,
        tokenProgram: TOKEN_PROGRAM,
        source: pendingIntent.address,
        round: 1,
        legs: [],
      }),
    ])
  })

  test.each([
    ['planned', 0],
    ['in_progress', 0],
    ['held', 1],
    ['failed', 1],
    ['done', 1],
  ] as const)('of a token, with a rent transfer that is %s, plans %i more of it', (status, count) => {
    const facts = settling(MINT)
    const sweep = underWay(facts)
    const rent = {
      ...sweep,
      id: 'rent',
      kind: 'rent',
      key: `rent:${pendingIntent.address}:${MINT}:1`,
      status,
      legs: [],
    } as const
    const change = book({ ...facts, transfers: [...facts.transfers, rent] }, carriedOut(sweep))
    expect(change.transfers.map(({ round }) => round)).toEqual(Array(count).fill(2))
  })

  test('counts exactly the late payments that it moved as received, also when the same wallet got earlier ones back', () => {
    const late = (number: number, amount: bigint, seenVersion: number) =>
      deposit(number, amount, {
        asset: SOL,
        use: 'late',
        seenVersion,
        senders: [{ address: BUYER, amount: units(amount) }],
      })
    const [returned, settled, newest] = [late(2, 700_001n, 2), late(3, 700_002n, 4), late(4, 700_003n, 6)]
    const [priceSweep] = settling().transfers
    if (priceSweep === undefined) throw new Error('no sweep')
    const refund = sweepOf({
      id: 'refund',
      kind: 'refund',
      status: 'done',
      plannedVersion: 3,
      legs: [leg('refund', BUYER, returned.amount - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
    })
    const sweep = sweepOf({
      id: 'second',
      round: 2,
      status: 'in_progress',
      plannedVersion: 5,
      legs: [leg('merchant', MERCHANT, settled.amount - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
    })
    const facts = factsWith(intentWith({ status: 'swept', selection: choice(SOL, PRICE), received: units(PRICE) }), {
      deposits: [deposit(1, PRICE, { asset: SOL }), returned, settled, newest],
      transfers: [{ ...priceSweep, status: 'done' }, refund, sweep],
    })
    const change = book(facts, carriedOut(sweep), sweep)
    expect(change.after.received).toBe(PRICE + settled.amount)
    expect(change.deposits).toEqual([{ ...settled, use: 'applied' }])
  })

  test('that failed on chain books only the fee, and plans the next round', () => {
    const facts = settling()
    const change = book(facts, failedTransaction())
    expect(change.outcome).toMatchObject({ attemptState: 'final_err', transferStatus: 'failed', moved: [] })
    expect(change.outcome?.reason).toContain('InsufficientFundsForRent')
    expect(change.ledger).toMatchObject([{ kind: 'fee', address: FEE_PAYER, delta: -10_000n }])
    expect(change.after).toMatchObject({ status: 'settling', settlement: null })
    expect(change.events).toEqual([])
    expect(change.transfers).toMatchObject([{ key: 'sweep:intent:42:2', round: 2, legs: underWay(facts).legs }])
  })

  test('that fails in every round fails after the last round, with one event', () => {
    let facts = settling()
    for (let round = 1; round < MAX_FAILED_ROUNDS; round += 1)
      facts = afterwards(facts, book(facts, failedTransaction()))
    expect(facts.transfers.map(({ key }) => key)).toEqual([1, 2, 3, 4, 5].map((round) => `sweep:intent:42:${round}`))
    const last = book(facts, failedTransaction())
    expect(last.transfers).toEqual([])
    expect(eventsOf(last)).toEqual(['intent.settle_failed'])
    expect(last.after).toMatchObject({
      status: 'settle_failed',
      statusReason: 'The transfer to the business failed on chain too often.',
    })
  })

  /** A sweep under way of a price and of what these senders paid too much. */
  function settlingWithExcess(asset: Asset, price: bigint, senders: Deposit['senders']): IntentFacts {
    const excess = sum(senders.map(({ amount }) => amount))
    const deposits = [observedDeposit(1, price, { asset }), observedDeposit(2, excess, { asset, senders })]
    return arrive(factsWith(intentWith({ selection: choice(asset, price) })), ...deposits)
  }

  test.each<Asset>([SOL, MINT])(
    'that failed with the refund of an excess of %s goes without it, and the refunds follow one by one',
    (asset) => {
      const price = 1_000_000_000n
      const senders = [1, 2].map((number) => ({
        address: addressNo(number),
        amount: units(20_000_000n + BigInt(number)),
      }))
      const recipients = ({ legs }: Pick<PaymentTransfer, 'legs'>) =>
        legs.filter(({ role }) => role === 'refund').map(({ destination }) => destination)
      let facts = settlingWithExcess(asset, price, senders)
      expect(recipients(underWay(facts))).toEqual([addressNo(2)])
      facts = afterwards(facts, book(facts, failedTransaction()))
      expect(recipients(underWay(facts))).toEqual([])
      const settled = book(facts, carriedOut(underWay(facts)))
      expect(settled.after).toMatchObject({ status: 'swept', received: price + 40_000_003n, held: [] })
      const refund = settled.transfers.find(({ kind }) => kind === 'refund')
      expect(refund === undefined ? [] : recipients(refund)).toEqual([addressNo(2)])
      facts = afterwards(facts, settled)
      const back = facts.transfers.find(({ kind }) => kind === 'refund') ?? sweepOf()
      expect(
        book(facts, carriedOut(back), back)
          .transfers.filter(({ kind }) => kind === 'refund')
          .map(recipients),
      ).toEqual([[addressNo(1)]])
    },
  )

  describe('after two that could not empty the address', () => {
    const failed = (facts: IntentFacts) => afterwards(facts, book(facts, failedTransaction()))
    const tried = (facts = settling()) => failed(failed(facts))
    const transferOf = (facts: IntentFacts, rest: boolean) => {
      const open = facts.transfers.find((one) => isOpen(one) && isRentReserve(one) === rest)
      if (open === undefined) throw new Error('the transfer does not exist')
      return open
    }
    const landedMain = (facts: IntentFacts) =>
      book(facts, carriedOut(transferOf(facts, false)), transferOf(facts, false))
    const total = ({ legs }: Pick<PaymentTransfer, 'legs'>) => sum(legs.map(({ amount }) => amount))

    test('leaves the rent minimum, and the rent reserve moves it to the same wallet when the sweep has landed', () => {
      const facts = tried()
      expect(total(transferOf(facts, false))).toBe(PRICE - context().rentMinimum)
      const swept = landedMain(facts)
      expect(swept.transfers).toMatchObject([
        { portion: 'rent_reserve', legs: [{ role: 'merchant', destination: MERCHANT, amount: context().rentMinimum }] },
      ])
    })

    test('takes the cuts of the whole payment, and the rent reserve has none', () => {
      const first = settling(SOL, { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } }, 500)
      const cutsOf = ({ legs }: PaymentTransfer) =>
        legs.filter(({ role }) => role === 'marketplace' || role === 'platform')
      const again = failed(tried(first))
      expect(cutsOf(transferOf(again, false))).toEqual(cutsOf(underWay(first)))
      expect(cutsOf(transferOf(again, false))).toHaveLength(2)
      const swept = landedMain(again)
      expect(swept.waived).toBeUndefined()
      expect(swept.transfers.map(({ legs }) => legs.map(({ role }) => role))).toEqual([['seller']])
      expect(total(transferOf(again, false)) + sum(swept.transfers.map(total))).toBe(PRICE)
    })

    test('emits swept with the pending amount, and settlement_updated when it follows', () => {
      const facts = tried()
      const swept = landedMain(facts)
      expect(eventsOf(swept)).toEqual(['intent.swept'])
      const after = afterwards(facts, swept)
      const rest = transferOf(after, true)
      const complete = book(after, carriedOut(rest), rest)
      const settled = (change: typeof swept) => change.after.settlement?.destinationAmount ?? 0n
      expect(swept.after.settlement?.pendingAmount).toBe(context().rentMinimum)
      expect(settled(complete)).toBe(settled(swept) + context().rentMinimum)
      expect(complete.after.settlement?.pendingAmount).toBe(0n)
      expect(complete.after.settlement?.signatures).toHaveLength(2)
      expect(eventsOf(complete)).toEqual(['intent.settlement_updated'])
    })

    test('plans no rent reserve when the round that landed took all of the price', () => {
      const facts = tried()
      const whole = { ...transferOf(facts, false), legs: underWay(settling()).legs }
      const known = { ...facts, transfers: facts.transfers.map((one) => (one.id === whole.id ? whole : one)) }
      const swept = book(known, carriedOut(whole), whole)
      expect(swept).toMatchObject({ transfers: [], after: { status: 'swept', settlement: { pendingAmount: 0n } } })
    })

    test.each<[string, (facts: IntentFacts, reserve: PaymentTransfer) => IntentChange]>([
      ['fails on chain', (facts, reserve) => book(facts, failedTransaction(), reserve)],
      [
        'expires with all its attempts',
        (facts, transfer) =>
          bookExhausted({ facts, transfer, attempt: attemptFor(transfer), context: context() }, 'too late'),
      ],
    ])('has another rent reserve as often as one %s: no refund takes it', (_, end) => {
      const facts = tried()
      let left = afterwards(facts, landedMain(facts))
      for (let round = 0; round < 2 * MAX_FAILED_ROUNDS; round += 1) {
        const change = end(left, transferOf(left, true))
        expect(change.outcome).toMatchObject({ transferStatus: 'failed' })
        expect(change.transfers.map(total)).toEqual([context().rentMinimum])
        expect(change.after).toMatchObject({ status: 'swept', settlement: { pendingAmount: context().rentMinimum } })
        left = afterwards(left, change)
      }
    })
  })

  test('after the payment has ended still books its effect, and reports the settlement without a change of status', () => {
    const facts = settling()
    const transfer = underWay(facts)
    for (const status of ['settle_failed', 'swept'] as const) {
      const ended = { ...facts, intent: intentWith({ ...facts.intent, status }) }
      const change = book(ended, carriedOut(transfer), transfer)
      expect(eventsOf(change)).toEqual(['intent.settlement_updated'])
      expect(change).toMatchObject({ transfers: [], after: { status, version: ended.intent.version + 1 } })
      expect(change.outcome).toMatchObject({ attemptState: 'final_ok' })
      expect(change.ledger).toHaveLength(2)
    }
  })

  test('whose attempts are all abandoned fails with the reason, and has moved nothing', () => {
    const facts = settling()
    const transfer = underWay(facts)
    const change = bookExhausted({ facts, transfer, attempt: attemptFor(transfer), context: context() }, 'too late')
    expect(change.outcome).toEqual({
      attemptId: `attempt-of-${transfer.id}`,
      transferId: transfer.id,
      fence: transfer.fence,
      attemptState: 'dead',
      transferStatus: 'failed',
      reason: 'too late',
      signature: SIGNATURE,
      slot: null,
      moved: [],
      at: NOW,
    })
    expect(change).toMatchObject({
      ledger: [],
      transfers: [],
      after: { status: 'settle_failed', statusReason: 'too late' },
    })
    expect(eventsOf(change)).toEqual(['intent.settle_failed'])
  })
})
