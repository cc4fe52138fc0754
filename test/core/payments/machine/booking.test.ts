// Books the effect of a final transaction: ledger, obligation and intent.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { bookTransfer, settlementOf } from '#core/payments/machine/booking.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { bookDusty, bookExhausted, bookUndeliverable } from '#core/payments/machine/set-aside.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { TRIES_TO_EMPTY } from '#core/payments/position/rent-reserve.ts'
import { depositSharesOf } from '#core/payments/position/shares.ts'
import { planSettlement } from '#core/payments/settlement/settlement-plan.ts'
import { MAX_SETTLE_ROUNDS } from '#core/payments/settlement/sweep-plan.ts'
import { isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import { ledgerOf, movedByLegs } from '#core/transfers/ledger.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  arrive,
  attemptFor,
  BUYER,
  blockedLeg,
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
  TERMS,
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
    const plan = planSettlement(intent, payee, depositSharesOf([deposit(1, received, { asset })]), TERMS, context())
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
    for (let round = 1; round < MAX_SETTLE_ROUNDS; round += 1)
      facts = afterwards(facts, book(facts, failedTransaction()))
    const tries = facts.transfers.filter((transfer) => !isRentReserve(transfer))
    expect(tries.map(({ key }) => key)).toEqual([1, 2, 3, 4, 6].map((round) => `sweep:intent:42:${round}`))
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

  test('that fails with the refunds of an excess goes without them in its last round', () => {
    const PRICE = 1_000_000_000n
    const senders = [1, 2].map((number) => ({ address: addressNo(number), amount: units(20_000_000n) }))
    let facts = settlingWithExcess(SOL, PRICE, senders)
    const refundsOf = () =>
      underWay(facts)
        .legs.filter(({ role }) => role === 'refund')
        .map(({ amount }) => amount)
    for (let round = 1; round < MAX_SETTLE_ROUNDS; round += 1) {
      expect(refundsOf()).toEqual([20_000_000n, 20_000_000n])
      facts = afterwards(facts, book(facts, failedTransaction()))
    }
    expect(refundsOf()).toEqual([])
    const settled = book(facts, carriedOut(underWay(facts)))
    expect(settled.after).toMatchObject({ status: 'swept', received: PRICE + 40_000_000n, held: [] })
    expect(settled.transfers).toMatchObject([{ kind: 'refund' }])
    expect(new Set(settled.transfers[0]?.legs.map(({ destination }) => destination))).toEqual(
      new Set([addressNo(1), addressNo(2), FEE_PAYER]),
    )
  })

  test('that nine wallets of an excess make fail in turn goes to none of them in its last round', () => {
    const PRICE = 1_000_000n
    const senders = Array.from({ length: 9 }, (_, at) => ({
      address: addressNo(at + 1),
      amount: units(9n - BigInt(at)),
    }))
    let facts = settlingWithExcess(MINT, PRICE, senders)
    const recipients = () => underWay(facts).legs.filter(({ role }) => role === 'refund')
    for (const closed of [1, 2, 3]) {
      expect(recipients()).toHaveLength(5)
      facts = afterwards(facts, book(facts, failedTransaction()))
      const blocked = [blockedLeg(addressNo(closed), 'no_account')]
      const unsigned = { ...underWay(facts), attemptCount: 0 }
      facts = { ...facts, transfers: facts.transfers.map((one) => (one.id === unsigned.id ? unsigned : one)) }
      const about = { facts, transfer: unsigned, context: context() }
      facts = afterwards(facts, bookUndeliverable(about, { fence: 1n }, 'It has no account.', blocked))
    }
    facts = afterwards(facts, book(facts, failedTransaction()))
    expect(recipients()).toEqual([])
    const settled = book(facts, carriedOut(underWay(facts)))
    expect(settled.after.status).toBe('swept')
    const refund = settled.transfers.find(({ kind }) => kind === 'refund')
    expect(refund?.legs.map(({ destination }) => destination)).toEqual([4, 5, 6, 7, 8].map(addressNo))
  })

  describe('that could not empty the address in any round', () => {
    const tried = (facts = settling()) => {
      for (let round = 1; round <= TRIES_TO_EMPTY; round += 1)
        facts = afterwards(facts, book(facts, failedTransaction()))
      return facts
    }
    const transferOf = (facts: IntentFacts, rest: boolean) => {
      const open = facts.transfers.find((one) => one.status !== 'failed' && isRentReserve(one) === rest)
      if (open === undefined) throw new Error('the transfer does not exist')
      return open
    }
    const total = ({ legs }: PaymentTransfer) => legs.reduce((sum, { amount }) => sum + amount, 0n)

    test('leaves the rent reserve for a transfer of its own to the same wallet', () => {
      const [first] = settling().transfers
      const facts = tried()
      const [main, rest] = [transferOf(facts, false), transferOf(facts, true)]
      expect(rest.legs).toMatchObject([{ destination: MERCHANT, amount: context().rentMinimum }])
      expect(total(main) + total(rest)).toBe(first === undefined ? 0n : total(first))
      expect(facts.transfers.filter(({ portion }) => portion === 'rent_reserve')).toHaveLength(1)
    })

    test('takes the cuts of the whole payment, also when it fails again after the rent reserve was split off', () => {
      const first = settling(SOL, { ...PAYEE, marketplace: { feeDestination: MARKETPLACE } }, 500)
      const cutsOf = ({ legs }: PaymentTransfer) =>
        legs.filter(({ role }) => role === 'marketplace' || role === 'platform')
      const split = tried(first)
      const again = afterwards(split, book(split, failedTransaction()))
      const main = transferOf(again, false)
      expect(cutsOf(main)).toEqual(cutsOf(underWay(first)))
      expect(cutsOf(main)).toHaveLength(2)
      expect(total(main) + total(transferOf(again, true))).toBe(PRICE)
      // Nothing is waived, and the reserve that follows has no cut.
      const swept = book(again, carriedOut(main), main)
      expect(swept.waived).toBeUndefined()
      expect(transferOf(again, true).legs.map(({ role }) => role)).toEqual(['seller'])
    })

    test('emits swept with the pending amount, and settlement_updated when it follows', () => {
      const facts = tried()
      const main = transferOf(facts, false)
      const swept = book(facts, carriedOut(main), main)
      expect(eventsOf(swept)).toEqual(['intent.swept'])
      expect(swept.transfers).toEqual([])
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

    describe('and whose rent reserve was withdrawn, because rent had risen above it', () => {
      const dissolved = (facts: IntentFacts) => {
        const [transfer, risen] = [transferOf(facts, true), makeLamports(2n * context().rentMinimum)]
        const about = { facts, transfer, context: context({ rentMinimum: risen }) }
        const change = bookDusty(about, { fence: transfer.fence }, 'It is too little to stay.')
        return change === null ? facts : afterwards(facts, change)
      }
      const reserves = ({ transfers }: Pick<IntentFacts, 'transfers'>) => transfers.filter(isRentReserve)

      test('plans the reserve again when it lands after all: no refund takes a part of the price', () => {
        const split = tried()
        const facts = dissolved({ ...split, deposits: [...split.deposits, deposit(2, 3_000n, { use: 'late' })] })
        expect(reserves(facts)).toMatchObject([{ status: 'failed' }])
        const main = transferOf(facts, false)
        const swept = book(facts, carriedOut(main), main)
        expect(swept.transfers).toMatchObject([
          { portion: 'rent_reserve', legs: [{ role: 'merchant', amount: context().rentMinimum }] },
        ])
        expect(swept.after).toMatchObject({ status: 'swept', settlement: { pendingAmount: context().rentMinimum } })
        const rest = transferOf(afterwards(facts, swept), true)
        const complete = book(afterwards(facts, swept), carriedOut(rest), rest)
        expect(complete.after.settlement).toMatchObject({
          destinationAmount: PRICE - NETWORK_FEE,
          pendingAmount: 0n,
        })
      })

      test('plans no reserve when the round that landed took all of the price', () => {
        const facts = dissolved(tried())
        const legs = [leg('merchant', MERCHANT, PRICE - NETWORK_FEE), leg('network_fee', FEE_PAYER, NETWORK_FEE)]
        const main = { ...transferOf(facts, false), legs }
        const whole = { ...facts, transfers: facts.transfers.map((one) => (one.id === main.id ? main : one)) }
        expect(reserves(whole)).toMatchObject([{ status: 'failed' }])
        const swept = book(whole, carriedOut(main), main)
        expect(swept).toMatchObject({ transfers: [], after: { status: 'swept', settlement: { pendingAmount: 0n } } })
        // An excess of an unknown sender is not for the business.
        const excess = deposit(3, 3_000_000n, { senders: [] })
        const after = afterwards(whole, swept)
        const [dissolvedOne] = reserves(after)
        const retried = decideRearmed(
          { ...after, deposits: [...after.deposits, excess] },
          dissolvedOne?.id ?? '',
          context(),
        )
        expect(retried).toEqual({ kind: 'refused', code: 'transfer_not_retryable' })
      })
    })

    test('is not swept while only the rent reserve has landed', () => {
      const facts = tried()
      const rest = transferOf(facts, true)
      const change = book(facts, carriedOut(rest), rest)
      expect(eventsOf(change)).toEqual(['intent.settlement_updated'])
      expect(change.after.status).toBe('settling')
    })

    test('tries the rent reserve a few times, and then holds it for a person: no refund takes it', () => {
      const facts = tried()
      const main = transferOf(facts, false)
      const after = afterwards(facts, book(facts, carriedOut(main), main))
      const isRestOf = ({ legs }: Pick<PaymentTransfer, 'legs'>) => legs.map(({ amount }) => amount)
      let left = after
      for (let round = 1; round < TRIES_TO_EMPTY; round += 1) {
        const failed = book(left, failedTransaction(), transferOf(left, true))
        expect(failed.outcome).toMatchObject({ transferStatus: 'failed' })
        expect(failed.transfers.map(isRestOf)).toEqual([[context().rentMinimum]])
        left = afterwards(left, failed)
      }
      const last = book(left, failedTransaction(), transferOf(left, true))
      expect(last.outcome).toMatchObject({ transferStatus: 'held' })
      expect(last).toMatchObject({ transfers: [], after: { status: 'swept' } })
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
