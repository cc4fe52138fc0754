// Tokens in other accounts of deposit addresses than those that are watched.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address, Asset, ObservedTransaction } from '#core/chain/types.ts'
import type { HistoryEntry, TokenBalance } from '#ports/chain.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { OtherAccounts } from '#services/detection/polling/other-accounts.ts'
import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import { pageOf } from '../../../support/history-page.ts'
import { createMemoryStores, type MemoryStores } from '../../../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  context,
  intentWith,
  landed,
  NOW,
  signatureNo,
  sweepOf,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'
import { toyKeys } from '../../../support/toy-chain.ts'

const OTHER = addressNo(501)
const ENDED = { status: 'cancelled' } as const

let stores: MemoryStores
let owned: Map<Address, TokenBalance[]>
let history: Map<Address, HistoryEntry[]>
let transactions: Map<string, ObservedTransaction>
let asked: string[]
let errors: unknown[]
let others: OtherAccounts

beforeEach(() => {
  stores = createMemoryStores()
  owned = new Map()
  history = new Map()
  transactions = new Map()
  asked = []
  errors = []
  const chain = {
    tokenAccounts: async (owner: Address) => {
      asked.push(`accounts of ${owner}`)
      return owned.get(owner) ?? []
    },
    signatures: async (account: Address, range: Parameters<typeof pageOf>[1]) => {
      asked.push(`history of ${account}`)
      return pageOf(history.get(account) ?? [], range)
    },
    transaction: async (signature: string) => transactions.get(signature) ?? null,
  }
  const directory = { tokens: async () => context().tokens }
  others = new OtherAccounts({
    network: 'live',
    chain,
    store: stores.intents,
    directory,
    keys: toyKeys,
    observe: createDepositObserver({
      chainOf: () => chain,
      store: stores.intents,
      decisionContext: async () => context(),
      keys: toyKeys,
      lockRate: async () => {
        throw new Error('no rate is expected to be asked for')
      },
      clock: { now: () => NOW },
    }),
    onError: (error) => errors.push(error),
  })
})

/** Brings a token to an account of an address. */
function lands(number: number, owner: Address, account: Address, mint: Address, amount: bigint): void {
  const signature = signatureNo(number)
  const moves = [
    { account: addressNo(700), owner: BUYER, asset: mint as Asset, delta: -amount },
    { account, owner, asset: mint as Asset, delta: amount },
  ]
  transactions.set(signature, landed({ signature, slot: BigInt(number), moves }))
  const entry = { signature, slot: BigInt(number), failed: false }
  history.set(account, [entry, ...(history.get(account) ?? [])])
  const before = (owned.get(owner) ?? []).filter((one) => one.account !== account)
  const had = owned.get(owner)?.find((one) => one.account === account)?.amount ?? 0n
  owned.set(owner, [...before, { account, mint, amount: units(had + amount) }])
}

const facts = async (id = pendingIntent.id) => {
  const known = await stores.intents.facts(id)
  if (known === null) throw new Error('the intent is gone')
  return known
}
const looked = () => asked.filter((question) => question.startsWith('accounts'))

describe('a token in another account of the address of an ended payment', () => {
  test('is taken in as money that only a release moves, and leaves the status as it is', async () => {
    stores.put(intentWith(ENDED))
    lands(1, pendingIntent.address, OTHER, MINT, 500n)
    await others.check()
    const { intent, deposits } = await facts()
    expect(deposits).toMatchObject([{ account: OTHER, asset: MINT, amount: 500n, use: 'unaccepted' }])
    expect([intent.status, errors]).toEqual(['cancelled', []])
  })

  test('is explained by its own deposits: a settlement in the same token took nothing from there', async () => {
    stores.put(intentWith({ status: 'swept' }))
    const { facts: stored } = stores.intents
    stores.intents.facts = async (id) => {
      const known = await stored(id)
      return known && { ...known, transfers: [sweepOf({ status: 'done', asset: MINT })] }
    }
    lands(1, pendingIntent.address, OTHER, MINT, 500n)
    await others.check()
    asked = []
    await others.check()
    expect(asked).toEqual([`accounts of ${pendingIntent.address}`])
    lands(2, pendingIntent.address, OTHER, MINT, 7n)
    await others.check()
    expect((await facts()).deposits.map(({ amount }) => amount)).toEqual([500n, 7n])
  })

  test('is found behind any number of accounts that no transaction explains: strangers made the address their owner', async () => {
    stores.put(intentWith(ENDED))
    const handedOver = Array.from({ length: 45 }, (_, at) => ({
      account: addressNo(3_000 + at),
      mint: MINT,
      amount: units(1n),
    }))
    owned.set(pendingIntent.address, handedOver)
    lands(1, pendingIntent.address, OTHER, MINT, 500n)
    const last = addressNo(4_000)
    lands(2, pendingIntent.address, last, MINT, 7n)
    for (let round = 0; round < 3; round += 1) {
      asked = []
      await others.check()
      expect(asked.filter((question) => question.startsWith('history')).length).toBeLessThanOrEqual(20)
    }
    expect(new Set((await facts()).deposits.map(({ account }) => account))).toEqual(new Set([OTHER, last]))
  })

  test('is only recorded when it is not allowed', async () => {
    stores.put(intentWith(ENDED))
    lands(1, pendingIntent.address, OTHER, UNKNOWN_MINT, 9n)
    await others.check()
    expect((await facts()).deposits).toEqual([])
    expect(stores.unaccepted).toMatchObject([{ asset: UNKNOWN_MINT, amount: 9n }])
  })

  test('does not hide that the associated account is read elsewhere', async () => {
    stores.put(intentWith(ENDED))
    const usual = await toyKeys.tokenAccountOf(pendingIntent.address, MINT, addressNo(1))
    lands(1, pendingIntent.address, usual, MINT, 500n)
    await others.check()
    expect((await facts()).deposits).toEqual([])
  })
})

describe('a round', () => {
  const many = (count: number, status: 'pending' | 'cancelled' | 'swept' = 'cancelled') =>
    Array.from({ length: count }, (_, at) => {
      const index = 100 + at
      const address = addressNo(2_000 + at)
      stores.put(intentWith({ id: `intent-${index}`, derivationIndex: index, address, status }))
      return { id: `intent-${index}`, address }
    })

  test('looks at 25 addresses at most: twenty that have just ended, and five in turn', async () => {
    const all = many(40)
    others.note(all.slice(-21).map(({ id }) => id))
    await others.check()
    const expected = [...all.slice(-21, -1), ...all.slice(0, 5)].map(({ address }) => `accounts of ${address}`)
    expect(new Set(looked())).toEqual(new Set(expected))
    expect(looked()).toHaveLength(25)
  })

  test('asks a settled payment in turn only, so that its end costs no call', async () => {
    const all = many(10, 'swept')
    others.note(all.slice(-5).map(({ id }) => id))
    await others.check()
    expect(new Set(looked())).toEqual(new Set(all.slice(0, 5).map(({ address }) => `accounts of ${address}`)))
  })

  test('comes to every ended payment, and then begins again', async () => {
    const all = many(12)
    for (let round = 0; round < 3; round += 1) await others.check()
    expect(new Set(looked())).toEqual(new Set(all.map(({ address }) => `accounts of ${address}`)))
    asked = []
    await others.check()
    expect(looked()).toHaveLength(5)
  })

  test('leaves out payments that have not ended', async () => {
    const open = many(3, 'pending')
    others.note(open.map(({ id }) => id))
    await others.check()
    expect(asked).toEqual([])
  })

  test('goes on when one address cannot be read', async () => {
    const [first, second] = many(2)
    if (first === undefined || second === undefined) throw new Error('there are two')
    owned.get = (owner) => {
      if (owner === first.address) throw new Error('the provider is away')
      return []
    }
    await others.check()
    expect([looked().length, errors]).toEqual([2, [new Error('the provider is away')]])
  })
})
