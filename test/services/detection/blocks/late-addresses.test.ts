// An address that joins late is looked at by itself, once; before that, the cursor may not move.
import { beforeEach, describe, expect, test } from 'vitest'
import type { WatchedAddress } from '#ports/deposit-sources.ts'
import type { WatchedIntent } from '#ports/stores.ts'
import { createLateAddresses, type LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { addressNo, intentWith, later, NOW } from '../../../support/payment.ts'

let rows: (WatchedAddress & { readonly open: boolean })[]
let known: Set<string>
let looked: (readonly string[])[]
let unexplained: (ids: readonly string[]) => readonly string[]
let setAside: string[]
let readTo: Date | null
let now: number
let lateAddresses: LateAddresses

const row = (index: number, createdAt = NOW, open = true) => ({
  intentId: `intent-${index}`,
  address: addressNo(index),
  derivationIndex: index,
  createdAt,
  open,
})
beforeEach(() => {
  rows = []
  known = new Set()
  looked = []
  setAside = []
  unexplained = () => []
  readTo = NOW
  now = NOW.getTime()
  lateAddresses = createLateAddresses({
    network: 'live',
    source: {
      watch(addresses) {
        const fresh = addresses.filter((address) => !known.has(address))
        for (const address of fresh) known.add(address)
        return fresh
      },
    },
    store: {
      addresses: async (_network, { afterIndex, limit, open }) =>
        rows.filter((one) => one.derivationIndex > afterIndex && (one.open || !open)).slice(0, limit),
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
      async checkOnce(ids) {
        looked.push(ids)
        return unexplained(ids)
      },
    },
    setAside: { put: async (ids) => void setAside.push(...ids) },
    readTo: () => readTo,
    wallClock: { now: () => new Date(now) },
  })
})
/** Whether nothing that was paid can be unknown. */
const isComplete = () => lateAddresses.knowsAll && lateAddresses.late.size === 0
/** Who is looked at now. */
async function look(): Promise<readonly string[]> {
  looked = []
  await lateAddresses.look()
  return looked.flat()
}

describe('at the start', () => {
  test('everybody is searched for, in pages, also whose payment is over', async () => {
    rows = Array.from({ length: 45_000 }, (_, at) => row(at + 1, NOW, at % 2 === 0))
    await lateAddresses.load(null)
    expect(known.size).toBe(45_000)
    expect(await look()).toEqual([])
  })

  test('those whose notice the last reader may have missed are looked at', async () => {
    rows = [row(1, later(-600)), row(2, later(-179)), row(3, later(10))]
    await lateAddresses.load(NOW)
    expect(isComplete()).toBe(false)
    expect(await look()).toEqual(['intent-2', 'intent-3'])
    expect(isComplete()).toBe(true)
    expect(await look()).toEqual([])
  })
})

describe('a new address', () => {
  beforeEach(() => lateAddresses.load(null))

  test('that is known before any block could pay it needs no look', async () => {
    rows = [row(1, later(13))]
    await lateAddresses.join(['intent-1'])
    expect([known.size, await look()]).toEqual([1, []])
  })

  test('that is known too late is looked at once', async () => {
    rows = [row(1, later(4))]
    await lateAddresses.join(['intent-1'])
    await lateAddresses.join(['intent-1'])
    expect(isComplete()).toBe(false)
    expect(await look()).toEqual(['intent-1'])
    expect(await look()).toEqual([])
  })

  test('is looked at when nobody knows how far blocks are read', async () => {
    readTo = null
    rows = [row(1, later(600))]
    await lateAddresses.join(['intent-1'])
    expect(await look()).toEqual(['intent-1'])
  })

  test('is looked at until its balance is explained', async () => {
    rows = [row(1)]
    await lateAddresses.join(['intent-1'])
    unexplained = (ids) => ids
    expect(await look()).toEqual(['intent-1'])
    expect(isComplete()).toBe(false)
    unexplained = () => []
    expect(await look()).toEqual(['intent-1'])
    expect(isComplete()).toBe(true)
  })

  test('that stays unexplained for half a minute is set aside, and nothing waits for it any more', async () => {
    rows = [row(1), row(2)]
    await lateAddresses.join(['intent-1', 'intent-2'])
    unexplained = () => ['intent-1']
    await look()
    now += 29_000
    await look()
    expect([isComplete(), setAside]).toEqual([false, []])
    now += 1_000
    await look()
    expect([isComplete(), setAside]).toEqual([true, ['intent-1']])
    expect(await look()).toEqual([])
  })

  test('that stays unexplained lets the others be looked at first', async () => {
    rows = Array.from({ length: 600 }, (_, at) => row(at + 1))
    await lateAddresses.join(rows.map(({ intentId }) => intentId))
    unexplained = (ids) => ids
    await look()
    expect((await look()).slice(0, 100)).toEqual(rows.slice(500).map(({ intentId }) => intentId))
  })

  test('that no notice told of is found when the open ones are read, and looked at', async () => {
    rows = [row(1), row(2, NOW, false)]
    await lateAddresses.catchUp()
    expect(await look()).toEqual(['intent-1'])
  })
})

test('many who join late are looked at a number at a time', async () => {
  rows = Array.from({ length: 1_200 }, (_, at) => row(at + 1))
  await lateAddresses.load(NOW)
  expect((await look()).length).toBe(500)
  expect((await look()).length).toBe(500)
  expect((await look()).length).toBe(200)
})

test('who has not read the open ones for minutes may have missed some', async () => {
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
