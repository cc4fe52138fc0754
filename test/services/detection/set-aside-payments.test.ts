// The balance of a payment that cannot be taken in is checked after growing pauses, until it is explained.
import { beforeEach, describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import { addressNo, intentWith, NOW } from '../../support/payment.ts'
import { toyKeys } from '../../support/toy-chain.ts'

type Row = { reason: string; version: number; attempts: number; nextCheckAt: Date }

let rows: Map<string, Row>
let now: number
let checked: string[]
let unexplained: Set<string>
let unfinished: Set<string>
let duringCheck: () => Promise<void>
/** The slot of the newest block that was read. */
let head: bigint
let setAside: SetAsidePayments

beforeEach(() => {
  rows = new Map()
  now = NOW.getTime()
  checked = []
  unexplained = new Set()
  unfinished = new Set()
  duringCheck = async () => {}
  head = 0n
  begin({
    async checkDeeply(ids) {
      checked.push(...ids)
      await duringCheck()
      return { again: ids.filter((id) => unexplained.has(id)), unfinished: ids.filter((id) => unfinished.has(id)) }
    },
  })
})

function begin(watcher: Pick<Watcher, 'checkDeeply'>): void {
  setAside = new SetAsidePayments({
    network: 'live',
    store: {
      async setAside(_network, ids, reason, _at, nextCheckAt) {
        for (const id of ids) {
          const row = rows.get(id)
          rows.set(
            id,
            row ? { ...row, reason, version: row.version + 1 } : { reason, version: 1, attempts: 0, nextCheckAt },
          )
        }
      },
      allSetAside: async () => [...rows.keys()],
      dueSetAside: async (_network, at, limit) =>
        [...rows]
          .filter(([, { nextCheckAt }]) => nextCheckAt <= at)
          .map(([intentId, { version, attempts }]) => ({ intentId, version, attempts }))
          .slice(0, limit),
      async postponeSetAside(id, attempts, nextCheckAt) {
        const row = rows.get(id)
        if (row !== undefined) rows.set(id, { ...row, attempts, nextCheckAt })
      },
      endSetAside: async ({ intentId, version }) => rows.get(intentId)?.version === version && rows.delete(intentId),
    },
    watcher,
    readToSlot: () => head,
    wallClock: { now: () => new Date(now) },
  })
}

async function checkAfter(ms: number): Promise<readonly string[]> {
  now += ms
  checked = []
  await setAside.check()
  return checked
}

describe('a payment that is set aside', () => {
  test('is checked, and ends when its balance is explained', async () => {
    await setAside.put(['a'], 'no price')
    expect([[...setAside.ids], await checkAfter(4_000), await checkAfter(1_000)]).toEqual([['a'], [], ['a']])
    expect([rows.size, setAside.ids.size]).toEqual([0, 0])
  })

  test('is checked after growing pauses while nothing explains its balance', async () => {
    unexplained.add('a')
    await setAside.put(['a'], 'no price')
    let checks = 0
    for (let second = 0; second < 3_600; second += 1) checks += (await checkAfter(1_000)).length
    expect(checks).toBeGreaterThan(8)
    expect(checks).toBeLessThan(16)
    expect([...setAside.ids]).toEqual(['a'])
  })

  test('is checked every few seconds while each check gets further in its history', async () => {
    unfinished.add('a')
    await setAside.put(['a'], 'a long history')
    let checks = 0
    for (let second = 0; second < 60; second += 1) checks += (await checkAfter(1_000)).length
    expect(checks).toBe(12)
  })

  test('stays when it is set aside again during a check', async () => {
    await setAside.put(['a'], 'no price')
    duringCheck = () => setAside.put(['a'], 'no answer')
    expect(await checkAfter(5_000)).toEqual(['a'])
    expect([[...setAside.ids], rows.get('a')?.reason]).toEqual([['a'], 'no answer'])
  })

  test('stays when its balance was read before the newest block: its deposit may be missing in it', async () => {
    const balances = { slot: 900n, lamports: 0n }
    const found: bigint[] = []
    const watcher = new Watcher({
      network: 'live',
      chain: {
        readAccounts: async (accounts) => ({
          slot: balances.slot,
          states: accounts.map(() => ({
            lamports: makeLamports(balances.lamports),
            ownerProgram: addressNo(9_100),
            token: null,
          })),
        }),
      },
      store: {
        watchList: async () => [],
        watched: async (ids) => ids.map((id) => ({ ...intentWith({ id, acceptedAssets: [SOL] }), asset: null })),
      },
      directory: { tokens: async () => new Map() },
      keys: toyKeys,
      notices: null,
      async observe(_intent, changed) {
        found.push(...changed.map(({ balance }) => balance))
        return { explained: true, unfinished: false, leaving: new Set() }
      },
      clock: { now: () => new Date(now) },
      callsPerMinute: 600,
      onNotice: () => {},
      onError: (error) => {
        throw error
      },
    })
    begin(watcher)
    head = 1_000n
    await setAside.put(['a'], 'no price')
    await checkAfter(5_000)
    expect([[...rows.keys()], [...setAside.ids], found]).toEqual([['a'], ['a'], []])
    Object.assign(balances, { slot: 1_000n, lamports: 5_000n })
    await checkAfter(10_000)
    expect([rows.size, setAside.ids.size, found]).toEqual([0, 0, [5_000n]])
  })

  test('is known again after a restart', async () => {
    await setAside.put(['a'], 'no price')
    setAside.forget()
    expect(setAside.ids.size).toBe(0)
    await setAside.load()
    expect([...setAside.ids]).toEqual(['a'])
  })
})

test('many are checked in bounded rounds', async () => {
  await setAside.put(
    Array.from({ length: 50 }, (_, at) => `intent-${at}`),
    'no price',
  )
  expect(
    [await checkAfter(5_000), await checkAfter(1_000), await checkAfter(1_000)].map(({ length }) => length),
  ).toEqual([20, 20, 10])
})
