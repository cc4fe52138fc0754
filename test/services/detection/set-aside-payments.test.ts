// A payment that cannot be taken in is read by its address, with growing pauses, until its balance is explained.
import { beforeEach, describe, expect, test } from 'vitest'
import { createSetAside, type SetAside } from '#services/detection/set-aside.ts'
import { NOW } from '../../support/payment.ts'

type Row = { reason: string; version: number; attempts: number; nextLookAt: Date }

let rows: Map<string, Row>
let now: number
let looked: string[]
let unexplained: Set<string>
let unfinished: Set<string>
let duringLook: () => Promise<void>
let setAside: SetAside

beforeEach(() => {
  rows = new Map()
  now = NOW.getTime()
  looked = []
  unexplained = new Set()
  unfinished = new Set()
  duringLook = async () => {}
  setAside = createSetAside({
    network: 'live',
    store: {
      async setAside(_network, ids, reason, _at, nextLookAt) {
        for (const id of ids) {
          const row = rows.get(id)
          rows.set(
            id,
            row ? { ...row, reason, version: row.version + 1 } : { reason, version: 1, attempts: 0, nextLookAt },
          )
        }
      },
      allSetAside: async () => [...rows.keys()],
      dueSetAside: async (_network, at, limit) =>
        [...rows]
          .filter(([, { nextLookAt }]) => nextLookAt <= at)
          .map(([intentId, { version, attempts }]) => ({ intentId, version, attempts }))
          .slice(0, limit),
      async postponeSetAside(id, attempts, nextLookAt) {
        const row = rows.get(id)
        if (row !== undefined) rows.set(id, { ...row, attempts, nextLookAt })
      },
      endSetAside: async ({ intentId, version }) => rows.get(intentId)?.version === version && rows.delete(intentId),
    },
    watcher: {
      async checkDeeply(ids) {
        looked.push(...ids)
        await duringLook()
        return {
          again: ids.filter((id) => unexplained.has(id)),
          unfinished: ids.filter((id) => unfinished.has(id)),
        }
      },
    },
    wallClock: { now: () => new Date(now) },
  })
})

async function lookAfter(ms: number): Promise<readonly string[]> {
  now += ms
  looked = []
  await setAside.look()
  return looked
}

describe('a payment that is set aside', () => {
  test('is read by its address, and is over when its balance is explained', async () => {
    await setAside.put(['a'], 'no price')
    expect([[...setAside.ids], await lookAfter(4_000), await lookAfter(1_000)]).toEqual([['a'], [], ['a']])
    expect([rows.size, setAside.ids.size]).toEqual([0, 0])
  })

  test('is read after growing pauses while nothing explains its balance', async () => {
    unexplained.add('a')
    await setAside.put(['a'], 'no price')
    let looks = 0
    for (let second = 0; second < 3_600; second += 1) looks += (await lookAfter(1_000)).length
    expect(looks).toBeGreaterThan(8)
    expect(looks).toBeLessThan(16)
    expect([...setAside.ids]).toEqual(['a'])
  })

  test('is read on every few seconds while a look gets further in its history', async () => {
    unfinished.add('a')
    await setAside.put(['a'], 'a long history')
    let looks = 0
    for (let second = 0; second < 60; second += 1) looks += (await lookAfter(1_000)).length
    expect(looks).toBe(12)
  })

  test('stays when it is set aside again while it is looked at', async () => {
    await setAside.put(['a'], 'no price')
    duringLook = () => setAside.put(['a'], 'no answer')
    expect(await lookAfter(5_000)).toEqual(['a'])
    expect([[...setAside.ids], rows.get('a')?.reason]).toEqual([['a'], 'no answer'])
  })

  test('is known again after a restart', async () => {
    await setAside.put(['a'], 'no price')
    setAside.forget()
    expect(setAside.ids.size).toBe(0)
    await setAside.load()
    expect([...setAside.ids]).toEqual(['a'])
  })
})

test('many are read in bounded rounds', async () => {
  await setAside.put(
    Array.from({ length: 50 }, (_, at) => `intent-${at}`),
    'no price',
  )
  expect([await lookAfter(5_000), await lookAfter(1_000), await lookAfter(1_000)].map(({ length }) => length)).toEqual([
    20, 20, 10,
  ])
})
