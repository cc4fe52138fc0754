import { beforeAll, describe, expect, test } from 'vitest'
import { createDepositSourceStore } from '#adapters/prisma/detection/deposit-source-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { MINT } from '../../../support/example-intent.ts'
import { choice, later, NOW } from '../../../support/payment.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'

const STRANGER = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const CHOICE = {
  source: 'blocks',
  reason: 'it is cheaper',
  since: NOW,
  noticeCallsPerMinute: 50,
  pollingCallsPerMinute: 600.4,
  blockCallsPerMinute: 160,
  noticedAccounts: 190,
  watchedAccounts: 200,
} as const

describeOnBothEngines('the state of deposit detection', (open) => {
  let db: Database
  let store: DepositSourceStore
  let stores: Stores
  let live: Tenant
  let test_: Tenant
  beforeAll(async () => {
    db = await open()
    store = createDepositSourceStore(db)
    stores = storesOf(db)
    live = await addBusiness(db)
    test_ = await addBusiness(db, 'test')
  })

  describe('the choice and the cursor', () => {
    test('are empty at first, and separate for each network', async () => {
      expect(await store.read('live')).toBeNull()
      await store.saveChoice('live', CHOICE)
      expect(await store.read('live')).toEqual({ ...CHOICE, pollingCallsPerMinute: 600, cursor: null })
      expect(await store.read('test')).toBeNull()
    })

    test('are saved separately: a new choice keeps the cursor', async () => {
      await store.saveCursor('live', { slot: 2n ** 60n, blockhash: 'hash' }, later(1))
      await store.saveChoice('live', { ...CHOICE, source: 'polling', since: later(2) })
      expect(await store.read('live')).toMatchObject({
        source: 'polling',
        since: later(2),
        cursor: { slot: 2n ** 60n, blockhash: 'hash', savedAt: later(1) },
      })
    })

    test('the cursor never goes back, also for a late writer', async () => {
      await store.saveCursor('live', { slot: 2n ** 60n - 1n, blockhash: 'older' }, later(9))
      expect((await store.read('live'))?.cursor).toMatchObject({ slot: 2n ** 60n, blockhash: 'hash' })
    })
  })

  describe('addresses', () => {
    test('are listed in pages by index, of one network, and without payments that ended long ago on request', async () => {
      const first = await addIntent(stores, live)
      const second = await addIntent(stores, live)
      await addIntent(stores, test_)
      await patchIntent(stores.work, first, { status: 'cancelled' })
      const page = { afterIndex: first.derivationIndex - 1, limit: 10 }
      const all = await store.addresses('live', { ...page, endedSince: null })
      expect(all).toEqual(
        [first, second].map(({ id, address, derivationIndex, createdAt }) => ({
          intentId: id,
          address,
          derivationIndex,
          createdAt,
        })),
      )
      const endedAt = (await stores.work.facts(first.id))?.intent.updatedAt.getTime() ?? 0
      const before = { ...page, endedSince: new Date(endedAt - 1) }
      expect(await store.addresses('live', { ...page, endedSince: new Date(endedAt) })).toEqual(all.slice(1))
      expect(await store.addresses('live', before)).toEqual(all)
      for (const { endedSince } of [before, { endedSince: null }]) {
        expect(await store.addresses('live', { ...page, limit: 1, endedSince })).toEqual(all.slice(0, 1))
        const rest = { afterIndex: first.derivationIndex, limit: 10, endedSince }
        expect(await store.addresses('live', rest)).toEqual(all.slice(1))
      }
    })

    test('are found by their owner; unknown addresses and the other network’s are left out', async () => {
      const mine = await addIntent(stores, live)
      const other = await addIntent(stores, test_)
      expect(await store.intentsAt('live', [mine.address, STRANGER, other.address])).toEqual(
        new Map([[mine.address, mine.id]]),
      )
      expect(await store.intentsAt('live', [])).toEqual(new Map())
    })
  })

  describe('payments that are set aside', () => {
    test('are kept for each network, and returned when their balance check is due, the longest overdue first', async () => {
      const [first, second] = [await addIntent(stores, live), await addIntent(stores, live)]
      await store.setAside('live', [first.id], 'no price', NOW, later(9))
      await store.setAside('live', [second.id], 'no price', NOW, later(5))
      expect(new Set(await store.allSetAside('live'))).toEqual(new Set([first.id, second.id]))
      expect(await store.allSetAside('test')).toEqual([])
      const due = async (seconds: number, limit = 9) =>
        (await store.dueSetAside('live', later(seconds), limit)).map(({ intentId }) => intentId)
      expect([await due(4), await due(9), await due(9, 1)]).toEqual([[], [second.id, first.id], [second.id]])
      await store.postponeSetAside(second.id, 3, later(60))
      expect(await store.dueSetAside('live', later(60), 9)).toEqual([
        { intentId: first.id, version: 1, attempts: 0 },
        { intentId: second.id, version: 1, attempts: 3 },
      ])
      for (const { id } of [first, second]) expect(await store.endSetAside({ intentId: id, version: 1 })).toBe(true)
      expect(await store.allSetAside('live')).toEqual([])
    })

    test('stay when they are set aside again during a balance check', async () => {
      const { id } = await addIntent(stores, live)
      await store.setAside('live', [id], 'no price', NOW, NOW)
      await store.setAside('live', [id], 'no answer', NOW, later(60))
      const [payment] = await store.dueSetAside('live', NOW, 9)
      expect(payment).toEqual({ intentId: id, version: 2, attempts: 0 })
      expect(await store.endSetAside({ intentId: id, version: 1 })).toBe(false)
      expect(await store.endSetAside({ intentId: id, version: 2 })).toBe(true)
    })
  })

  test('the load is counted in accounts, by how often each is due', async () => {
    const before = await store.load('test', NOW, 0)
    const idle = await addIntent(stores, test_, { acceptedAssets: ['SOL', MINT] })
    const busy = await addIntent(stores, test_, { acceptedAssets: [MINT] })
    await patchIntent(stores.work, busy, { selection: choice(MINT, 7n) })
    const over = await addIntent(stores, test_)
    await patchIntent(stores.work, over, { status: 'cancelled' })
    const paid = await addIntent(stores, test_)
    await patchIntent(stores.work, paid, { selection: choice(MINT, 7n), status: 'settling' })
    expect(await store.load('test', NOW, 0)).toEqual({
      ...before,
      idle: before.idle + 2,
      busy: before.busy + 2,
      closing: before.closing + 2,
    })
    expect(await store.load('test', later(601), 0)).toMatchObject({
      closing: before.closing + 1,
      ended: before.ended + 1,
    })
    const known = 6
    // A day later it is in the remaining tier, with the average number of accounts.
    const old = await store.load('test', later(86_401), known)
    expect(old).toMatchObject({ closing: before.closing + 1, ended: 0 })
    expect(old.old).toBeGreaterThan(0)
    expect(idle.status).toBe('pending')
  })
})
