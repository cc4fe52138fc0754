import { beforeEach, describe, expect } from 'vitest'
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import type { HistoryEntry, TokenBalance } from '#ports/chain.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { OtherAccounts } from '#services/detection/polling/other-accounts.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { MINT, pendingIntent } from '../../../support/example-intent.ts'
import { pageOf } from '../../../support/history-page.ts'
import { createMemoryStores, type MemoryStores } from '../../../support/memory-stores.ts'
import {
  addressNo,
  BUYER,
  context,
  intentWith,
  landed,
  later,
  NOW,
  OTHER_MINT,
  signatureNo,
  sweepOf,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../../support/toy-chain.ts'
import { lamports, SECOND, SLOT, test, tokens, type WatcherWorld, watched } from '../../../support/watcher-world.ts'

// A balance is checked until it is explained.
describe('balances', () => {
  describe('a balance', () => {
    test.beforeEach(async ({ world }) => {
      await world.load(watched(1, { acceptedAssets: [SOL, MINT], asset: SOL }), watched(2, { asset: SOL }))
      await world.run()
    })
    const TOKENS = tokenAccountOf(addressNo(1), MINT)

    test('that rose is observed, together with every other balance of the intent that rose', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n)).set(TOKENS, tokens(MINT, 7n))
      await world.run(2 * SECOND)
      expect(world.observed).toMatchObject([
        {
          intentId: 'intent-1',
          changed: [
            { account: addressNo(1), asset: SOL, balance: 5n },
            { account: TOKENS, asset: MINT, balance: 7n },
          ],
        },
      ])
    })

    test('that was explained is not observed again until it changes', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(2 * SECOND)
      await world.run(2 * SECOND)
      expect(world.observed).toEqual([])
      world.balances.set(addressNo(1), lamports(6n))
      await world.run(2 * SECOND)
      expect(world.observed).toHaveLength(1)
      // A smaller balance too: a lap landed, and another payment came after it.
      world.balances.set(addressNo(1), lamports(2n))
      await world.run(2 * SECOND)
      expect(world.observed).toHaveLength(1)
    })

    test('that a lap emptied needs no explanation, and the next payment is new', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(2 * SECOND)
      world.balances.delete(addressNo(1))
      await world.run(2 * SECOND)
      expect(world.observed).toEqual([])
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(2 * SECOND)
      expect(world.observed).toHaveLength(1)
    })

    test('that is not explained is checked again each slot, without other intents, until it is', async ({ world }) => {
      world.balances.set(addressNo(2), lamports(5n))
      world.explains = () => false
      await world.run(2 * SECOND)
      const whole = [addressNo(2), tokenAccountOf(addressNo(2), MINT)]
      for (let times = 0; times < 3; times += 1) {
        world.notify(addressNo(2))
        expect(await world.run(SLOT - 1)).toEqual([])
        expect(await world.run(1)).toEqual(whole)
        expect(world.observed).toHaveLength(1)
      }
      world.explains = () => true
      expect(await world.run(SLOT)).toEqual(whole)
      expect(await world.run()).toEqual([])
    })

    test('of another mint, or of an account that holds only rent, does not count', async ({ world }) => {
      world.balances.set(TOKENS, tokens(OTHER_MINT, 7n))
      await world.run(2 * SECOND)
      world.balances.set(TOKENS, lamports(2_039_280n))
      await world.run(2 * SECOND)
      expect(world.observed).toEqual([])
    })

    test('whose observation fails does not delay the others, and is tried again', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n)).set(addressNo(2), lamports(6n))
      const failure = new Error('no price')
      world.explains = (intentId) => {
        if (intentId === 'intent-1') throw failure
        return true
      }
      await world.run(2 * SECOND)
      expect(world.observed.map(({ intentId }) => intentId).sort()).toEqual(['intent-1', 'intent-2'])
      expect(world.errors).toEqual([[failure, 'intent-1']])
      world.explains = () => true
      expect(await world.run(SLOT)).toEqual([addressNo(1), TOKENS])
      expect(world.observed).toHaveLength(1)
      expect(await world.run()).toEqual([])
    })

    test('equal to one that a transfer took away is a new payment once the transfer is booked', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(2 * SECOND)
      world.rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'swept', version: 2 })]
      await world.watcher.refresh(['intent-1'])
      await world.run(LAP_EVERY_MS.closing)
      expect(world.observed).toMatchObject([{ intentId: 'intent-1', changed: [{ asset: SOL, balance: 5n }] }])
      await world.run(LAP_EVERY_MS.closing)
      expect(world.observed).toEqual([])
    })

    test('that was emptied is not observed when the intent changes', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(2 * SECOND)
      world.balances.delete(addressNo(1))
      world.rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'swept', version: 2 })]
      await world.watcher.refresh(['intent-1'])
      await world.run(LAP_EVERY_MS.closing)
      expect(world.observed).toEqual([])
    })

    test('explained by a transfer under way is observed again at the next lap', async ({ world }) => {
      world.leaving.add(SOL)
      world.balances.set(addressNo(1), lamports(5n)).set(TOKENS, tokens(MINT, 7n))
      await world.run(2 * SECOND)
      expect(world.observed).toHaveLength(1)
      expect(await world.run()).toEqual([])
      await world.run(2 * SECOND)
      expect(world.observed.map(({ changed }) => changed.map(({ asset }) => asset))).toEqual([[SOL]])
      world.leaving.clear()
      await world.run(2 * SECOND)
      await world.run(2 * SECOND)
      expect(world.observed).toEqual([])
    })

    test('that was explained before the intent changed is observed again after the change', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      world.whileObserving = async () => {
        world.rows = [watched(1, { acceptedAssets: [SOL, MINT], status: 'paid', version: 2 })]
        await world.watcher.refresh(['intent-1'])
      }
      await world.run(2 * SECOND)
      world.whileObserving = async () => {}
      await world.run(LAP_EVERY_MS.closing)
      expect(world.observed).toHaveLength(1)
    })
  })

  test('a balance that no check has explained for some time is reported, until a check explains it', async ({
    world,
  }) => {
    await world.load(watched(1, { asset: SOL }), watched(2, { asset: SOL }))
    world.balances.set(addressNo(1), lamports(5n))
    world.explains = () => false
    for (let second = 0; second < 60; second += 1) await world.run(SECOND)
    expect(world.watcher.unexplainedFor(50 * SECOND)).toEqual(['intent-1'])
    expect(world.watcher.unexplainedFor(70 * SECOND)).toEqual([])
    world.explains = () => true
    for (let second = 0; second < 20; second += 1) await world.run(SECOND)
    expect(world.watcher.unexplainedFor(0)).toEqual([])
  })

  test('a balance that nothing explains is checked less and less often, but at least every ten seconds', async ({
    world,
  }) => {
    await world.load(watched(1, { status: 'swept', updatedAt: later(-86_400) }))
    world.balances.set(addressNo(1), lamports(5n))
    world.explains = () => false
    let checks = 0
    const checksIn = async (ms: number) => {
      checks = 0
      for (let passed = 0; passed < ms; passed += SLOT) checks += (await world.run(SLOT)).length
      return checks
    }
    expect(await checksIn(8 * SLOT)).toBe(8)
    await checksIn(60 * SECOND)
    expect(await checksIn(100 * SECOND)).toBe(10)
  })

  test('a balance that nothing explains rests no longer when the clock was set back', async ({ world }) => {
    await world.load(watched(1, { status: 'swept', updatedAt: later(-86_400) }))
    world.balances.set(addressNo(1), lamports(5n))
    world.explains = () => false
    expect(await world.run()).toEqual([addressNo(1)])
    expect(await world.run(SLOT / 2)).toEqual([])
    expect(await world.run(-86_400 * SECOND)).toEqual([addressNo(1)])
  })

  describe('an intent whose history is longer than a quick check may read', () => {
    const long = 'intent-1'
    test.beforeEach(async ({ world }) => {
      world.rows = [1, 2, 3, 4].map((index) => watched(index, { asset: SOL }))
      await world.watcher.reload()
      world.balances.set(addressNo(1), lamports(5n))
      world.overflows = (intentId) => intentId === long
      world.watcher.readAll()
      await world.run()
    })
    const backlog = async (world: WatcherWorld) => {
      world.reads = []
      world.observed = []
      world.budgets = []
      await world.watcher.readBacklog()
      return world.reads.flat()
    }

    test('is left out of every run and checked in the backlog only, with a larger budget', async ({ world }) => {
      const [quick] = world.budgets
      expect(await world.run(LAP_EVERY_MS.busy)).toEqual([2, 3, 4].map(addressNo))
      world.notify(addressNo(1))
      expect(await world.run(SLOT)).toEqual([])
      expect(await backlog(world)).toEqual([addressNo(1)])
      expect(world.budgets[0]?.transactions).toBeGreaterThan(quick?.transactions ?? 0)
      expect(world.watcher.unexplained).toEqual(new Set(['intent-1']))
    })

    test('returns to its pace when its balance is explained', async ({ world }) => {
      world.overflows = () => false
      await backlog(world)
      expect(await backlog(world)).toEqual([])
      expect(world.watcher.unexplained).toEqual(new Set())
      expect(await world.run(LAP_EVERY_MS.busy)).toContain(addressNo(1))
      expect(world.observed).toEqual([])
    })

    test('leaves the backlog when all of its history is read and explains nothing', async ({ world }) => {
      world.overflows = () => false
      world.explains = () => false
      await backlog(world)
      expect(await backlog(world)).toEqual([])
      expect(await world.run(SLOT)).toEqual([addressNo(1)])
      expect(world.observed).toHaveLength(1)
    })

    test('takes turns with the others, and one round checks a bounded number', async ({ world }) => {
      for (const index of [2, 3, 4]) world.balances.set(addressNo(index), lamports(5n))
      world.overflows = () => true
      await world.run(LAP_EVERY_MS.busy)
      const rounds = [await backlog(world), await backlog(world), await backlog(world)]
      expect(rounds).toEqual(
        [
          [1, 2],
          [3, 4],
          [1, 2],
        ].map((indexes) => indexes.map(addressNo)),
      )
    })

    test('moves behind the others when the chain cannot be read', async ({ world }) => {
      for (const index of [2, 3, 4]) world.balances.set(addressNo(index), lamports(5n))
      world.overflows = () => true
      await world.run(LAP_EVERY_MS.busy)
      world.away = new Error('every provider is away')
      await expect(world.watcher.readBacklog()).rejects.toThrow('away')
      world.away = null
      expect(await backlog(world)).toEqual([3, 4].map(addressNo))
    })
  })

  describe('a chain that cannot be read', () => {
    test.beforeEach(async ({ world }) => {
      await world.load(watched(1, { asset: SOL }), watched(2, { status: 'swept', updatedAt: later(-86_400) }))
    })
    const fail = async (world: WatcherWorld) => {
      world.away = new Error('every provider is away')
      await expect(world.watcher.runOnce()).rejects.toThrow('every provider is away')
      world.away = null
    }

    test('makes every pace due again as soon as a busy one', async ({ world }) => {
      await fail(world)
      expect(await world.run(LAP_EVERY_MS.busy)).toEqual([addressNo(1), addressNo(2)])
    })

    test('keeps the account notices for the next run', async ({ world }) => {
      await world.run()
      world.notify(addressNo(1))
      await fail(world)
      expect(await world.run()).toEqual([addressNo(1)])
    })

    test('keeps the balances that are not explained', async ({ world }) => {
      world.explains = () => false
      world.balances.set(addressNo(2), lamports(5n))
      await world.run()
      world.now += SLOT
      await fail(world)
      expect(await world.run()).toEqual([addressNo(2)])
      expect(world.observed).toHaveLength(1)
    })
  })
})

// Tokens in other accounts of deposit addresses than those that are watched.
describe('other accounts', () => {
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
})
