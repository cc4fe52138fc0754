// Thousands of deposits to one address in the blocks of one round: every round does bounded work, and the cursor moves.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDepositSourceStore } from '#adapters/prisma/detection/deposit-source-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Address } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import { MAX_DEPOSITS_PER_CHANGE } from '#core/payments/machine/deposits.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { BlockNotice } from '#ports/blocks.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { BlockScan } from '#services/detection/blocks/block-scan.ts'
import { SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import { openTestDatabase } from '../../support/database.ts'
import { BUYER, context, landed, NOW, signatureNo } from '../../support/payment.ts'
import { addBusiness, addIntent, nextNumber, patchIntent, type Stores, storesOf } from '../../support/stores.ts'
import { toyKeys } from '../../support/toy-chain.ts'

const A_ROUND = 1_000

let db: Database
let stores: Stores
let sources: DepositSourceStore
let flooded: PaymentIntent
let other: PaymentIntent
let notices: readonly BlockNotice[]
let sizes: number[]
let errors: unknown[]
let now: number
let scan: BlockScan

const payment = (address: Address): BlockNotice => {
  const signature = signatureNo(1_000_000 + nextNumber())
  const moves = [
    { account: BUYER, delta: -5_005n },
    { account: address, delta: 5n },
  ]
  return { signature, owners: [address], transaction: landed({ signature, slot: 101n, moves }) }
}
const run = async () => {
  now += 3_000
  await scan.runOnce()
  await scan.takeInFlooded()
}
const taken = async ({ id }: PaymentIntent) => (await stores.work.facts(id))?.deposits.length
const cursor = async () => (await sources.read('live'))?.cursor?.slot

beforeAll(async () => {
  db = await openTestDatabase()
  stores = storesOf(db)
  sources = createDepositSourceStore(db)
})
afterAll(() => db.close())

beforeEach(async () => {
  await db.query('TRUNCATE deposit_sources')
  const business = await addBusiness(db)
  flooded = await patchIntent(stores.work, await addIntent(stores, business), { status: 'cancelled' })
  other = await patchIntent(stores.work, await addIntent(stores, business), { status: 'cancelled' })
  sizes = []
  errors = []
  now = NOW.getTime()
  const wallClock = { now: () => new Date(now) }
  const store = {
    ...stores.work,
    recordUnaccepted: async () => {},
    async apply(change: IntentChange) {
      sizes.push(change.deposits.length)
      return await stores.work.apply(change)
    },
  }
  const lockRate = async () => {
    throw new Error('no rate is expected to be asked for')
  }
  const watcher = { checkDeeply: async () => ({ again: [], unfinished: [] }) }
  const onError = (error: unknown) => void errors.push(error)
  scan = new BlockScan({
    network: 'live',
    source: {
      finalSlots: async (after) => (after < 101n ? [101n] : []),
      nextFinalSlots: async () => [],
      finalBlock: async (slot) => ({
        slot,
        blockhash: `hash ${slot}`,
        parentSlot: slot - 1n,
        parentBlockhash: `hash ${slot - 1n}`,
        time: NOW,
        notices,
      }),
    },
    chain: { transaction: async () => null, finalDoubts: async () => new Map() },
    store: sources,
    takeIn: createTakeIn({ store, keys: toyKeys, decisionContext: async () => context(), lockRate }),
    setAside: new SetAsidePayments({
      network: 'live',
      store: sources,
      watcher,
      readToSlot: () => scan.head?.slot ?? 0n,
      wallClock,
    }),
    clock: wallClock,
    wallClock,
    lateAddresses: { knowsAll: true, late: new Set() },
    onError,
  })
  const calls = {
    noticeCallsPerMinute: 0,
    pollingCallsPerMinute: 0,
    blockCallsPerMinute: 0,
    noticedAccounts: 0,
    watchedAccounts: 0,
  }
  await sources.saveChoice('live', { source: 'blocks', reason: '', since: NOW, ...calls })
  scan.begin({ slot: 100n, blockhash: 'hash 100' })
})

test('thousands of deposits to one address are all taken in and booked, and then the cursor moves', async () => {
  notices = Array.from({ length: 2_200 }, () => payment(flooded.address))
  for (let round = 1; round <= 2; round += 1) {
    await run()
    expect([await taken(flooded), await cursor()]).toEqual([round * A_ROUND, undefined])
  }
  await run()
  expect(await taken(flooded)).toBe(2_200)
  await run()
  expect([await cursor(), errors]).toEqual([101n, []])
})

test('24,000 deposits to one address in one round delay no other payment, and the cursor for five minutes at most', async () => {
  notices = [...Array.from({ length: 24_000 }, () => payment(flooded.address)), payment(other.address)]
  await scan.runOnce()
  expect([await taken(flooded), await taken(other), scan.taken?.slot]).toEqual([0, 1, 101n])
  for (let round = 1; round <= 2; round += 1) {
    await run()
    expect([await taken(flooded), await taken(other)]).toEqual([round * A_ROUND, 1])
  }
  expect(Math.max(...sizes)).toBe(MAX_DEPOSITS_PER_CHANGE)
  expect(await sources.allSetAside('live')).toEqual([])
  now += 5 * 60_000
  await run()
  expect(await sources.allSetAside('live')).toEqual([flooded.id])
  await run()
  expect(await cursor()).toBe(101n)
  expect([[...scan.unfinished], errors]).toEqual([[flooded.id], []])
}, 60_000)
