import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, type MintFacts, SOL } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { createMintGuard } from '#services/tokens/mint-guard.ts'
import { createRentSubject } from '#services/transfers/rent-subject.ts'
import { emptyTables, openTestDatabase } from '../../support/database.ts'
import { MINT } from '../../support/example-intent.ts'
import { addMarketplace, marketplaceServices, OPERATOR_ACTOR, sellerInput } from '../../support/example-seller.ts'
import { createLife } from '../../support/mortal.ts'
import {
  addressNo,
  choice,
  context,
  later,
  NETWORK_FEE,
  NOW,
  OTHER_MINT,
  observedDeposit,
  PLATFORM,
  RENT,
  signatureNo,
  sweepOf,
  TOKEN_PROGRAM,
  USDC,
  units,
} from '../../support/payment.ts'
import { createMemoryWorld, createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addIntent, storesOf } from '../../support/stores.ts'

// When a settlement is planned, the payout address of the seller and the fee wallet of the marketplace are frozen. The real
// stores, the real changes of seller and marketplace, the real transfers. docs/contract.md, "Settlement".
describe('frozen legs', () => {
  const FIRST_PAYOUT = addressNo(501)
  const FIRST_FEE_WALLET = addressNo(502)
  const NEXT_PAYOUT = addressNo(503)
  const NEXT_FEE_WALLET = addressNo(504)
  const WALLETS = [FIRST_PAYOUT, FIRST_FEE_WALLET, NEXT_PAYOUT, NEXT_FEE_WALLET]
  /** Every wallet exists, so that each can take any cut. */
  const FUNDS = 10n ** 9n
  const CUT = (PRICE * 1_000n) / 10_000n
  const PLATFORM_CUT = PRICE / 100n
  /** A rate whose cut is below the rent minimum of a wallet. */
  const SMALL_BPS = 100
  const SMALL_CUT = PRICE / 100n
  const PAYOUT = PRICE - CUT - PLATFORM_CUT - NETWORK_FEE

  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())
  beforeEach(() => emptyTables(db, 'accounts', 'ledger_entries'))

  type Sale = {
    readonly feeBps?: number
    readonly feeWallet?: Address | null
    /** Wallets that exist already. */
    readonly funded?: readonly Address[]
  }

  /** A paid payment for a seller. Its settlement is planned when its deposit is final. */
  async function paidSale({ feeBps = 1_000, feeWallet = FIRST_FEE_WALLET, funded = WALLETS }: Sale = {}) {
    const stores = storesOf(db)
    const world = createWorld({ intents: stores.work, transfers: stores.transfers })
    const services = marketplaceServices(db)
    const caller = await addMarketplace(db, services)
    await services.update(caller, { feeWallet })
    const input = { ...sellerInput, sweepDestination: FIRST_PAYOUT }
    const { seller } = await services.createSeller(caller, input, async () => {})
    const intent = await addIntent(stores, caller.tenant, {
      accountId: seller.id,
      marketplaceFeeBps: makeBasisPoints(feeBps),
    })
    const { id: intentId, address: account } = intent
    for (const wallet of [...funded, PLATFORM]) world.toy.fund(wallet, FUNDS)
    world.toy.fund(account, PRICE)
    await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
    const paid = observedDeposit(1, PRICE, { intentId, account, slot: 1n, signature: signatureNo(1) })
    return {
      world,
      async plan(): Promise<void> {
        await decideAndApply(stores.work, intentId, (facts) => decideDeposits(facts, [paid], null, context()))
      },
      async nameNextWallets(): Promise<void> {
        await services.update(caller, { feeWallet: NEXT_FEE_WALLET })
        await services.updateSeller(caller, seller.id, { sweepDestination: NEXT_PAYOUT })
      },
      revoke: () => services.revoke(caller.tenant.accountId, OPERATOR_ACTOR),
      /** Returns the amounts in the audit entries of waived cuts. */
      async waived(): Promise<readonly unknown[]> {
        const entries = await db.prisma.auditEntry.findMany({ where: { action: 'settlement.leg_waived' } })
        return entries.map(({ changes }) => changes)
      },
      intentId,
      /** Whether the business has everything, also the rent reserve. */
      async isSettled(): Promise<boolean> {
        const settlement = (await stores.work.facts(intentId))?.intent.settlement
        return settlement != null && settlement.pendingAmount === 0n
      },
      status: async () => (await stores.work.facts(intentId))?.intent.status,
      /** Returns what each wallet has received: the first payout and fee wallet, then the next. */
      received: () => WALLETS.map((wallet) => world.toy.balance(wallet) - FUNDS),
    }
  }

  async function settle({ world, status, isSettled }: Awaited<ReturnType<typeof paidSale>>): Promise<void> {
    const instance = startInstance(world)
    for (let round = 0; round < 40 && !(await isSettled()); round += 1) {
      await instance.work()
      world.pass(40n)
    }
    expect(instance.errors).toEqual([])
    expect(await status()).toBe('swept')
  }

  test('wallets that are named after the plan receive nothing of the settlement', async () => {
    const sale = await paidSale()
    await sale.plan()
    await sale.nameNextWallets()
    await settle(sale)
    expect(sale.received()).toEqual([PAYOUT, CUT, 0n, 0n])
  })

  test('nor when the first transaction never lands, and another takes its place', async () => {
    const sale = await paidSale()
    sale.world.toy.fates.push('is lost')
    await sale.plan()
    await startInstance(sale.world).work()
    await sale.nameNextWallets()
    await settle(sale)
    expect(sale.world.toy.broadcasts()).toBeGreaterThan(1)
    expect(sale.received()).toEqual([PAYOUT, CUT, 0n, 0n])
  })

  test('wallets that are named before the plan receive the settlement', async () => {
    const sale = await paidSale()
    await sale.nameNextWallets()
    await sale.plan()
    await settle(sale)
    expect(sale.received()).toEqual([0n, 0n, PAYOUT, CUT])
  })

  test('a settlement that failed on chain is planned again, for the wallets of that moment', async () => {
    const sale = await paidSale()
    sale.world.toy.fates.push('fails')
    await sale.plan()
    await sale.nameNextWallets()
    await settle(sale)
    expect(sale.received()).toEqual([0n, 0n, PAYOUT, CUT])
  })

  test('a settlement after the revocation pays seller and fee wallet', async () => {
    const sale = await paidSale()
    await sale.revoke()
    await sale.plan()
    await settle(sale)
    expect(sale.received()).toEqual([PAYOUT, CUT, 0n, 0n])
  })

  // ── cuts that go to the seller ───────────────────────────────────────────────────────────────────────────────────

  /** A sale whose cut the fee wallet, which is empty, cannot take. */
  const smallSale = () =>
    paidSale({ feeBps: SMALL_BPS, funded: WALLETS.filter((wallet) => wallet !== FIRST_FEE_WALLET) })
  const entryOf = ({ intentId }: Awaited<ReturnType<typeof paidSale>>, amount: bigint) => ({
    payment_id: [intentId, intentId],
    marketplace_amount: [String(amount), '0'],
  })

  test('a waived cut is one entry of the audit trail, when the settlement is booked, also after a failure on chain', async () => {
    const sale = await smallSale()
    sale.world.toy.fates.push('fails')
    await sale.plan()
    const instance = startInstance(sale.world)
    await instance.work()
    expect(await sale.waived()).toEqual([])
    await settle(sale)
    expect(sale.world.toy.broadcasts()).toBeGreaterThan(1)
    expect(await sale.waived()).toEqual([entryOf(sale, SMALL_CUT)])
  })

  test('a cut that a later round pays after all is no entry', async () => {
    const sale = await smallSale()
    sale.world.toy.fates.push('fails')
    await sale.plan()
    const instance = startInstance(sale.world)
    while (sale.world.toy.broadcasts() === 0) await instance.work()
    sale.world.toy.fund(FIRST_FEE_WALLET, FUNDS)
    await settle(sale)
    expect(sale.received()[1]).toBe(SMALL_CUT)
    expect(await sale.waived()).toEqual([])
  })

  test('a cut without a fee wallet and a sweep destination of the marketplace goes to the seller, and is an entry', async () => {
    const sale = await paidSale({ feeWallet: null })
    await sale.plan()
    await settle(sale)
    expect(sale.received()).toEqual([PAYOUT + CUT, 0n, 0n, 0n])
    expect(await sale.waived()).toEqual([entryOf(sale, CUT)])
  })
})

// A transfer waits while the issuer of its token has changed the mint.
describe('a changed mint', () => {
  const TOKEN_2022 = makeAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
  const EXTENSIONS = ['transfer-hook', 'transfer-fee-config', 'mint-close-authority']
  const TOKEN = { ...USDC, tokenProgram: TOKEN_2022, extensions: EXTENSIONS }

  let facts: MintFacts | null
  /** Each reading is a new one. */
  let at = NOW.getTime()
  const guard = createMintGuard({
    chainOf: () => ({ readMint: async () => facts }),
    directory: { tokens: async () => new Map([[MINT, TOKEN]]) },
    clock: {
      now() {
        at += 10_000
        return new Date(at)
      },
    },
  })
  const mint = (active: readonly string[]): MintFacts => ({
    mint: MINT,
    tokenProgram: TOKEN_2022,
    decimals: TOKEN.decimals,
    extensions: EXTENSIONS,
    active,
  })

  test('a transfer is held while its mint runs a program or takes a fee, says so, and goes on when that ends', async () => {
    const world = createMemoryWorld(MINT)
    const instance = startInstance(world, createLife(null), 1, guard)
    for (const [active, reason] of [
      ['transfer-hook', 'has a transfer hook with a program'],
      ['transfer-fee-config', 'takes a transfer fee'],
    ] as const) {
      facts = mint([active])
      await instance.work()
      world.pass(100n)
      expect(world.stores.transfer('transfer-1').transfer).toMatchObject({
        attemptCount: 0,
        reason: `Nothing is sent in USDC for now: its mint ${reason}.`,
      })
    }
    facts = mint([])
    for (let tick = 0; tick < 50; tick += 1) {
      await instance.work()
      world.pass(20n)
    }
    expect(world.stores.transfer('transfer-1').transfer).toMatchObject({ kind: 'sweep', status: 'done' })
    expect(instance.errors).toEqual([])
  })

  test('a transfer of the operator goes although it costs a fee, and waits where it would fail', async () => {
    const hold = (kind: string) => guard.holdOf({ network: 'live', asset: MINT, kind })
    facts = mint(['transfer-fee-config'])
    expect(await hold('release')).toBeNull()
    expect(await hold('token_release')).toBeNull()
    for (const kind of ['sweep', 'refund', 'charge']) expect(await hold(kind)).toContain('takes a transfer fee')
    facts = mint(['transfer-hook'])
    expect(await hold('release')).toContain('transfer hook')
    facts = null
    expect(await hold('refund')).toContain('does not exist any more')
  })

  test('SOL, and a token that is not on the allowlist, are not held', async () => {
    facts = mint(['transfer-hook'])
    for (const asset of ['SOL', OTHER_MINT] as const)
      expect(await guard.holdOf({ network: 'live', asset, kind: 'refund' })).toBeNull()
  })
})

// The rent of a token account that cannot be closed yet: how long its close waits.
describe('rent that waits', () => {
  const MINUTE = 60
  const HOUR = 60 * MINUTE
  const DAY = 24 * HOUR
  const TOKEN_RENT = makeLamports(2_039_280n)

  const refuse = async () => {
    throw new Error('nothing is booked here')
  }

  /** Returns the seconds that a close waits, so many seconds after it was planned. */
  async function waitOf(
    age: number,
    tokens: bigint,
    feePayerLamports: bigint,
    closeAuthority: (owner: Address) => Address | null = () => null,
  ): Promise<unknown> {
    const ended: string[] = []
    const subject = createRentSubject({
      kind: 'rent',
      transfers: { finish: async (_lease, { status }) => ended.push(status) > 0, hold: refuse, recordAttempt: refuse },
      clock: { now: () => later(age) },
    })
    const transfer = sweepOf({ kind: 'rent', asset: MINT, legs: [], createdAt: NOW })
    const source: AccountState = {
      lamports: TOKEN_RENT,
      ownerProgram: TOKEN_PROGRAM,
      token: {
        mint: MINT,
        owner: transfer.source,
        amount: units(tokens),
        frozen: false,
        withheld: units(0n),
        delegation: null,
        closeAuthority: closeAuthority(transfer.source),
      },
    }
    const view = {
      slot: 1n,
      source,
      destinations: new Map(),
      receivers: new Map(),
      feePayerLamports,
      rent: { wallet: RENT, tokenAccount: TOKEN_RENT },
    }
    const one = { transfer, lease: { transferId: transfer.id, fence: 1n } }
    const judge = await subject.readChecks('live', [one], null)
    const verdict = await judge(one, view)
    return typeof verdict === 'object' ? verdict.afterMs / 1_000 : [verdict, ...ended].join(': ')
  }

  test.each([
    ['at once', 0, 15 * MINUTE],
    ['after an hour', HOUR, HOUR],
    ['after a month', 30 * DAY, DAY],
  ])('a close that finds dust %s waits as long as it has waited, from 15 minutes to a day', async (_, age, seconds) => {
    expect(await waitOf(age, 1n, 10n ** 9n)).toBe(seconds)
  })

  test('a close that the fee payer cannot pay for waits for 15 minutes each time', async () => {
    expect(await waitOf(30 * DAY, 0n, 0n)).toBe(15 * MINUTE)
    expect(await waitOf(30 * DAY, 0n, 10n ** 9n)).toBe('go')
  })

  test('an account that another wallet may close is left as it is: its rent is not collected', async () => {
    expect(await waitOf(0, 0n, 10n ** 9n, () => addressNo(7))).toBe('handled: done')
    expect(await waitOf(0, 0n, 10n ** 9n, (owner) => owner)).toBe('go')
  })
})
