// After a failover, the history of an address is compared with its ledger before anything leaves it.
import { expect, test } from 'vitest'
import { type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { HistoryReader } from '#ports/chain.ts'
import { createFindUnbooked } from '#services/transfers/unbooked.ts'
import { addressNo, FEE_PAYER, signatureNo } from '../../support/payment.ts'

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
