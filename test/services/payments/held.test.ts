// Held money over both engines: it is found, and released once, with a stored reason.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { createDepositAddressStore } from '#adapters/prisma/payments/lookup.ts'
import { createUnacceptedStore } from '#adapters/prisma/payments/unaccepted-store.ts'
import { type AccountState, type Address, type MintFacts, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { moved, startChange, step, UNCHANGED } from '#core/payments/change.ts'
import { decideCancel } from '#core/payments/machine/checkout.ts'
import { bookDusty, bookUndeliverable } from '#core/payments/machine/withdraw.ts'
import { SENDER_UNKNOWN } from '#core/payments/obstacle.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { TokenBalance } from '#ports/chain.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { createHeldList, createHeldServices, type HeldServices } from '#services/payments/held.ts'
import { createTokenReleaseSubject } from '#services/payments/transfers/token-release.ts'
import { describeOnBothEngines, emptyTables } from '../../support/database.ts'
import { MERCHANT, MINT } from '../../support/example-intent.ts'
import {
  addressNo,
  blockedLeg,
  choice,
  context,
  deposit,
  FEE_PAYER,
  later,
  NETWORK_FEE,
  NOW,
  RENT,
  signatureNo,
  TOKEN_PROGRAM,
  UNKNOWN_MINT,
  units,
} from '../../support/payment.ts'
import { addBusiness, addIntent, claimAll, nextNumber, type Stores, storesOf } from '../../support/stores.ts'

const PART = 400_000n
const OWNER = addressNo(60)
const OTHER = addressNo(61)

describeOnBothEngines('held money', (open) => {
  let db: Database
  let stores: Stores
  let intent: PaymentIntent
  let mint: MintFacts | null
  /** The token accounts of every address. */
  let balances: readonly TokenBalance[]
  let now: Date
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries')
    mint = {
      mint: UNKNOWN_MINT,
      tokenProgram: TOKEN_PROGRAM,
      decimals: 2,
      extensions: [],
      active: [],
    }
    balances = []
    now = later(60)
    intent = await stuckPayment()
  })

  const decisionContext = async () => context({ now })
  const chain = {
    readAccounts: async (accounts: readonly Address[]) => ({ slot: 1n, states: accounts.map(() => null) }),
  }
  const services = () =>
    createHeldServices({
      held: createHeldStore(db),
      unaccepted: createUnacceptedStore(db),
      work: stores.work,
      decisionContext,
      directory: { tokens: async () => context().tokens },
      chainOf: () => ({ readMint: async () => mint, tokenAccounts: async () => balances }),
      judgeDestination: createJudgeSweepDestination(
        { live: { chain, feePayer: FEE_PAYER }, test: null },
        createDepositAddressStore(db),
        'to',
      ),
    })

  const listed = async (filter: Partial<Parameters<HeldServices['payments']>[0]> = {}) => {
    const list = createHeldList({
      held: createHeldStore(db),
      servedNetworks: ['live', 'test'],
      dustContext: decisionContext,
    })
    const given = { network: null, accountId: null, afterIndex: null, includeDust: false, limit: 10, ...filter }
    return await list(given)
  }

  async function add(intent: PaymentIntent, patch: Parameters<typeof deposit>[2]): Promise<void> {
    const number = 5_000 + nextNumber()
    const { id: intentId, address: account, network } = intent
    const one = {
      network,
      intentId,
      account,
      senders: [],
      signature: signatureNo(number),
      ...patch,
    } as const
    const selection = choice(SOL, 2n * PART)
    const status = 'underpaid' as const
    const change = step(startChange(intent), { status, selection, received: units(PART) }, NOW, null)
    if (!(await stores.work.apply({ ...change, deposits: [deposit(number, PART, one)] })))
      throw new Error('the intent was changed in between')
  }

  /** An intent with half the price from an unknown sender, then cancelled. */
  async function stuckPayment(network: 'live' | 'test' = 'live', amount = units(PART)): Promise<PaymentIntent> {
    const made = await addIntent(stores, await addBusiness(db, network))
    await add(made, { amount })
    const cancelled = await decideAndApply(stores.work, made.id, (facts) => decideCancel(facts, context()))
    if (cancelled === null) throw new Error('the payment does not exist')
    return cancelled
  }

  const release = (patch: Partial<Parameters<ReturnType<typeof services>['release']>[0]> = {}) =>
    services().release({ intent: intent.id, asset: SOL, to: OWNER, reason: ' They proved it. ', ...patch })
  const transfers = () =>
    db.query<{ key: string; kind: string }>('SELECT key, kind::text FROM transfers WHERE intent_id = $1', [intent.id])

  test('is listed across businesses, by network and by business', async () => {
    const other = await stuckPayment('test')
    const all = await listed()
    expect(all.payments.map(({ intentId }) => intentId)).toEqual([other.id, intent.id])
    expect((await listed({ network: 'live' })).payments).toEqual([
      {
        intentId: intent.id,
        intentIndex: intent.derivationIndex,
        accountId: intent.accountId,
        network: 'live',
        address: intent.address,
        status: 'refund_failed',
        held: [{ mint: null, amount: PART, reason: SENDER_UNKNOWN }],
        proposedAddress: null,
        updatedAt: intent.updatedAt,
      },
    ])
    expect((await listed({ accountId: other.accountId })).payments).toMatchObject([{ intentId: other.id }])
    const first = await listed({ limit: 1 })
    expect(first).toMatchObject({ payments: [{ intentId: other.id }], nextIndex: other.derivationIndex })
    expect(await listed({ limit: 1, afterIndex: first.nextIndex })).toMatchObject({
      payments: [{ intentId: intent.id }],
      nextIndex: null,
    })
    await expect(listed({ afterIndex: -1 })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('is left out and counted when it is only dust', async () => {
    const dusty = await stuckPayment('live', units(15_000n))
    await stuckPayment('test', units(15_000n))
    expect(await listed()).toMatchObject({ payments: [{ intentId: intent.id }], dustPayments: 2 })
    expect(await listed({ accountId: dusty.accountId })).toMatchObject({ payments: [], dustPayments: 1 })
    const all = await listed({ includeDust: true, network: 'live' })
    expect(all).toMatchObject({ payments: [{ intentId: dusty.id }, { intentId: intent.id }], dustPayments: 0 })
  })

  test('shows the wallets that are known to have sent it, the largest amount first, at most three', async () => {
    const made = await addIntent(stores, await addBusiness(db, 'live'))
    const by = (number: number, amount: bigint) => ({ address: addressNo(number), amount: units(amount) })
    await add(made, {
      senders: [by(71, 5n), by(72, 9n), by(73, 7n), by(74, 1n), { ...by(75, 90n), obstacle: 'ambiguous' }],
    })
    expect(await services().senders(made.id)).toEqual([
      { asset: SOL, wallet: addressNo(72), amount: 9n },
      { asset: SOL, wallet: addressNo(73), amount: 7n },
      { asset: SOL, wallet: addressNo(71), amount: 5n },
    ])
    expect(await services().senders(intent.id)).toEqual([])
  })

  test('counts an emoji in a reason as one character', async () => {
    const reason = '😀'.repeat(500)
    expect(await release({ reason })).toMatchObject([{ reason }])
  })

  test('is released with a stored reason, and is then no longer held', async () => {
    const [made] = await release()
    expect(made).toEqual({
      transferId: expect.any(String),
      intentId: intent.id,
      intentIndex: intent.derivationIndex,
      network: 'live',
      asset: SOL,
      sourceAccount: null,
      round: 1,
      amount: PART - NETWORK_FEE,
      to: OWNER,
      reason: 'They proved it.',
      releasedBy: 'operator',
      releasedAt: now,
      status: 'planned',
      problem: null,
      signature: null,
    })
    expect(await services().releases({ network: 'live', limit: 10 })).toEqual([made])
    expect(await services().releases({ network: 'test', limit: 10 })).toEqual([])
    expect((await listed()).payments).toEqual([])
    const events = await db.query('SELECT type FROM events WHERE intent_id = $1 ORDER BY sequence DESC LIMIT 1', [
      intent.id,
    ])
    expect(events).toEqual([{ type: 'intent.refunding' }])
  })

  test('is released once, by index or by id, also by repeated and concurrent requests', async () => {
    const answers = await Promise.all([
      release(),
      release({ intent: String(intent.derivationIndex) }),
      release(),
      release({ reason: 'Another word.' }),
    ])
    expect(new Set(answers.flat().map(({ transferId }) => transferId)).size).toBe(1)
    expect(await transfers()).toEqual([{ key: `release:intent:${intent.derivationIndex}:1:SOL`, kind: 'release' }])
    await expect(release({ to: OTHER })).rejects.toMatchObject({ code: 'release_in_progress' })
  })

  test('keeps the reason of its release when dust makes a new round necessary', async () => {
    intent = await stuckPayment('live', units(3n * RENT))
    const [first] = await release()
    const leased = (await claimAll(stores.transfers, later(120))).find(
      ({ transfer }) => transfer.id === first?.transferId,
    )
    if (leased === undefined) throw new Error('no release was planned')
    await decideAndApply(stores.work, intent.id, (facts) => {
      const transfer = facts.transfers.find(({ id }) => id === first?.transferId)
      if (transfer === undefined) throw new Error('the transfer does not exist')
      const change = bookDusty(
        { facts, transfer, context: context({ now: later(120) }) },
        leased.lease,
        'More arrived.',
      )
      return change === null ? UNCHANGED : moved(change)
    })
    expect(await services().releases({ network: null, limit: 10 })).toMatchObject([
      { round: 2, amount: 2n * RENT - NETWORK_FEE, to: OWNER, reason: 'They proved it.', status: 'planned' },
      { round: 1, to: OWNER, reason: 'They proved it.', status: 'failed', problem: 'More arrived.' },
    ])
  })

  test('is released again when the first release failed, and the answer is the new release', async () => {
    const [first] = await release()
    const [leased] = await claimAll(stores.transfers, later(120))
    if (leased === undefined) throw new Error('no release was planned')
    const { lease } = leased
    await decideAndApply(stores.work, intent.id, (facts) => {
      const transfer = facts.transfers.find(({ id }) => id === first?.transferId)
      if (transfer === undefined) throw new Error('the transfer does not exist')
      return moved(
        bookUndeliverable({ facts, transfer, context: context({ now }) }, lease, 'The wallet is empty.', [
          blockedLeg(OWNER, 'below_rent_minimum', 'release'),
        ]),
      )
    })
    now = later(180)
    expect(await release({ to: OTHER })).toMatchObject([{ round: 2, to: OTHER, status: 'planned' }])
    expect(await services().releases({ network: null, limit: 10 })).toMatchObject([
      { round: 2, to: OTHER },
      { round: 1, to: OWNER, status: 'failed', problem: 'The wallet is empty.' },
    ])
  })

  test.each(['live', 'test'] as const)('is not released to a deposit address of the %s network', async (network) => {
    const other = await addIntent(stores, await addBusiness(db, network))
    await expect(release({ to: other.address })).rejects.toMatchObject({
      code: 'invalid_address',
      context: { field: 'to', rule: expect.stringContaining('is a deposit address') },
    })
    expect(await transfers()).toEqual([])
  })

  test('of a token that was never allowed is released with the program and decimals of its mint on the chain', async () => {
    const made = await addIntent(stores, await addBusiness(db))
    await add(made, { asset: UNKNOWN_MINT, account: addressNo(90), use: 'unaccepted' })
    const [released] = await release({ intent: made.id, asset: UNKNOWN_MINT })
    expect(released).toMatchObject({ asset: UNKNOWN_MINT, amount: PART })
    const [row] = await db.query('SELECT decimals, token_program FROM transfers WHERE intent_id = $1', [made.id])
    expect(row).toEqual({ decimals: 2, token_program: TOKEN_PROGRAM })
  })

  describe('of a token that is not allowed and has no books', () => {
    const ACCOUNT = addressNo(90)
    const there = (amount: bigint, mint = UNKNOWN_MINT, account = ACCOUNT): readonly TokenBalance[] => [
      { account, mint, amount: units(amount) },
    ]
    const source = (): AccountState => ({
      lamports: makeLamports(2_039_280n),
      ownerProgram: TOKEN_PROGRAM,
      token: {
        mint: UNKNOWN_MINT,
        owner: intent.address,
        amount: units(PART),
        frozen: false,
        withheld: units(0n),
        delegation: null,
        closeAuthority: null,
      },
    })
    const view = () => ({
      slot: 1n,
      source: source(),
      destinations: new Map(),
      receivers: new Map([[OWNER, null]]),
      feePayerLamports: 1_000_000_000n,
      rent: { wallet: 890_880n, tokenAccount: 2_039_280n },
    })
    const order = (patch = {}) => release({ asset: UNKNOWN_MINT, ...patch })
    const planned = () =>
      db.query<{ key: string; status: string }>(
        "SELECT key, status::text FROM transfers WHERE kind = 'token_release' ORDER BY round, key",
      )
    const keyOf = (round: number) => `release:token:${intent.derivationIndex}:${round}:${ACCOUNT}`

    test('its final balance is released once, also by repeated and concurrent orders', async () => {
      balances = there(77n)
      const answers = await Promise.all([order(), order({ intent: String(intent.derivationIndex) }), order()])
      expect(new Set(answers.flat().map(({ transferId }) => transferId)).size).toBe(1)
      expect(answers[0]).toMatchObject([
        { intentIndex: intent.derivationIndex, asset: UNKNOWN_MINT, amount: 77n, to: OWNER, status: 'planned' },
      ])
      expect(await planned()).toEqual([{ key: keyOf(1), status: 'planned' }])
      await expect(order({ to: OTHER })).rejects.toMatchObject({ code: 'release_in_progress' })
      expect((await stores.work.facts(intent.id))?.transfers).toEqual([])
    })

    test('its balance in each token account is released, of the ten with the most, and by one order at a time', async () => {
      const accounts = Array.from({ length: 11 }, (_, at) => addressNo(300 + at))
      balances = accounts.flatMap((account, at) => there(BigInt(1 + at), UNKNOWN_MINT, account))
      balances = [...balances, ...there(1_000n, MINT, addressNo(320))]
      const [released, again] = await Promise.all([order(), order()])
      const found = released.map(({ sourceAccount, amount, round }) => ({ sourceAccount, amount, round }))
      const expected = accounts.map((sourceAccount, at) => ({ sourceAccount, amount: BigInt(1 + at), round: 1 }))
      expect(new Set(found)).toEqual(new Set(expected.slice(1)))
      expect(new Set(again)).toEqual(new Set(released))
      const [one] = await planned()
      if (one === undefined) throw new Error('nothing is planned')
      await db.query("UPDATE transfers SET status = 'done' WHERE kind = 'token_release' AND key <> $1", [one.key])
      balances = there(1n, UNKNOWN_MINT, addressNo(300))
      expect(new Set((await order()).map(({ transferId }) => transferId))).toEqual(
        new Set(released.map(({ transferId }) => transferId)),
      )
      await db.query("UPDATE transfers SET status = 'done' WHERE kind = 'token_release'")
      expect(await order()).toMatchObject([{ round: 2, sourceAccount: addressNo(300), amount: 1n }])
    })

    test('a release that has ended is followed by another, when there is a balance', async () => {
      balances = there(77n)
      await order()
      await db.query("UPDATE transfers SET status = 'failed' WHERE kind = 'token_release'")
      expect(await order({ to: OTHER })).toMatchObject([{ round: 2, to: OTHER, amount: 77n }])
      await db.query("UPDATE transfers SET status = 'done' WHERE kind = 'token_release'")
      balances = []
      await expect(order()).rejects.toMatchObject({ code: 'nothing_held' })
      expect(await planned()).toEqual([
        { key: keyOf(1), status: 'done' },
        { key: keyOf(2), status: 'done' },
      ])
    })

    test('an order sees the last release of its own token, after any number of releases of other tokens', async () => {
      balances = there(77n)
      const [first] = await order()
      const read = mint
      for (let number = 200; number < 221; number += 1) {
        now = later(number)
        mint = read && { ...read, mint: addressNo(number) }
        balances = there(5n, addressNo(number))
        await release({ asset: addressNo(number) })
      }
      mint = read
      balances = there(77n)
      expect(await order()).toEqual([first])
      await db.query("UPDATE transfers SET status = 'failed' WHERE kind = 'token_release'")
      expect(await order({ to: OTHER })).toMatchObject([{ round: 2, to: OTHER, status: 'planned' }])
    })

    test('money in the books is released by the books, and not by the balance', async () => {
      const made = await addIntent(stores, await addBusiness(db))
      const senders = [{ address: OTHER, amount: units(PART) }]
      await add(made, { asset: UNKNOWN_MINT, account: addressNo(90), use: 'wrong_asset', senders })
      balances = there(2n * PART)
      expect(await order({ intent: made.id })).toMatchObject([{ status: 'planned', amount: PART }])
      expect(await planned()).toEqual([])
    })

    test('a release fails before it is signed when its token is allowed or booked after the order', async () => {
      balances = there(PART)
      await order()
      const allowed = context().tokens.get(MINT)
      if (allowed === undefined) throw new Error('the allowlist has no such token')
      let allowlist = context().tokens
      const subject = createTokenReleaseSubject({
        transfers: stores.transfers,
        clock: { now: () => now },
        intents: stores.work,
        decisionContext: async () => context({ now, tokens: allowlist }),
      })
      const check = async () => {
        const queues = [{ kind: subject.kind, most: 9 }]
        const claimed = await stores.transfers.claim('live', { now: later(600), leaseMs: 60_000, queues })
        const checkOne = await subject.readChecks('live', claimed, null)
        return await Promise.all(claimed.map((one) => checkOne(one, view())))
      }
      allowlist = new Map([...allowlist, [UNKNOWN_MINT, allowed]])
      expect(await check()).toEqual(['handled'])
      expect(await planned()).toEqual([{ key: keyOf(1), status: 'failed' }])
      allowlist = context().tokens
      await order()
      await add(intent, { asset: UNKNOWN_MINT, account: addressNo(90), use: 'wrong_asset' })
      expect(await check()).toEqual(['handled'])
      expect(await planned()).toEqual([
        { key: keyOf(1), status: 'failed' },
        { key: keyOf(2), status: 'failed' },
      ])
    })

    test('a release is open until it has ended, on its network only', async () => {
      const store = createHeldStore(db)
      balances = there(77n)
      await order()
      expect(await store.isTokenReleaseOpen('live', UNKNOWN_MINT)).toBe(true)
      expect(await store.isTokenReleaseOpen('test', UNKNOWN_MINT)).toBe(false)
      expect(await store.isTokenReleaseOpen('live', MINT)).toBe(false)
      await db.query("UPDATE transfers SET status = 'in_progress' WHERE kind = 'token_release'")
      expect(await store.isTokenReleaseOpen('live', UNKNOWN_MINT)).toBe(true)
      await db.query("UPDATE transfers SET status = 'failed' WHERE kind = 'token_release'")
      expect(await store.isTokenReleaseOpen('live', UNKNOWN_MINT)).toBe(false)
    })

    test('nothing is released of a token that the payment accepts: it has books', async () => {
      balances = there(77n, MINT)
      await expect(release({ asset: MINT })).rejects.toMatchObject({ code: 'nothing_held' })
    })
  })

  const refusals: readonly [string, () => Partial<Parameters<typeof release>[0]>, string][] = [
    ['without a reason', () => ({ reason: ' ' }), 'invalid_request'],
    ['with a reason that is too long', () => ({ reason: '😀'.repeat(501) }), 'invalid_request'],
    ['of an unknown payment', () => ({ intent: '999999' }), 'intent_not_found'],
    ['of an unknown id', () => ({ intent: randomUUID() }), 'intent_not_found'],
    ['of an invalid id', () => ({ intent: '0' }), 'intent_not_found'],
    ['of an invalid index', () => ({ intent: '4294967296' }), 'intent_not_found'],
    ['to its own deposit address', () => ({ to: intent.address }), 'invalid_address'],
    ['to the fee payer', () => ({ to: FEE_PAYER }), 'invalid_address'],
    ['to an account that is no wallet', () => ({ to: MERCHANT }), 'invalid_address'],
    ['of an asset without held money', () => ({ asset: MINT }), 'nothing_held'],
    [
      'of an invalid mint',
      () => {
        mint = null
        return { asset: UNKNOWN_MINT }
      },
      'invalid_mint',
    ],
    [
      'of a mint whose program could block a transfer',
      () => {
        mint = mint && { ...mint, extensions: ['transfer-hook'], active: ['transfer-hook'] }
        return { asset: UNKNOWN_MINT }
      },
      'mint_not_supported',
    ],
  ]
  test.each(refusals)('is not released %s', async (_case, patch, code) => {
    await expect(release(patch())).rejects.toMatchObject({ code })
    expect(await transfers()).toEqual([])
  })
})
