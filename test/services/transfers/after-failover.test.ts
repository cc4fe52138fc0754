import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDatabaseLineage, createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { type Asset, type Network, type Signature, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { HistoryReader } from '#ports/chain.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { type AfterFailoverDeps, createAfterFailover } from '#services/transfers/after-failover.ts'
import { createFindUnbooked } from '#services/transfers/unbooked.ts'
import { openTestDatabase } from '../../support/database.ts'
import { MERCHANT } from '../../support/example-intent.ts'
import { keepRows } from '../../support/lost-second.ts'
import { addressNo, choice, context, FEE_PAYER, NOW, observedDeposit, signatureNo } from '../../support/payment.ts'
import { createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'

// After a failover nothing is signed until what the database has lost has landed, or cannot land any more.
describe('after a failover', () => {
  let timeline: string
  let height: bigint
  let slot: bigint
  let stored: Map<string, unknown>
  beforeEach(() => {
    timeline = '00000001'
    height = 1_000n
    slot = 5_000n
    stored = new Map()
  })

  const deps: AfterFailoverDeps = {
    lineage: { timeline: async () => timeline },
    settings: { read: async (key) => stored.get(key), write: async (key, value) => void stored.set(key, value) },
    chainOf: () => ({
      lifetime: async () => ({ blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: height + 150n }),
      blockTime: async () => ({ slot, time: NOW }),
    }),
  }
  const aftermath = createAfterFailover(deps)

  const waits = async (network: Network) => (await aftermath(network)).waits

  test('a new database, and one that goes on, keep nothing waiting', async () => {
    expect(await waits('live')).toBeNull()
    height += 10_000n
    expect(await waits('live')).toBeNull()
  })

  test('after another timeline all attempts wait for the life of a blockhash and 64 blocks, once', async () => {
    await waits('live')
    timeline = '00000002'
    expect(await waits('live')).toMatchObject({ reason: expect.stringContaining('replaced') })
    height += 150n + 64n
    expect(await waits('live')).not.toBeNull()
    height += 1n
    expect(await waits('live')).toBeNull()
    height -= 100n
    expect(await waits('live')).toBeNull()
  })

  test('from then on every address that had money before is compared to the unit, also after the next start', async () => {
    expect((await aftermath('live')).lostBefore).toBeNull()
    timeline = '00000002'
    await aftermath('live')
    height += 150n + 65n
    slot += 250n
    const { lostBefore } = await aftermath('live')
    expect(lostBefore).toBeGreaterThan(slot)
    slot += 10_000n
    expect((await aftermath('live')).lostBefore).toBe(lostBefore)
  })

  /** docs/runbook.md, "When an older backup is restored". */
  const SAY_RESTORED = `UPDATE settings SET value = jsonb_set(value, '{timeline}', '"restored"') WHERE key LIKE 'timeline:%'`

  test('a restored backup without another timeline is noticed when the operator says so', async () => {
    const db = await openTestDatabase()
    try {
      const aftermathOf = createAfterFailover({ ...deps, settings: createSettingStore(db.prisma) })
      expect((await aftermathOf('live')).waits).toBeNull()
      await db.query(SAY_RESTORED, [])
      expect((await aftermathOf('live')).waits).not.toBeNull()
      height += 150n + 65n
      expect(await aftermathOf('live')).toMatchObject({ waits: null, lostBefore: expect.any(BigInt) })
    } finally {
      await db.close()
    }
  })

  test('each network waits for its own chain', async () => {
    await waits('live')
    await waits('test')
    timeline = '00000002'
    expect(await waits('live')).not.toBeNull()
    expect(await waits('test')).not.toBeNull()
  })

  test('a database says its timeline, and that it has no standbys', async () => {
    const db = await openTestDatabase()
    try {
      expect(await createDatabaseLineage(db).standbys()).toEqual([])
      expect(await createDatabaseLineage(db).timeline()).toMatch(/^([0-9A-F]{8})?$/)
    } finally {
      await db.close()
    }
  })

  const STATES = `('one', 'async'), ('two', 'quorum'), ('three', NULL)`

  test('a standby is synchronous when a commit waits for it, and unknown to a role that may not see it', async () => {
    const db = await openTestDatabase()
    const given = `FROM (VALUES ${STATES}) AS pg_stat_replication (application_name, sync_state)`
    const query: typeof db.query = (text, params) => db.query(text.replace('FROM pg_stat_replication', given), params)
    try {
      const standbys = await createDatabaseLineage({ query }).standbys()
      expect(standbys.map(({ isSynchronous }) => isSynchronous)).toEqual([false, true, null])
    } finally {
      await db.close()
    }
  })
})

// A database that loses the row of a signed transfer: a failover to a standby that was behind. The chain keeps what landed.
describe('a lost row', () => {
  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())

  /**
   * A payment whose sweep has landed, and whose database has forgotten that. The price has arrived a second time. `lostBefore`: the
   * service knows that transactions were lost before this slot.
   */
  async function forgottenSweep({ isBooked, lostBefore }: { isBooked: boolean; lostBefore: bigint | null }) {
    const stores = storesOf(db)
    const world = createWorld({ intents: stores.work, transfers: stores.transfers })
    const tenant = await addBusiness(db)
    await db.query('UPDATE accounts SET sweep_destination = $1', [MERCHANT])
    const intent = await addIntent(stores, tenant)
    const { id: intentId, address: account } = intent
    await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
    const paid = (number: number): ObservedDeposit =>
      observedDeposit(number, PRICE, { intentId, account, slot: BigInt(number), signature: signatureNo(number) })
    const takeIn = (deposits: readonly ObservedDeposit[]) =>
      decideAndApply(stores.work, intentId, (facts) => decideDeposits(facts, deposits, null, context()))
    const workWith = async (one: ReturnType<typeof startInstance>): Promise<void> => {
      for (let round = 0; round < 12; round += 1) {
        await one.work()
        world.pass(40n)
      }
    }
    world.toy.fund(account, PRICE)
    await takeIn([paid(1)])
    const forget = await keepRows(db)
    await workWith(startInstance(world))
    expect((await stores.work.facts(intentId))?.intent.status).toBe('swept')
    await forget()
    world.toy.fund(account, PRICE)
    await takeIn(isBooked ? [paid(1), paid(2)] : [paid(1)])
    const sent = world.toy.broadcasts()
    const instance = startInstance(world, undefined, 2, undefined, lostBefore)
    const work = () => workWith(instance)
    return { stores, world, instance, intent, work, again: () => world.toy.broadcasts() - sent }
  }

  test('a sweep that landed and is forgotten is not sent again, although as much has arrived since', async () => {
    const { stores, intent, work, again, instance } = await forgottenSweep({ isBooked: true, lostBefore: null })
    await work()
    expect(again()).toBe(0)
    const facts = await stores.work.facts(intent.id)
    expect(facts?.transfers.find(({ kind }) => kind === 'sweep')?.reason).toContain(
      'less at its address than the ledger',
    )
    expect(instance.errors).toEqual([])
  })

  test('after a failover, money that is not booked yet does not hide that the sweep has landed', async () => {
    const { stores, intent, work, again, instance } = await forgottenSweep({ isBooked: false, lostBefore: 1_000n })
    await work()
    expect(again()).toBe(0)
    const facts = await stores.work.facts(intent.id)
    expect(facts?.transfers.find(({ kind }) => kind === 'sweep')?.reason).toContain('that is not in the ledger')
    expect(instance.errors).toEqual([])
  })

  test('when the operator has ended the halt of the address in spite of the difference, it goes on', async () => {
    const { intent, work, again, instance } = await forgottenSweep({ isBooked: true, lostBefore: null })
    const halts = createHaltStore(db)
    const { network, address, id: intentId } = intent
    await halts.halt({ network, address, intentId, reason: 'less', faults: [], haltedAt: NOW })
    const halt = await db.prisma.halt.findFirstOrThrow({ where: { address } })
    await halts.clear(halt.id, { by: 'operator', reason: 'returned', at: NOW })
    await work()
    expect(again()).toBeGreaterThan(0)
    expect(instance.errors).toEqual([])
  })
})

// After a failover, the history of an address is compared with its ledger before anything leaves it.
describe('what is not booked', () => {
  const account = addressNo(1)
  /** What the first deposit brought, in slot 10. */
  const FIRST = 100n

  /** A history of `count` transactions after the first deposit: transaction 1 in slot 11, and so on. */
  type History = {
    count: number
    /** By how much transactions change the balance, by number. What leaves is sent by the service. */
    moves?: Readonly<Record<number, bigint>>
    /** Those in the ledger. */
    booked?: readonly number[]
    /** So many providers have only the newest transaction; after them, so many have only the first deposit. */
    pruned?: number
    behind?: number
  }

  function world({ count, moves = {}, booked = [], pruned = 0, behind = 0 }: History) {
    const reads: number[] = []
    const known = new Set(booked)
    const all = Array.from({ length: count + 1 }, (_, at) => count - at)
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + (moves[one] ?? 0n), FIRST)
    const numberOf = (signature: Signature) => all.find((one) => signatureNo(one) === signature) ?? -1
    const chain: HistoryReader = {
      async signatures(_, { firstProvider = 0 }) {
        const listed = firstProvider < pruned ? all.slice(0, 1) : firstProvider < pruned + behind ? all.slice(-1) : all
        const entries = listed.map((one) => ({ signature: signatureNo(one), slot: BigInt(10 + one), failed: false }))
        return { entries, next: null }
      },
      async transaction(signature) {
        const number = numberOf(signature)
        reads.push(number)
        const move = moves[number]
        const [before, after] = [makeBaseUnits(1_000n), makeBaseUnits(1_000n + (move ?? 0n))]
        return {
          signature,
          slot: BigInt(10 + number),
          blockTime: null,
          error: null,
          fee: makeLamports(5_000n),
          feePayer: (move ?? 0n) > 0n ? addressNo(2) : FEE_PAYER,
          signers: [FEE_PAYER],
          accounts: [],
          memos: [],
          changes: move === undefined ? [] : [{ account, owner: account, asset: SOL, before, after }],
        }
      },
    }
    const find = createFindUnbooked({
      transfers: {
        bookedOf: async (_, asked) => new Set(asked.filter((one) => numberOf(one) === 0 || known.has(numberOf(one)))),
      },
    })
    const searched = { account, feePayer: FEE_PAYER }
    return {
      reads,
      known,
      /** `slot`: the slot in which the balance is read. */
      find({ slot = BigInt(10 + count), lostBefore = 1_000n, asset = SOL as Asset } = {}) {
        const until = all.filter((one) => 10 + one <= slot)
        const bookedNow = { amount: sum([...known]), since: 10n }
        const balance = asset === SOL ? sum(until) : FIRST
        return find(chain, { ...searched, asset, booked: bookedNow, balance, slot, lostBefore })
      },
    }
  }

  test('a transaction of the service that changed the balance is missing until it is booked', async () => {
    const { find, known } = world({ count: 2, moves: { 1: 5n, 2: -5n }, booked: [1] })
    expect(await find()).toBe(true)
    known.add(2)
    expect(await find()).toBe(false)
  })

  test('a transaction that only names the address is missing nowhere, and is read once', async () => {
    const { find, reads } = world({ count: 3 })
    expect(await find()).toBe(false)
    expect(await find()).toBe(false)
    expect(reads).toHaveLength(3)
  })

  test('a payment of others, which may never be booked, delays nothing', async () => {
    expect(await world({ count: 1, moves: { 1: 5n } }).find()).toBe(false)
  })

  test('a payment after the balance was read delays nothing', async () => {
    expect(await world({ count: 2, moves: { 2: 5n } }).find({ slot: 11n })).toBe(false)
  })

  test('the rent of a token account that the service closed is no lost transfer of its token', async () => {
    expect(await world({ count: 1, moves: { 1: 5n } }).find({ asset: addressNo(3) })).toBe(false)
  })

  test('a history without the first deposit is not whole, and another provider is asked next', async () => {
    const { find, known } = world({ count: 3, moves: { 1: -5n, 2: 5n }, booked: [2], pruned: 2 })
    expect([await find(), await find(), await find()]).toEqual([true, true, true])
    known.add(1)
    expect(await find()).toBe(false)
  })

  test('a history that does not explain the balance is not whole: its provider may be behind', async () => {
    const { find, known } = world({ count: 2, moves: { 1: 9n, 2: -5n }, behind: 1 })
    expect([await find(), await find()]).toEqual([true, true])
    known.add(2)
    expect(await find()).toBe(false)
  })

  test('a long history is read in steps', async () => {
    const { find, reads } = world({ count: 40 })
    expect(await find()).toBe(true)
    expect(reads).toHaveLength(32)
    expect(await find()).toBe(false)
    expect(reads).toHaveLength(40)
  })

  test('after another failover the history is searched again', async () => {
    const { find, known } = world({ count: 2, moves: { 1: -5n, 2: 5n }, booked: [1, 2] })
    expect(await find()).toBe(false)
    known.clear()
    expect(await find()).toBe(false)
    expect(await find({ lostBefore: 2_000n })).toBe(true)
  })
})
