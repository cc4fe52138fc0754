// When a settlement is planned, the payout address of the seller and the fee wallet of the marketplace are frozen. The real
// stores, the real changes of seller and marketplace, the real transfers. docs/contract.md, "Settlement".
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { type Address, SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { emptyTables, openTestDatabase } from '../../support/database.ts'
import { addMarketplace, marketplaceServices, OPERATOR_ACTOR, sellerInput } from '../../support/example-seller.ts'
import {
  addressNo,
  choice,
  context,
  NETWORK_FEE,
  NOW,
  observedDeposit,
  PLATFORM,
  signatureNo,
} from '../../support/payment.ts'
import { createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addIntent, storesOf } from '../../support/stores.ts'

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
const smallSale = () => paidSale({ feeBps: SMALL_BPS, funded: WALLETS.filter((wallet) => wallet !== FIRST_FEE_WALLET) })
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
