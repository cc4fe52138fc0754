// A late address is checked once by its balance. Before that, the cursor may not move.
import { beforeEach, describe, expect, test } from 'vitest'
import type { WatchedAddress } from '#ports/deposit-sources.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import { LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { addressNo, intentWith, later, NOW } from '../../../support/payment.ts'

/** With the time at which the payment has ended; null while it is open. */
let rows: (WatchedAddress & { readonly endedAt: Date | null })[]
let known: Set<string>
let checked: (readonly string[])[]
let unexplained: (ids: readonly string[]) => readonly string[]
let setAside: string[]
let readTo: Date | null
/** The slot from which on a balance counts, for each check. */
let notBefore: (bigint | undefined)[]
let now: number
let lateAddresses: LateAddresses

const row = (index: number, createdAt = NOW, endedAt: Date | null = null) => ({
  intentId: `intent-${index}`,
  address: addressNo(index),
  derivationIndex: index,
  createdAt,
  endedAt,
})
beforeEach(() => {
  rows = []
  known = new Set()
  checked = []
  notBefore = []
  setAside = []
  unexplained = () => []
  readTo = NOW
  now = NOW.getTime()
  lateAddresses = new LateAddresses({
    network: 'live',
    source: {
      watch(addresses) {
        const fresh = addresses.filter((address) => !known.has(address))
        for (const address of fresh) known.add(address)
        return fresh
      },
    },
    store: {
      addresses: async (_network, { afterIndex, limit, endedSince }) =>
        rows
          .filter(({ endedAt }) => endedAt === null || endedSince === null || endedAt > endedSince)
          .filter(({ derivationIndex }) => derivationIndex > afterIndex)
          .slice(0, limit),
    },
    intents: {
      watched: async (ids) =>
        rows
          .filter(({ intentId }) => ids.includes(intentId))
          .map((one): WatchedIntent => {
            const { intentId: id, address, derivationIndex, createdAt } = one
            return { ...intentWith({ id, address, derivationIndex, createdAt }), asset: null }
          }),
    },
    watcher: {
      async checkOnce(ids, from) {
        checked.push(ids)
        notBefore.push(from)
        return unexplained(ids)
      },
    },
    setAside: { put: async (ids) => void setAside.push(...ids) },
    readTo: () => readTo,
    readToSlot: () => 900n,
    wallClock: { now: () => new Date(now) },
  })
})
/** Whether every payment is known. */
const isComplete = () => lateAddresses.knowsAll && lateAddresses.late.size === 0
/** Checks once. Returns the intents that were checked. */
async function check(): Promise<readonly string[]> {
  checked = []
  await lateAddresses.check()
  return checked.flat()
}

describe('at the start', () => {
  test('every address is added, in pages, also the addresses of ended payments', async () => {
    rows = Array.from({ length: 45_000 }, (_, at) => row(at + 1, NOW, at % 2 === 0 ? NOW : null))
    await lateAddresses.load(null)
    expect(known.size).toBe(45_000)
    expect(await check()).toEqual([])
  })

  test('addresses whose notice the last reader may have missed are checked', async () => {
    rows = [row(1, later(-600)), row(2, later(-179)), row(3, later(10))]
    await lateAddresses.load(NOW)
    expect(isComplete()).toBe(false)
    expect(await check()).toEqual(['intent-2', 'intent-3'])
    expect(isComplete()).toBe(true)
    expect(await check()).toEqual([])
  })
})

describe('a new address', () => {
  beforeEach(() => lateAddresses.load(null))

  test('that is added before any block could pay it needs no check', async () => {
    rows = [row(1, later(13))]
    await lateAddresses.add(['intent-1'])
    expect([known.size, await check()]).toEqual([1, []])
  })

  test('that is added too late is checked once', async () => {
    rows = [row(1, later(4))]
    await lateAddresses.add(['intent-1'])
    await lateAddresses.add(['intent-1'])
    expect(isComplete()).toBe(false)
    expect(await check()).toEqual(['intent-1'])
    expect(await check()).toEqual([])
  })

  test('is checked with balances that contain every block that was read', async () => {
    rows = [row(1)]
    await lateAddresses.add(['intent-1'])
    await check()
    expect(notBefore).toEqual([900n])
  })

  test('is checked when it is not known how far blocks are read', async () => {
    readTo = null
    rows = [row(1, later(600))]
    await lateAddresses.add(['intent-1'])
    expect(await check()).toEqual(['intent-1'])
  })

  test('is checked until its balance is explained', async () => {
    rows = [row(1)]
    await lateAddresses.add(['intent-1'])
    unexplained = (ids) => ids
    expect(await check()).toEqual(['intent-1'])
    expect(isComplete()).toBe(false)
    unexplained = () => []
    expect(await check()).toEqual(['intent-1'])
    expect(isComplete()).toBe(true)
  })

  test('that stays unexplained for half a minute is set aside, and is late no more', async () => {
    rows = [row(1), row(2)]
    await lateAddresses.add(['intent-1', 'intent-2'])
    unexplained = () => ['intent-1']
    await check()
    now += 29_000
    await check()
    expect([isComplete(), setAside]).toEqual([false, []])
    now += 1_000
    await check()
    expect([isComplete(), setAside]).toEqual([true, ['intent-1']])
    expect(await check()).toEqual([])
  })

  test('that stays unexplained moves behind the others', async () => {
    rows = Array.from({ length: 600 }, (_, at) => row(at + 1))
    await lateAddresses.add(rows.map(({ intentId }) => intentId))
    unexplained = (ids) => ids
    await check()
    expect((await check()).slice(0, 100)).toEqual(rows.slice(500).map(({ intentId }) => intentId))
  })

  test('whose notice was lost is found and checked when it catches up', async () => {
    rows = [row(1)]
    await lateAddresses.catchUp()
    expect(await check()).toEqual(['intent-1'])
  })

  test('whose notice was lost is found when it catches up, although its payment has ended meanwhile', async () => {
    now += 4 * 60_000
    await lateAddresses.catchUp()
    rows = [row(1, later(245), later(250)), row(2, NOW, later(30))]
    readTo = later(300)
    now += 60_000
    await lateAddresses.catchUp()
    expect(await check()).toEqual(['intent-1'])
  })
})

test('many late addresses are checked in bounded rounds', async () => {
  rows = Array.from({ length: 1_200 }, (_, at) => row(at + 1))
  await lateAddresses.load(NOW)
  expect((await check()).length).toBe(500)
  expect((await check()).length).toBe(500)
  expect((await check()).length).toBe(200)
})

test('without catching up for minutes, addresses may be unknown', async () => {
  await lateAddresses.load(null)
  now += 149_000
  expect(isComplete()).toBe(true)
  now += 2_000
  expect(isComplete()).toBe(false)
  await lateAddresses.catchUp()
  expect(isComplete()).toBe(true)
  lateAddresses.forget()
  expect(isComplete()).toBe(false)
})
