// After a failover, the history of an address is compared with its ledger before anything leaves it.
import { expect, test } from 'vitest'
import { type Asset, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports, ZERO } from '#core/money/amounts.ts'
import type { HistoryReader } from '#ports/chain.ts'
import { createFindUnbooked } from '#services/transfers/unbooked.ts'
import { addressNo, FEE_PAYER, signatureNo } from '../../support/payment.ts'

const account = addressNo(1)
const source = { account, feePayer: FEE_PAYER, booked: { since: 10n }, lostBefore: 1_000n }

/**
 * A history of transactions after the first deposit, the newest first. Those of `moves` change the balance. The first `pruned`
 * providers have only the newest one.
 */
type History = {
  count: number
  moves: readonly number[]
  booked?: readonly number[]
  paidByOthers?: boolean
  pruned?: number
}

function world({ count, moves, booked = [], paidByOthers = false, pruned = 0 }: History) {
  const reads: Signature[] = []
  const changes: ObservedTransaction['changes'] = [
    { account, owner: account, asset: SOL, before: ZERO, after: makeBaseUnits(5n) },
  ]
  const moved = moves.map(signatureNo)
  const chain: HistoryReader = {
    signatures: async (_, { turn = 0 }) => ({
      entries: Array.from({ length: turn < pruned ? 1 : count + 1 }, (_, at) => ({
        signature: signatureNo(count - at),
        slot: BigInt(10 + count - at),
        failed: false,
      })),
      next: null,
    }),
    async transaction(signature) {
      reads.push(signature)
      return {
        signature,
        slot: 11n,
        blockTime: null,
        error: null,
        fee: makeLamports(5_000n),
        feePayer: paidByOthers ? addressNo(2) : FEE_PAYER,
        signers: [FEE_PAYER],
        memos: [],
        changes: moved.includes(signature) ? changes : [],
      }
    },
  }
  const known = new Set(booked.map(signatureNo))
  const find = createFindUnbooked({
    transfers: { bookedOf: async (_, asked) => new Set(asked.filter((one) => known.has(one))) },
  })
  return {
    reads,
    known,
    find: (lostBefore = 1_000n, asset: Asset = SOL) => find(chain, { ...source, asset, lostBefore }),
  }
}

test('a transaction of the service that changed the balance is missing until it is booked', async () => {
  const { find, known } = world({ count: 2, moves: [1, 2], booked: [1] })
  expect(await find()).toBe(true)
  known.add(signatureNo(2))
  expect(await find()).toBe(false)
})

test('a transaction that only names the address is missing nowhere, and is read once', async () => {
  const { find, reads } = world({ count: 3, moves: [] })
  expect(await find()).toBe(false)
  expect(await find()).toBe(false)
  expect(reads).toHaveLength(3)
})

test('a payment of others, which may never be booked, delays nothing', async () => {
  expect(await world({ count: 1, moves: [1], paidByOthers: true }).find()).toBe(false)
})

test('the rent of a token account that the service closed is no lost transfer of its token', async () => {
  expect(await world({ count: 1, moves: [1] }).find(1_000n, addressNo(3))).toBe(false)
})

test('a history without the first deposit is not whole, and another provider is asked next', async () => {
  const { find, known } = world({ count: 2, moves: [1], booked: [2], pruned: 2 })
  expect([await find(), await find(), await find()]).toEqual([true, true, true])
  known.add(signatureNo(1))
  expect(await find()).toBe(false)
})

test('a long history is read in steps', async () => {
  const { find, reads } = world({ count: 40, moves: [] })
  expect(await find()).toBe(true)
  expect(reads).toHaveLength(32)
  expect(await find()).toBe(false)
  expect(reads).toHaveLength(40)
})

test('after another failover the history is searched again', async () => {
  const { find, known } = world({ count: 1, moves: [1], booked: [1] })
  expect(await find()).toBe(false)
  known.clear()
  expect(await find()).toBe(false)
  expect(await find(2_000n)).toBe(true)
})
