import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AccountState, type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { inboundOf, isAsBooked, isExplained, isExplainedAt } from '#core/payments/deposits/inbound.ts'
import { judgeTokenRelease, tokenRelease } from '#core/payments/deposits/unaccepted.ts'
import { type TransferView, UNFUNDED } from '#core/transfers/preflight.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import {
  addressNo,
  arrive,
  BUYER,
  choice,
  context,
  deposit,
  FEE_PAYER,
  factsWith,
  intentWith,
  landed,
  NETWORK_FEE,
  NOW,
  observedDeposit,
  signatureNo,
  sweepOf,
  TOKEN_ACCOUNT,
  TOKEN_PROGRAM,
  UNKNOWN_MINT,
  units,
} from '../../support/payment.ts'

const ADDRESS = pendingIntent.address
const toUs = (delta: bigint) => ({ account: ADDRESS, delta })
const tokensToUs = (delta: bigint) => ({ account: TOKEN_ACCOUNT, owner: ADDRESS, asset: MINT, delta })

describe('the deposits of a transaction', () => {
  test('are the increases of balances that the address owns, with all known data', () => {
    const transaction = landed({
      signature: signatureNo(3),
      slot: 77n,
      moves: [
        { account: BUYER, delta: -2_844_280n },
        toUs(800_000n),
        { account: addressNo(50), owner: BUYER, asset: MINT, delta: -9n },
        tokensToUs(9n),
        // The payment created the token account; the rent stays with the account.
        { account: TOKEN_ACCOUNT, delta: 2_039_280n },
      ],
    })
    const common = {
      network: 'live',
      intentId: pendingIntent.id,
      signature: signatureNo(3),
      slot: 77n,
      blockTime: NOW,
    }
    expect(inboundOf(transaction, pendingIntent)).toEqual([
      { ...common, account: ADDRESS, asset: SOL, amount: 800_000n, senders: [{ address: BUYER, amount: 800_000n }] },
      { ...common, account: TOKEN_ACCOUNT, asset: MINT, amount: 9n, senders: [{ address: BUYER, amount: 9n }] },
    ])
  })

  test('have the amount that arrived, not the amount that was sent, where the mint withholds a fee', () => {
    const transaction = landed({
      moves: [{ account: addressNo(50), owner: BUYER, asset: MINT, delta: -1_000n }, tokensToUs(990n)],
    })
    expect(inboundOf(transaction, pendingIntent)).toMatchObject([{ amount: 990n }])
  })

  test('do not exist when the transaction failed', () => {
    expect(inboundOf(landed({ error: '{"InstructionError":[0,"x"]}', moves: [toUs(5n)] }), pendingIntent)).toEqual([])
  })

  test('do not exist when a sweep took the money out, or others were paid', () => {
    const sweep = landed({ feePayer: FEE_PAYER, signers: [FEE_PAYER, ADDRESS], moves: [toUs(-5n), tokensToUs(-1n)] })
    expect(inboundOf(sweep, pendingIntent)).toEqual([])
    expect(inboundOf(landed({ moves: [{ account: MERCHANT, delta: 5n }] }), pendingIntent)).toEqual([])
  })
})

describe('the sender', () => {
  const RELAYER = addressNo(61)
  const RENT = 2_039_280n
  const newAccount = { account: addressNo(62), delta: RENT }
  const briefly = (transaction: ObservedTransaction) =>
    inboundOf(transaction, pendingIntent).flatMap(({ senders }) =>
      senders.map(({ address, amount, obstacle }) => [address, amount, ...(obstacle === undefined ? [] : [obstacle])]),
    )
  const signedBy = (...signers: readonly Address[]) => ({ feePayer: signers[0] ?? BUYER, signers })

  test('the network fee is no part of the amount that a payer sent', () => {
    const transaction = landed({
      fee: makeLamports(5_000n),
      moves: [{ account: BUYER, delta: -105_000n }, toUs(100_000n)],
    })
    expect(briefly(transaction)).toEqual([[BUYER, 100_000n]])
  })

  test('a wallet that paid only the network fee sent nothing', () => {
    const transaction = landed({
      ...signedBy(RELAYER, BUYER),
      moves: [{ account: RELAYER, delta: -5_000n }, { account: BUYER, delta: -100n }, toUs(100n)],
    })
    expect(briefly(transaction)).toEqual([[BUYER, 100n]])
  })

  test('a relayer that pays the rent of a new account is never the sender, even of a tiny amount', () => {
    const relayed = (amount: bigint) =>
      landed({
        ...signedBy(RELAYER, BUYER),
        moves: [
          { account: RELAYER, delta: -RENT - 5_000n },
          { account: BUYER, delta: -amount },
          newAccount,
          toUs(amount),
        ],
      })
    for (const amount of [1n, RENT - 1n, RENT]) {
      expect(briefly(relayed(amount)).filter(([, , obstacle]) => obstacle !== 'ambiguous')).toEqual([])
    }
    // Only the buyer can have sent the amount above the rent.
    expect(briefly(relayed(1_000_000_000n))).toEqual([
      [BUYER, 1_000_000_000n - RENT],
      [RELAYER, RENT, 'ambiguous'],
      [BUYER, RENT, 'ambiguous'],
    ])
  })

  test('the buyer is the sender of a token payment whose token account a relayer pays', () => {
    const transaction = landed({
      ...signedBy(RELAYER, BUYER),
      moves: [
        { account: RELAYER, delta: -RENT - 5_000n },
        { account: TOKEN_ACCOUNT, delta: RENT },
        { account: addressNo(50), owner: BUYER, asset: MINT, delta: -9n },
        tokensToUs(9n),
      ],
    })
    expect(briefly(transaction)).toEqual([[BUYER, 9n]])
  })

  test('a single signer that also paid others, or a new account, sent the deposit', () => {
    const transaction = landed({
      moves: [
        { account: BUYER, delta: -100n - 700n - RENT - 5_000n },
        { account: MERCHANT, delta: 700n },
        newAccount,
        toUs(100n),
      ],
    })
    expect(briefly(transaction)).toEqual([[BUYER, 100n]])
  })

  test('a signer that paid for something else is not the sender when a vault paid the deposit', () => {
    const transaction = landed({
      moves: [
        { account: BUYER, delta: -RENT - 5_000n },
        newAccount,
        { account: addressNo(8), delta: -5_000_000n },
        toUs(5_000_000n),
      ],
    })
    expect(briefly(transaction)).toEqual([[BUYER, RENT, 'ambiguous']])
  })

  test('several senders whose balance decreases add up to the deposit are sorted by the largest share', () => {
    const transaction = landed({
      feePayer: FEE_PAYER,
      signers: [addressNo(1), addressNo(2), addressNo(3)],
      moves: [
        { account: FEE_PAYER, delta: -5_000n },
        { account: addressNo(1), delta: -10n },
        { account: addressNo(2), delta: -300n },
        { account: addressNo(3), delta: -40n },
        toUs(350n),
      ],
    })
    expect(briefly(transaction)).toEqual([
      [addressNo(2), 300n],
      [addressNo(3), 40n],
      [addressNo(1), 10n],
    ])
  })

  test('several senders whose balance decreases exceed the deposit are ambiguous', () => {
    const transaction = landed({
      ...signedBy(BUYER, addressNo(2)),
      moves: [
        { account: BUYER, delta: -100n - 5_000n },
        { account: addressNo(2), delta: -100n },
        { account: MERCHANT, delta: 100n },
        toUs(100n),
      ],
    })
    expect(briefly(transaction)).toEqual([
      [BUYER, 100n, 'ambiguous'],
      [addressNo(2), 100n, 'ambiguous'],
    ])
  })

  test('no sender is credited with more than it sent, whatever else the transaction moved', () => {
    const flow = fc.record({ from: fc.nat(2), to: fc.nat(2), amount: fc.bigInt({ min: 1n, max: 50n }) })
    fc.assert(
      fc.property(fc.array(flow, { minLength: 1, maxLength: 8 }), (flows) => {
        const [payers, receivers] = [
          [addressNo(1), addressNo(2), addressNo(3)],
          [ADDRESS, addressNo(21), addressNo(22)],
        ]
        const sum = (matching: (one: (typeof flows)[number]) => boolean) =>
          flows.filter(matching).reduce((total, { amount }) => total + amount, 0n)
        const transaction = landed({
          fee: makeLamports(0n),
          ...signedBy(...payers),
          moves: [
            ...payers.map((account, at) => ({ account, delta: -sum(({ from }) => from === at) })),
            ...receivers.map((account, at) => ({ account, delta: sum(({ to }) => to === at) })),
          ],
        })
        for (const { senders } of inboundOf(transaction, pendingIntent)) {
          for (const { address, amount, obstacle } of senders) {
            if (obstacle !== undefined) continue
            const sent = sum(({ from, to }) => payers[from] === address && to === 0)
            expect(amount).toBeLessThanOrEqual(sent)
          }
        }
      }),
    )
  })

  test('a wallet that did not sign cannot be trusted to take a refund', () => {
    const vault = landed({ signers: [BUYER], moves: [{ account: addressNo(8), delta: -100n }, toUs(100n)] })
    expect(briefly(vault)).toEqual([])
    const delegated = landed({
      signers: [addressNo(9)],
      moves: [{ account: addressNo(50), owner: BUYER, asset: MINT, delta: -7n }, tokensToUs(7n)],
    })
    expect(briefly(delegated)).toEqual([])
  })

  test('the token accounts of one owner count together, less the amount that came back to it', () => {
    const transaction = landed({
      moves: [
        { account: addressNo(50), owner: BUYER, asset: MINT, delta: -700n },
        { account: addressNo(51), owner: BUYER, asset: MINT, delta: 200n },
        tokensToUs(500n),
      ],
    })
    expect(briefly(transaction)).toEqual([[BUYER, 500n]])
  })

  test('the senders of one asset are not the senders of another', () => {
    const transaction = landed({
      moves: [
        { account: BUYER, delta: -50_000n },
        { account: addressNo(50), owner: addressNo(4), asset: MINT, delta: -7n },
        tokensToUs(7n),
      ],
      signers: [BUYER, addressNo(4)],
    })
    expect(briefly(transaction)).toEqual([[addressNo(4), 7n]])
  })
})

describe('a balance', () => {
  const sol: Asset = SOL
  const touched = (balance: bigint) => ({ account: ADDRESS, asset: sol, balance: units(balance) })

  test('is explained by deposits that are known or were just read, each counted once', () => {
    const amounts = fc.array(
      fc.record({ amount: fc.bigInt({ min: 1n, max: 99n }), source: fc.constantFrom('known', 'read', 'both') }),
    )
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 0n, max: 2n }), (list, strange) => {
        const known = list.flatMap(({ amount, source }, at) => (source === 'read' ? [] : [deposit(at, amount)]))
        const read = list.flatMap(({ amount, source }, at) => (source === 'known' ? [] : [observedDeposit(at, amount)]))
        const sum = list.reduce((total, { amount }) => total + amount, 0n)
        const facts = factsWith(intentWith(), { deposits: known })
        expect(isExplained(facts, read, touched(sum + strange))).toBe(strange === 0n)
      }),
    )
  })

  test('is not explained by a deposit in another account or in another asset', () => {
    const facts = factsWith(intentWith(), {
      deposits: [deposit(2, 10n, { asset: MINT }), deposit(3, 10n, { account: addressNo(3) })],
    })
    expect(isExplained(facts, [], touched(1n))).toBe(false)
  })

  test('is explained when it is less than the known deposits, because a sweep landed that is not booked yet', () => {
    expect(isExplained(factsWith(intentWith(), { deposits: [deposit(1, 10n)] }), [], touched(9n))).toBe(true)
  })

  test('of money that a booked sweep took does not explain later money', () => {
    const settling = arrive(
      factsWith(intentWith({ selection: choice(SOL, 1_000_000n) })),
      observedDeposit(1, 1_000_000n),
    )
    const done = { ...settling, transfers: settling.transfers.map((one) => ({ ...one, status: 'done' as const })) }
    expect(isExplained(settling, [], touched(1_000_000n))).toBe(true)
    expect(isExplained(done, [], touched(0n))).toBe(true)
    expect(isExplained(done, [], touched(1n))).toBe(false)
    expect(isExplained(done, [observedDeposit(2, NETWORK_FEE)], touched(NETWORK_FEE))).toBe(true)
  })

  test('of an earlier slot is explained by deposits up to that slot only', () => {
    const reading = { slot: 20n, at: NOW, balances: [touched(10n)] }
    const known = (...slots: bigint[]) =>
      factsWith(intentWith(), { deposits: slots.map((slot, at) => deposit(at + 1, 5n, { slot })) })
    expect(isExplainedAt(known(19n, 20n), reading)).toBe(true)
    expect(isExplainedAt(known(20n, 21n, 22n, 23n), reading)).toBe(false)
  })

  test('of an earlier slot is not known after a transfer that ended later, and is known after one that had ended', () => {
    const reading = { slot: 20n, at: NOW, balances: [touched(0n)] }
    const ended = (doneAt: Date) => factsWith(intentWith(), { transfers: [sweepOf({ status: 'done', doneAt })] })
    expect(isExplainedAt(ended(new Date(NOW.getTime() + 1)), reading)).toBe(null)
    const deposits = [deposit(1, 1_000_000n, { slot: 10n })]
    expect(isExplainedAt({ ...ended(NOW), deposits }, reading)).toBe(true)
  })

  test('is exact only when it equals the books to the unit, before and after a transfer under way', () => {
    const paid = { deposits: [deposit(1, 1_000_000n)] }
    const balances = [0n, 999_999n, 1_000_000n, 1_000_001n].map(touched)
    const asBooked = (status: TransferStatus) => {
      const facts = factsWith(intentWith(), { ...paid, transfers: [sweepOf({ status })] })
      return balances.filter((balance) => isAsBooked(facts, [], balance)).map(({ balance }) => balance)
    }
    expect(asBooked('planned')).toEqual([1_000_000n])
    expect(asBooked('in_progress')).toEqual([0n, 1_000_000n])
    expect(asBooked('done')).toEqual([0n])
    expect(asBooked('held')).toEqual([1_000_000n])
  })
})

describe('a deposit of a token that is not allowed', () => {
  const TO = addressNo(60)
  const SOURCE = addressNo(61)
  const AMOUNT = units(77n)

  const account = (owner = SOURCE, patch: Partial<NonNullable<AccountState['token']>> = {}): AccountState => ({
    lamports: makeLamports(2_039_280n),
    ownerProgram: TOKEN_PROGRAM,
    token: {
      mint: UNKNOWN_MINT,
      owner,
      amount: AMOUNT,
      frozen: false,
      withheld: units(0n),
      delegation: null,
      closeAuthority: null,
      ...patch,
    },
  })
  const view = {
    slot: 1n,
    source: account(),
    destinations: new Map(),
    receivers: new Map([[TO, null as AccountState | null]]),
    feePayerLamports: 1_000_000_000n,
    rent: { wallet: 890_880n, tokenAccount: 2_039_280n },
  }
  const NO_BOOKS = { intent: intentWith({}), deposits: [], transfers: [] }
  const judge = (seen: TransferView) => judgeTokenRelease(transfer, seen, NO_BOOKS, context())
  const ACCOUNT = addressNo(62)
  const transfer = {
    asset: UNKNOWN_MINT,
    sourceAccount: ACCOUNT,
    legs: [{ role: 'release' as const, destination: TO, amount: AMOUNT, feeBps: null }],
  }

  test('a release moves the amount from a token account of the deposit address to the wallet, and belongs to no queue of payments', () => {
    const payee = { accountIndex: 3, sweepDestination: null, feeDestination: null, marketplace: null }
    const intent = intentWith({})
    const token = { mint: UNKNOWN_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 2 }
    expect(
      tokenRelease({ intent, payee }, token, { sourceAccount: ACCOUNT, to: TO, amount: AMOUNT, round: 2 }),
    ).toMatchObject({
      key: `release:token:${intent.derivationIndex}:2:${ACCOUNT}`,
      kind: 'token_release',
      subject: { kind: 'token_release', id: intent.id },
      source: intent.address,
      authority: { address: intent.address, key: { account: 3, intent: intent.derivationIndex } },
      ...transfer,
    })
  })

  describe('before it is signed, a release', () => {
    test.each([
      ['without an account', view],
      ['with an account', { ...view, receivers: new Map([[TO, account(TO)]]) }],
    ])('to a wallet %s of the token goes', (_, seen) => {
      expect(judge(seen)).toBe('go')
    })

    test('waits while the fee payer cannot pay for the account of the wallet', () => {
      expect(judge({ ...view, feePayerLamports: 2_000_000n })).toBe(UNFUNDED)
    })

    test.each([
      [
        'whose issuer took the token back',
        { ...view, source: account(SOURCE, { amount: units(76n) }) },
        'no longer has',
      ],
      ['whose account is closed', { ...view, source: null }, 'no longer has'],
      [
        'whose account is frozen',
        { ...view, source: account(SOURCE, { frozen: true }) },
        `token account ${ACCOUNT} .* frozen`,
      ],
      [
        'to a frozen account',
        { ...view, receivers: new Map([[TO, account(TO, { frozen: true })]]) },
        'wallet’s token account is frozen',
      ],
      ['to an account of another wallet', { ...view, receivers: new Map([[TO, account(SOURCE)]]) }, 'is another’s'],
    ])('%s fails with the reason', (_, seen, reason) => {
      expect(judge(seen)).toEqual({ failed: expect.stringMatching(reason) })
    })

    const booked = deposit(1, AMOUNT, { asset: UNKNOWN_MINT, use: 'wrong_asset' })
    const taken = { ...sweepOf({ kind: 'release', asset: UNKNOWN_MINT }), legs: transfer.legs }
    const { tokens } = context()
    const usdc = tokens.get(MINT)
    if (usdc === undefined) throw new Error('the allowlist has no such token')
    test.each([
      ['that is allowed now', NO_BOOKS, new Map([...tokens, [UNKNOWN_MINT, usdc] as const])],
      ['that the payment accepts', { ...NO_BOOKS, intent: intentWith({ acceptedAssets: [UNKNOWN_MINT] }) }, tokens],
      ['with a deposit', { ...NO_BOOKS, deposits: [booked] }, tokens],
      [
        'with a deposit in another token account',
        { ...NO_BOOKS, deposits: [{ ...booked, account: ACCOUNT, use: 'unaccepted' as const }] },
        tokens,
      ],
      ['with a deposit that a transfer will move', { ...NO_BOOKS, deposits: [booked], transfers: [taken] }, tokens],
    ])('of a token %s fails: it is in the books', (_, facts, allowed) => {
      const failed = expect.stringContaining('in the books')
      expect(judgeTokenRelease(transfer, view, facts, { tokens: allowed })).toEqual({ failed })
    })

    test('of a token whose deposits have all left goes', () => {
      const done = { ...taken, status: 'done' as const }
      const facts = { ...NO_BOOKS, deposits: [booked], transfers: [done] }
      expect(judgeTokenRelease(transfer, view, facts, { tokens })).toBe('go')
    })
  })
})
