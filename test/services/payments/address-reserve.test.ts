import { describe, expect, test } from 'vitest'
import type { KeyPath } from '#core/chain/keys.ts'
import { createAddressReserve } from '#services/payments/address-reserve.ts'
import { createIndexAllocator } from '#services/payments/create.ts'
import { addressNo } from '../../support/payment.ts'

describe('a reserve of addresses', () => {
  const SHOP = { network: 'live', index: 7 } as const
  const addressOf = (path: KeyPath) => addressNo(path.branch === 'deposit' ? 1_000_000 * path.account + path.intent : 0)

  /** Counts the addresses that were derived at once on the calling thread, and the batches of the other. */
  function reserve({ answers = true }: { readonly answers?: boolean } = {}) {
    let index = 0
    let here = 0
    const batches: number[] = []
    const next = createAddressReserve({
      nextIndex: async () => {
        index += 1
        return index
      },
      keys: {
        addressOf(path) {
          here += 1
          return addressOf(path)
        },
      },
      async deriveAddresses(network, account, indexes) {
        batches.push(indexes.length)
        if (!answers) throw new Error('the thread ended')
        return indexes.map((intent) => addressOf({ network, branch: 'deposit', account, intent }))
      },
    })
    return { next, here: () => here, batches }
  }

  type Reserve = ReturnType<typeof reserve>

  /** `count` creates, spread over time evenly. */
  async function creates({ next }: Reserve, count: number, everyMs: number, account = SHOP) {
    const issued = []
    for (let at = 0; at < count; at += 1) issued.push(await next(account, at * everyMs))
    return issued
  }

  test('each index is issued once, with its own address of its own account, by many creates at once', async () => {
    const busy = reserve()
    const other = { network: 'test', index: 8 } as const
    const waves = []
    for (let wave = 0; wave < 20; wave += 1)
      waves.push(
        ...(await Promise.all(
          Array.from({ length: 100 }, async (_, at) => {
            const account = at % 2 === 0 ? SHOP : other
            return { account, ...(await busy.next(account, wave)) }
          }),
        )),
      )
    expect(new Set(waves.map(({ derivationIndex }) => derivationIndex)).size).toBe(2_000)
    for (const { account, derivationIndex, address } of waves)
      expect(address).toBe(
        addressOf({ network: account.network, branch: 'deposit', account: account.index, intent: derivationIndex }),
      )
  })

  test('an account with fewer than 64 creates a second derives each address when it is needed, and none ahead', async () => {
    const quiet = reserve()
    await creates(quiet, 500, 16)
    expect(quiet.batches).toEqual([])
    expect(quiet.here()).toBe(500)
  })

  test('a busy account derives 256 addresses at once on the other thread, and none but the first here', async () => {
    const busy = reserve()
    await creates(busy, 2_000, 0)
    expect(new Set(busy.batches)).toEqual(new Set([256]))
    expect(busy.here()).toBeLessThan(70)
    expect(256 * busy.batches.length - 2_000).toBeLessThan(512)
  })

  test('an account that is no longer busy uses what was derived before it derives another', async () => {
    const busy = reserve()
    await creates(busy, 200, 0)
    const before = busy.here()
    for (let at = 1; at <= 100; at += 1) await busy.next(SHOP, at * 1_000)
    expect(busy.here()).toBe(before)
  })

  test('when the other thread fails, each create derives its own address', async () => {
    const failing = reserve({ answers: false })
    const issued = await creates(failing, 500, 0)
    expect(new Set(issued.map(({ address }) => address)).size).toBe(500)
    expect(failing.batches.length).toBeGreaterThan(1)
  })
})

describe('derivation indexes', () => {
  function allocator(answer: (block: number) => Promise<void> = async () => {}) {
    let next = 1
    let blocks = 0
    let largest = 0
    const allocate = createIndexAllocator({
      async reserveIndexes(count) {
        blocks += 1
        largest = Math.max(largest, count)
        await answer(blocks)
        return Array.from({ length: count }, () => next++)
      },
    })
    return { allocate, blocks: () => blocks, largest: () => largest, reserved: () => next - 1 }
  }

  test('are returned once each, also to concurrent requests', async () => {
    const { allocate, blocks } = allocator()
    const indexes = await Promise.all(Array.from({ length: 1_000 }, allocate))
    expect(new Set(indexes).size).toBe(1_000)
    expect(Math.min(...indexes)).toBe(1)
    expect(blocks()).toBeLessThan(12)
  })

  test('are reserved in blocks, and the next block is fetched before it is needed', async () => {
    const { allocate, blocks } = allocator()
    for (let count = 0; count < 16; count += 1) await allocate()
    expect(blocks()).toBe(1)
    await allocate()
    expect(blocks()).toBe(2)
  })

  test('are reserved in blocks that grow with the use: small at first, and about a thousand at most', async () => {
    const { allocate, blocks, largest, reserved } = allocator()
    for (let used = 1; used <= 20_000; used += 1) {
      await allocate()
      expect(reserved() - used).toBeLessThanOrEqual(Math.max(64, 2 * used))
    }
    expect(largest()).toBe(1_024)
    expect(blocks()).toBeLessThan(40)
  })

  test('are not blocked by a prefetch that failed', async () => {
    const { allocate, blocks } = allocator(async (block) => {
      if (block === 2) throw new Error('the database is away')
    })
    const indexes: number[] = []
    for (let count = 0; count < 200; count += 1) indexes.push(await allocate())
    expect(new Set(indexes).size).toBe(200)
    expect(blocks()).toBeGreaterThan(2)
  })

  test('fail for each request that finds none left, and return when the database does', async () => {
    let away = true
    const { allocate } = allocator(async () => {
      if (away) throw new Error('the database is away')
    })
    await expect(Promise.all([allocate(), allocate()])).rejects.toThrow('the database is away')
    away = false
    expect(await allocate()).toBe(1)
  })
})
