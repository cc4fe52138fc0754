// Every address is read at its pace, within the budget of calls.
import { describe, expect } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo, later, OTHER_MINT } from '../../../support/payment.ts'
import { HOUR, lamports, SECOND, SLOT, test, type WatcherWorld, watched } from '../../../support/watcher-world.ts'

describe('the paces', () => {
  test('are each read when they are due, and not before', async ({ world }) => {
    world.rows = [
      watched(1, { asset: SOL }),
      watched(2),
      watched(3, { status: 'swept', updatedAt: later(-600) }),
      watched(4, { status: 'swept', updatedAt: later(-86_400) }),
    ]
    await world.watcher.reload()
    expect(await world.run()).toHaveLength(4)
    const seen: Record<number, number> = { 1: 0, 2: 0, 3: 0, 4: 0 }
    for (let second = 1; second <= 3_600; second += 1) {
      for (const account of await world.run(SECOND))
        for (const index of [1, 2, 3, 4]) if (account === addressNo(index)) seen[index] = (seen[index] ?? 0) + 1
    }
    expect(seen).toEqual({
      1: HOUR / LAP_EVERY_MS.busy,
      2: HOUR / LAP_EVERY_MS.idle,
      3: HOUR / LAP_EVERY_MS.ended,
      4: 1,
    })
  })

  test('are all read at once when the clock was set back by a day, and then at their pace', async ({ world }) => {
    await world.load(watched(1, { asset: SOL }), watched(2, { status: 'swept', updatedAt: later(-3 * 86_400) }))
    expect(await world.run()).toHaveLength(2)
    expect(await world.run(-86_400 * SECOND)).toEqual([1, 2].map(addressNo))
    expect(await world.run(SECOND)).toEqual([])
    expect(await world.run(SECOND)).toEqual([addressNo(1)])
  })

  test.for([
    [1, []],
    [100, []],
    [100, [MINT]],
    [333, [MINT, OTHER_MINT]],
    [1_000, [MINT]],
    [10_000, [MINT, OTHER_MINT]],
  ] satisfies [number, Asset[]][])(
    'read %d intents with tokens %j in full calls',
    async ([count, accepted], { world }) => {
      world.rows = Array.from({ length: count }, (_, at) =>
        watched(at + 1, { acceptedAssets: [SOL, ...accepted], asset: at % 3 === 0 ? SOL : null }),
      )
      world.start(100_000)
      await world.watcher.reload()
      await world.run()
      const floor = Math.ceil((count * (1 + accepted.length)) / 100)
      expect(world.calls).toBeLessThanOrEqual(1.1 * floor)
      expect(new Set(world.reads.flat()).size).toBe(count * (1 + accepted.length))
      await world.run()
      expect(world.calls).toBe(0)
    },
  )

  test('are read less often when they have more accounts than the budget allows', async ({ world }) => {
    world.rows = Array.from({ length: 1_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    world.start(60)
    await world.watcher.reload()
    await world.run()
    expect(world.calls).toBe(10)
    expect(await world.run(9_400)).toEqual([])
    await world.run(600)
    expect(world.calls).toBe(10)
  })

  test('keep to the budget together', async ({ world }) => {
    world.rows = Array.from({ length: 2_000 }, (_, at) => watched(at + 1, { asset: at % 2 === 0 ? SOL : null }))
    world.start(60)
    await world.watcher.reload()
    await world.run()
    let calls = 0
    for (let second = 0; second < 600; second += 1) {
      await world.run(SECOND)
      calls += world.calls
    }
    expect(calls).toBeGreaterThan(0.85 * 600)
    expect(calls).toBeLessThanOrEqual(600)
  })

  test('of ended intents do not slow down a busy intent, however many a stranger pays a lamport to', async ({
    world,
  }) => {
    world.rows = [
      watched(1, { asset: SOL }),
      ...Array.from({ length: 10_000 }, (_, at) => watched(at + 2, { status: 'swept' })),
    ]
    world.start(60)
    await world.watcher.reload()
    await world.run()
    const seen = { busy: 0, ended: 0, calls: 0 }
    for (let second = 0; second < 60; second += 1) {
      const read = await world.run(SECOND)
      seen.calls += world.calls
      seen.busy += Number(read.includes(addressNo(1)))
      seen.ended += read.length
    }
    expect(seen.busy).toBe(30)
    // The others get what is left of the budget.
    expect(seen.ended).toBeGreaterThan(2_000)
    expect(seen.calls).toBeLessThanOrEqual(120)
  })

  test('that are empty count as read, however many accounts the others have', async ({ world }) => {
    world.rows = Array.from({ length: 2_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    world.start(60)
    await world.watcher.reload()
    for (let second = 0; second < 120; second += 1) await world.run(SECOND)
    expect(world.watcher.unexplained).not.toBeNull()
  })

  test('of intents that can be paid leave a fifth of the budget to the others', async ({ world }) => {
    const busy = Array.from({ length: 1_000 }, (_, at) => watched(at + 1, { asset: SOL }))
    const ended = Array.from({ length: 1_000 }, (_, at) => watched(at + 1_001, { status: 'swept' }))
    world.rows = [...busy, ...ended]
    world.start(60)
    await world.watcher.reload()
    await world.run()
    const calls = { busy: 0, ended: 0 }
    for (let second = 0; second < 600; second += 1) {
      const read = new Set(await world.run(SECOND))
      calls.busy += busy.filter(({ address }) => read.has(address)).length / 100
      calls.ended += ended.filter(({ address }) => read.has(address)).length / 100
    }
    expect(calls.busy).toBeGreaterThan(440)
    expect(calls.busy).toBeLessThanOrEqual(480)
    expect(calls.ended).toBeGreaterThan(100)
    expect(calls.ended).toBeLessThanOrEqual(120)
  })

  test('change with the time since an intent ended', async ({ world }) => {
    await world.load(watched(1, { status: 'swept' }))
    await world.run()
    expect(await world.run(LAP_EVERY_MS.closing)).toEqual([addressNo(1)])
    await world.run(600 * SECOND)
    expect(await world.run(LAP_EVERY_MS.closing)).toEqual([])
    expect(await world.run(23 * HOUR)).toEqual([addressNo(1)])
    await world.run(HOUR)
    expect(await world.run(61 * SECOND)).toEqual([])
    expect(await world.run(HOUR)).toEqual([addressNo(1)])
  })
})

describe('thousands of addresses of ended intents', () => {
  const COUNT = 10_000
  const CALLS_OF_A_SLICE = 20
  const all = Array.from({ length: COUNT }, (_, at) => addressNo(at + 2))
  const ended = { status: 'swept', updatedAt: later(-3 * 86_400) } as const
  const seconds = async (world: WatcherWorld, count: number) => {
    const read: Address[] = []
    for (let second = 0; second < count; second += 1) read.push(...(await world.run(SECOND)))
    return read
  }
  const oldOnes = (accounts: readonly Address[]) => accounts.filter((account) => account !== addressNo(1)).toSorted()
  test.beforeEach(async ({ world }) => {
    await world.load(watched(1, { asset: SOL }), ...all.map((_, at) => watched(at + 2, ended)))
    await seconds(world, 2)
  })

  test('are read in batches, each address once an hour', async ({ world }) => {
    const read = [...(await world.run(HOUR))]
    expect(world.calls).toBe(CALLS_OF_A_SLICE + 1)
    read.push(...(await seconds(world, 4)))
    expect(oldOnes(read)).toEqual(all.toSorted())
    await world.run(HOUR - 5 * SECOND)
    expect(world.reads.flat()).toEqual([addressNo(1)])
    await world.run(SECOND)
    await world.run(4 * SECOND)
    expect(world.calls).toBe(CALLS_OF_A_SLICE + 1)
  })

  test('do not delay a busy intent: each round reads its balance first', async ({ world }) => {
    world.balances.set(addressNo(1), lamports(5n))
    const readsBefore: number[] = []
    world.whileObserving = async () => void readsBefore.push(world.reads.length)
    await world.run(HOUR)
    expect(readsBefore).toEqual([1])
    expect(world.reads[0]).toHaveLength(100)
    world.notify(addressNo(1))
    await world.run(SECOND)
    expect(world.reads[0]).toContain(addressNo(1))
    expect(world.reads[0]).toHaveLength(100)
  })

  test('that cannot be read do not fail a busy intent, and only their batch is read again', async ({ world }) => {
    const broken = addressNo(1_500)
    world.whileReading = async () => {
      if (world.reads.at(-1)?.includes(broken)) throw new Error('one call of twenty failed')
    }
    world.balances.set(addressNo(1), lamports(5n))
    await expect(world.run(HOUR)).rejects.toThrow('one call of twenty failed')
    expect(world.observed).toMatchObject([{ intentId: 'intent-1' }])
    world.balances.set(addressNo(1), lamports(6n))
    // The failed batch waits for two seconds, and the busy intent does not.
    world.notify(addressNo(1))
    expect(await world.run(SECOND)).toEqual([addressNo(1)])
    expect(world.observed).toHaveLength(1)
    world.whileReading = async () => {}
    await world.run(SECOND)
    expect(world.reads.flat()).toContain(broken)
    expect(world.calls).toBe(CALLS_OF_A_SLICE + 1)
  })

  test('are all read before a lap is complete, in larger batches', async ({ world }) => {
    world.watcher.readAll()
    const read = [...(await world.run())]
    expect(world.calls).toBe(4 * CALLS_OF_A_SLICE + 1)
    expect(world.watcher.unexplained).toBeNull()
    read.push(...(await world.run(SECOND)))
    expect(world.watcher.unexplained).toEqual(new Set())
    expect(oldOnes(read)).toEqual(all.toSorted())
  })

  test('are read in a complete lap also when an intent moves to a pace that was read', async ({ world }) => {
    world.watcher.readAll()
    await world.run()
    world.rows = [watched(COUNT + 1, { status: 'refunding', version: 2 })]
    await world.watcher.refresh([`intent-${COUNT + 1}`])
    expect(await world.run(SECOND)).toContain(addressNo(COUNT + 1))
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('are checked as they are when their batch is read', async ({ world }) => {
    world.balances.set(addressNo(COUNT), lamports(5n))
    await world.run(HOUR)
    await seconds(world, 4)
    world.watcher.readAll()
    await world.run()
    world.rows = [watched(COUNT, { ...ended, version: 2 })]
    await world.watcher.refresh([`intent-${COUNT}`])
    await world.run(SECOND)
    expect(world.observed).toMatchObject([{ intentId: `intent-${COUNT}` }])
  })
})

describe('reading everything', () => {
  test.beforeEach(async ({ world }) => {
    await world.load(watched(1), watched(2, { status: 'swept', updatedAt: later(-86_400) }))
    await world.run()
    world.watcher.readAll()
  })

  test('is complete when every address was read and every balance is explained', async ({ world }) => {
    world.balances.set(addressNo(2), lamports(5n))
    world.explains = () => false
    expect(world.watcher.unexplained).toBeNull()
    expect(await world.run(1)).toEqual([addressNo(1), addressNo(2)])
    expect(world.watcher.unexplained).toEqual(new Set(['intent-2']))
    world.explains = () => true
    await world.run(SLOT)
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('completes while notices keep arriving', async ({ world }) => {
    world.rows = [watched(1, { asset: SOL }), ...world.rows.slice(1)]
    await world.watcher.refresh(['intent-1'])
    await world.run(1)
    world.notify(addressNo(1))
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('counts an intent that rests as unexplained until a check explains it', async ({ world }) => {
    world.balances.set(addressNo(2), lamports(5n))
    world.explains = () => false
    await world.run(HOUR)
    world.watcher.readAll()
    expect(await world.run(SLOT / 2)).toEqual([addressNo(1)])
    expect(world.watcher.unexplained).toEqual(new Set(['intent-2']))
    world.explains = () => true
    await world.run(SLOT / 2)
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('counts an intent in the backlog as unexplained until a check explains it', async ({ world }) => {
    world.balances.set(addressNo(2), lamports(5n))
    world.overflows = () => true
    await world.run(HOUR)
    world.watcher.readAll()
    expect(await world.run()).toEqual([addressNo(1)])
    expect(world.watcher.unexplained).toEqual(new Set(['intent-2']))
    world.overflows = () => false
    await world.watcher.readBacklog()
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('reads every intent after a reload, although it rested or was in the backlog', async ({ world }) => {
    for (const index of [1, 2]) world.balances.set(addressNo(index), lamports(5n))
    world.explains = () => false
    world.overflows = (intentId) => intentId === 'intent-2'
    await world.run(HOUR)
    world.watcher.forget()
    await world.watcher.reload()
    world.watcher.readAll()
    expect(new Set(await world.run())).toEqual(new Set([1, 2].map(addressNo)))
  })

  test('is not completed by a lap that began before', async ({ world }) => {
    world.balances.set(addressNo(2), lamports(5n))
    world.whileObserving = async () => world.watcher.readAll()
    await world.run(HOUR)
    expect(world.watcher.unexplained).toBeNull()
    world.whileObserving = async () => {}
    expect(await world.run()).toEqual([addressNo(1), addressNo(2)])
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('is not put off by a lap that began before and fails', async ({ world }) => {
    world.whileReading = async () => {
      world.watcher.readAll()
      throw new Error('every provider is away')
    }
    await expect(world.watcher.runOnce()).rejects.toThrow('away')
    world.whileReading = async () => {}
    expect(await world.run()).toEqual([addressNo(1), addressNo(2)])
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('reads every pace, also when it is asked for while intents move to the pace of their age', async ({ world }) => {
    world.rows = [watched(3, { status: 'swept' })]
    await world.watcher.refresh(['intent-3'])
    await world.run()
    world.whileReadingTokens = async () => world.watcher.readAll()
    world.now += 60 * SECOND
    await world.watcher.runOnce()
    world.whileReadingTokens = async () => {}
    await world.run(1)
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('does not count the check of an intent that it left out when that check began before', async ({ world }) => {
    world.balances.set(addressNo(2), lamports(5n))
    world.overflows = () => true
    await world.run(HOUR)
    world.overflows = () => false
    world.whileObserving = async () => {
      world.watcher.readAll()
      expect(await world.run()).toEqual([addressNo(1)])
    }
    await world.watcher.readBacklog()
    expect(world.watcher.unexplained).toEqual(new Set(['intent-2']))
    expect(await world.run()).toEqual([addressNo(2)])
    expect(world.watcher.unexplained).toEqual(new Set())
  })

  test('is not completed by a lap that failed', async ({ world }) => {
    world.away = new Error('every provider is away')
    await expect(world.watcher.runOnce()).rejects.toThrow('away')
    world.away = null
    expect(world.watcher.unexplained).toBeNull()
  })
})
