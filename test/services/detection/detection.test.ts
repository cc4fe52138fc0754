// Addresses or blocks: what is read by which, and that no move between the two leaves a gap.
import { beforeEach, describe, expect, test } from 'vitest'
import { REST_AFTER_MOVE_MS } from '#core/chain/source-choice.ts'
import type { BlockPlace } from '#ports/blocks.ts'
import type { DepositSourceState, DepositSourceStore } from '#ports/deposit-sources.ts'
import type { BlockScan } from '#services/detection/blocks/block-scan.ts'
import type { LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { createDetection, type Detection, type DetectionDeps, MOST_GAP_SLOTS } from '#services/detection/detection.ts'
import type { WatchScope } from '#services/detection/polling/watched-intents.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { only } from '../../support/only.ts'
import { NOW } from '../../support/payment.ts'

const MINUTE = 60_000
const FEW = { busy: 50, idle: 100, closing: 0, ended: 0, old: 0 }
const MANY = { busy: 5_000, idle: 10_000, closing: 0, ended: 0, old: 0 }

let now: number
let done: string[]
let state: DepositSourceState | null
let load: typeof FEW
let newest: bigint
/** Null where no provider says. */
let oldest: bigint | null
let scope: WatchScope | null
let settled: boolean
let unexplained: readonly string[]
let sweepFails: boolean
let begun: BlockPlace | null
let blockTime: Date | null
let head: { lag: bigint; movedAt: number; forks: number }
let pushed: ((slot: bigint) => void) | null
let detection: Detection

const cursorAt = (slot: bigint) => ({ slot, blockhash: `hash ${slot}`, savedAt: NOW })
const chosen = (patch: Partial<DepositSourceState> = {}): DepositSourceState => ({
  source: 'blocks',
  reason: '',
  since: new Date(NOW.getTime() - 60 * MINUTE),
  cursor: cursorAt(900n),
  pollingCallsPerMinute: 0,
  blockCallsPerMinute: 0,
  ...patch,
})

const watcher = only<Watcher>(
  'watcher',
  Object.defineProperties<Partial<Watcher>>(
    {
      async reload(next = 'all') {
        done.push(`watch ${next}`)
        scope = next
      },
      catchUp: async () => void done.push('catch up'),
      refresh: async (ids) => void done.push(`refresh ${ids.join()}`),
      async runOnce() {
        done.push('sweep')
        if (sweepFails) throw new Error('every provider is away')
        return { read: 0, observed: 0 }
      },
      async readBacklog() {
        throw new Error('every provider is away')
      },
      sweepAll: () => void done.push('sweep all'),
      checkAgain: () => {},
      forget() {
        scope = null
      },
    },
    {
      loaded: { get: () => scope !== null },
      unsettled: { get: () => (settled ? new Set(unexplained) : null) },
      size: { get: () => 7 },
    },
  ),
)
const scan = only<BlockScan>(
  'scan',
  Object.defineProperties<Partial<BlockScan>>(
    {
      begin(after) {
        begun = after
        done.push(`begin after ${after.slot}`)
      },
      hint: (slot) => void done.push(`hint ${slot}`),
      async runOnce() {
        done.push('scan')
        return { blocks: 1, again: false }
      },
    },
    {
      head: { get: () => begun },
      lag: { get: () => head.lag },
      movedAt: { get: () => head.movedAt },
      forks: { get: () => head.forks },
      taken: { get: () => begun && { slot: begun.slot, time: blockTime } },
      unfinished: { value: new Set(['unpriced']) },
    },
  ),
)
const store: DepositSourceStore = only<DepositSourceStore>('store', {
  read: async () => state,
  async saveChoice(_network, choice) {
    state = { ...choice, cursor: state?.cursor ?? null }
  },
  async saveCursor(_network, cursor) {
    done.push(`save ${cursor.slot}`)
    if (state !== null) state = { ...state, cursor: { ...cursor, savedAt: NOW } }
  },
  load: async () => load,
})

function begin(patch: Partial<DetectionDeps> = {}): void {
  detection = createDetection({
    network: 'live',
    watcher,
    scan,
    source: {
      watch: () => [],
      watched: 7,
      newestFinalSlot: async () => newest,
      async oldestSlot() {
        if (oldest === null) throw new Error('no provider says')
        return oldest
      },
      finalSlots: async (after) => [after + 1n, newest - 2n],
      finalBlock: async (slot) => ({
        slot,
        blockhash: `hash ${slot}`,
        parentSlot: slot - 1n,
        parentBlockhash: '',
        time: NOW,
        notices: [],
      }),
    },
    store,
    finality: {
      followFinality(listener) {
        pushed = listener
      },
    },
    lateAddresses: only<LateAddresses>('lateAddresses', {
      load: async (since) => void done.push(since === null ? 'load everybody' : 'load everybody, doubting'),
      look: async () => {},
      catchUp: async () => void done.push('find joiners'),
      join: async (ids) => void done.push(`join ${ids.join()}`),
      forget: () => {},
    }),
    setAside: {
      load: async () => {},
      put: async (ids) => void (ids.length > 0 && done.push(`set aside ${ids.join()}`)),
      look: async () => void done.push('look at what is set aside'),
      forget: () => {},
      ids: new Set(),
    },
    fixed: null,
    clock: { now: () => NOW },
    wallClock: { now: () => new Date(now) },
    onFinality: () => done.push('wake'),
    ...patch,
  })
}
beforeEach(() => {
  now = NOW.getTime()
  done = []
  state = null
  load = FEW
  newest = 1_000n
  oldest = 0n
  scope = null
  settled = true
  unexplained = []
  sweepFails = false
  begun = null
  blockTime = NOW
  head = { lag: 0n, movedAt: now, forks: 0 }
  pushed = null
  begin()
})

/** What was done meanwhile. */
async function during(work: () => Promise<unknown>): Promise<readonly string[]> {
  done = []
  await work()
  return done
}
/** A minute later, when it is reckoned again. */
async function nextMinute(): Promise<readonly string[]> {
  now += MINUTE
  newest += 150n
  head.movedAt = now
  return await during(() => detection.catchUp())
}

describe('with few addresses', () => {
  test('addresses are read, and no block', async () => {
    expect(await during(() => detection.reload())).toEqual(['watch all'])
    expect(await during(() => detection.runOnce())).toEqual(['sweep'])
    expect(await during(() => detection.scan())).toEqual([])
    await nextMinute()
    expect(state).toMatchObject({ source: 'polling', pollingCallsPerMinute: 40 })
    expect([detection.taken, pushed]).toEqual([null, null])
  })
})

describe('when addresses have become dearer than blocks', () => {
  beforeEach(async () => {
    await detection.reload()
    load = MANY
    settled = false
    await nextMinute()
  })

  test('a block is the anchor, and then everything is read by its address once more', async () => {
    expect(done).toEqual(['catch up', 'load everybody', 'sweep all'])
    expect(state?.source).toBe('blocks')
    expect(await during(() => detection.runOnce())).toEqual(['sweep'])
    expect(await during(() => detection.scan())).toEqual([])
    expect(begun).toBeNull()
    settled = true
    const anchor = newest - 2n
    newest += 20n
    expect(await during(() => detection.runOnce())).toEqual([
      'sweep',
      `save ${anchor}`,
      `begin after ${anchor}`,
      'watch pushes',
    ])
    expect(await during(() => detection.scan())).toEqual(['scan'])
    expect(detection.taken?.slot).toBe(anchor)
  })

  test('what blocks were searched for need not be read, where they tell the time', async () => {
    expect(detection.searched).toBeNull()
    settled = true
    await detection.runOnce()
    expect(detection.searched).toEqual({ readTo: NOW, unfinished: new Set(['unpriced']) })
    blockTime = null
    expect(detection.searched).toBeNull()
  })

  test('what was not read, for a chain that is away, is read before anything moves', async () => {
    sweepFails = true
    await expect(detection.runOnce()).rejects.toThrow('away')
    expect(done.at(-1)).toBe('sweep all')
    expect(begun).toBeNull()
  })

  test('a payment that stays unexplained is set aside before the cursor is saved, and blocks are read', async () => {
    settled = true
    unexplained = ['intent-1']
    await detection.runOnce()
    now += 29_000
    await detection.runOnce()
    expect(begun).toBeNull()
    now += 1_000
    expect(await during(() => detection.runOnce())).toEqual([
      'sweep',
      'set aside intent-1',
      `save ${newest - 2n}`,
      `begin after ${newest - 2n}`,
      'watch pushes',
    ])
  })

  test('the operator is told which, and why', async () => {
    expect(state?.reason).toMatch(/^polling would cost 2500 calls a minute, blocks 160/)
    expect(state).toMatchObject({ pollingCallsPerMinute: 2_500, blockCallsPerMinute: 160 })
  })

  test('a block is listened for, and each wakes the reader', async () => {
    settled = true
    await detection.runOnce()
    done = []
    pushed?.(1_234n)
    expect(done).toEqual(['hint 1234', 'wake'])
  })

  test('fewer addresses bring polling back, but not at once', async () => {
    settled = true
    await detection.runOnce()
    load = FEW
    expect(await nextMinute()).not.toContain('watch all')
    now += REST_AFTER_MOVE_MS
    expect(await nextMinute()).toContain('watch all')
    expect([state?.source, pushed, detection.taken]).toEqual(['polling', null, null])
    expect(await during(() => detection.scan())).toEqual([])
  })
})

describe('a restart', () => {
  test('goes on from the cursor, and reads nothing by its address', async () => {
    state = chosen()
    expect(await during(() => detection.reload())).toEqual([
      'load everybody, doubting',
      'begin after 900',
      'watch pushes',
      'find joiners',
    ])
    expect(begun).toMatchObject({ slot: 900n, blockhash: 'hash 900' })
    expect(await during(() => detection.scan())).toEqual(['scan'])
  })

  test('far behind, reads open payments by their address as well, until it has caught up', async () => {
    state = chosen({ cursor: cursorAt(500n) })
    expect(await during(() => detection.reload())).toContain('watch open')
    head.lag = 400n
    expect(await during(() => detection.runOnce())).toEqual(['sweep'])
    head.lag = 3n
    expect(await during(() => detection.runOnce())).toEqual(['sweep', 'watch pushes'])
  })

  test.each([
    ['older than any provider keeps', 80_000n, 80_001n],
    ['too far back to be read up', 90_000n - MOST_GAP_SLOTS, 0n],
  ])('with a cursor %s reads everything by its address once', async (_, slot, keptFrom) => {
    state = chosen({ cursor: cursorAt(slot) })
    newest = 90_001n
    oldest = keptFrom
    expect(await during(() => detection.reload())).toEqual(['load everybody', 'watch all', 'sweep all'])
    expect(begun).toBeNull()
    await detection.runOnce()
    expect(begun).toMatchObject({ slot: 89_999n })
  })

  test('goes on from the cursor also where nobody says how far back blocks are kept', async () => {
    state = chosen()
    oldest = null
    expect(await during(() => detection.reload())).toContain('begin after 900')
  })

  test('before the first cursor was saved begins the move anew', async () => {
    state = chosen({ cursor: null })
    expect(await during(() => detection.reload())).toEqual(['load everybody', 'watch all', 'sweep all'])
  })

  test('while addresses are read goes on with them', async () => {
    state = chosen({ source: 'polling' })
    expect(await during(() => detection.reload())).toEqual(['watch all'])
  })
})

describe('blocks that are behind', () => {
  beforeEach(async () => {
    state = chosen()
    load = MANY
    await detection.reload()
  })

  test('or stand still have open payments read by their address as well, and the operator told', async () => {
    now += MINUTE
    expect(await during(() => detection.runOnce())).toEqual(['sweep', 'watch open'])
    head.lag = 7n
    await detection.catchUp()
    expect(state?.reason).toMatch(/7 slots behind, so open payments are polled as well$/)
    head = { ...head, lag: 0n, movedAt: now }
    expect(await during(() => detection.runOnce())).toEqual(['sweep', 'watch pushes'])
  })

  test('and forgotten by every provider meanwhile are begun anew, behind a reading of everything', async () => {
    oldest = 901n
    expect(await nextMinute()).not.toContain('sweep all')
    now += MINUTE
    done = []
    await detection.catchUp()
    expect(done).toEqual(['catch up', 'find joiners', 'load everybody', 'watch all', 'sweep all'])
  })

  test('that no provider gives, but all still keep, are waited for', async () => {
    now += 60 * MINUTE
    expect(await during(() => detection.catchUp())).toEqual(['catch up', 'find joiners'])
  })

  test('and contradict the cursor for good are begun anew, behind a reading of everything', async () => {
    head.forks = 31
    expect(await nextMinute()).toEqual(['catch up', 'find joiners', 'load everybody', 'watch all', 'sweep all'])
  })
})

describe('news', () => {
  test('of new payments go to the blocks’ reader, and of changes to whoever listens for pushes', async () => {
    state = chosen()
    await detection.reload()
    expect(await during(() => detection.refresh(['a', 'b'], 'created'))).toEqual(['join a,b'])
    expect(await during(() => detection.refresh(['a'], 'changed'))).toEqual(['refresh a'])
  })

  test('go to the poller while addresses are read', async () => {
    await detection.reload()
    expect(await during(() => detection.refresh(['a'], 'created'))).toEqual(['refresh a'])
    expect(await during(() => detection.refresh(['a'], 'changed'))).toEqual(['refresh a'])
  })
})

describe('what the operator has settled on', () => {
  test('is so from the start, whatever it costs', async () => {
    begin({ fixed: 'blocks' })
    await detection.reload()
    await detection.runOnce()
    expect(await during(() => detection.scan())).toEqual(['scan'])
    expect(state).toMatchObject({
      source: 'blocks',
      reason: 'the operator has settled on it; every address is read once before',
    })
  })

  test('ends what costs had decided', async () => {
    state = chosen()
    load = MANY
    begin({ fixed: 'polling' })
    expect(await during(() => detection.reload())).toEqual(['watch all'])
    expect(state).toMatchObject({ source: 'polling' })
  })
})

test('payments that are set aside are looked at with the backlog, also when that fails', async () => {
  done = []
  await expect(detection.readBacklog()).rejects.toThrow('away')
  expect(done).toEqual(['look at what is set aside'])
})

test('one move is made after the other, however many jobs ask for one', async () => {
  await detection.reload()
  load = MANY
  const asked = [detection.catchUp(), detection.runOnce(), detection.catchUp(), detection.runOnce()]
  done = []
  await Promise.all(asked)
  await detection.runOnce()
  const moves = done.filter((what) => /^(watch|begin|sweep all)/.test(what))
  expect(moves).toEqual(['sweep all', 'begin after 998', 'watch pushes'])
})

test('who does not lead any more reads nothing', async () => {
  state = chosen()
  await detection.reload()
  detection.forget()
  expect([detection.loaded, pushed, detection.taken]).toEqual([false, null, null])
  expect(await during(() => detection.scan())).toEqual([])
})
