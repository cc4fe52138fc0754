// A balance is checked until it is explained.
import { describe, expect } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo, later, OTHER_MINT } from '../../../support/payment.ts'
import { tokenAccountOf } from '../../../support/toy-chain.ts'
import { lamports, SECOND, SLOT, test, tokens, type WatcherWorld, watched } from '../../../support/watcher-world.ts'

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
