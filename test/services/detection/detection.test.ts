// Polling or blocks: which of the two reads an address, and that no switch between them leaves a gap.
import { beforeEach, describe, expect, test } from 'vitest'
import { REST_AFTER_MOVE_MS } from '#core/chain/source-choice.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { BlockPlace } from '#ports/blocks.ts'
import type { NoticeCoverage } from '#ports/chain.ts'
import type { DepositSourceState, DepositSourceStore } from '#ports/deposit-sources.ts'
import type { BlockScan } from '#services/detection/blocks/block-scan.ts'
import type { LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { Detection, type DetectionDeps, MAX_GAP_SLOTS } from '#services/detection/detection.ts'
import type { WatchScope } from '#services/detection/polling/watched-intents.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { createExpirer } from '#services/payments/expire.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores } from '../../support/memory-stores.ts'
import { only } from '../../support/only.ts'
import { addressNo, context, intentWith, NOW } from '../../support/payment.ts'
import { toyKeys } from '../../support/toy-chain.ts'

const MINUTE = 60_000
const PRICE = 1_000_000n
const FEW = { busy: 50, idle: 100, closing: 0, ended: 0, old: 0 }
const MANY = { busy: 5_000, idle: 10_000, closing: 0, ended: 0, old: 0 }

let now: number
let done: string[]
let state: DepositSourceState | null
let load: typeof FEW
let newest: bigint
let slotMs: number
let coverage: NoticeCoverage
/** The most accounts with notices. */
let room: number
/** Null when no provider answers. */
let oldest: bigint | null
let canReadBlocks: boolean
let scope: WatchScope | null
let settled: boolean
let unexplained: readonly string[]
/** Watched payments whose balances have not been explained for long. */
let overdue: readonly string[]
let setAside: Set<string>
let pollFails: boolean
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
  noticeCallsPerMinute: 50,
  pollingCallsPerMinute: 0,
  blockCallsPerMinute: 0,
  noticedAccounts: 190,
  watchedAccounts: 200,
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
        done.push('poll')
        if (pollFails) throw new Error('every provider is away')
        return { read: 0, observed: 0 }
      },
      async readBacklog() {
        throw new Error('every provider is away')
      },
      readAll: () => void done.push('read all'),
      unexplainedFor: (ms) => (ms === 15 * MINUTE ? overdue : []),
      forget() {
        scope = null
      },
    },
    {
      loaded: { get: () => scope !== null },
      unexplained: { get: () => (settled ? new Set(unexplained) : null) },
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
      takeInFlooded: async () => void done.push('take in floods'),
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

/** Done while all addresses are loaded. */
let whileLoading: () => Promise<void>

const otherAccounts: DetectionDeps['otherAccounts'] = {
  note: (ids) => void done.push(`note ${ids.join()}`),
  check: async () => void done.push('look for other accounts'),
}

function begin(patch: Partial<DetectionDeps> = {}): void {
  detection = new Detection({
    blockCredits: 1,
    otherAccounts,
    network: 'live',
    slotTime: { slotMs: () => slotMs },
    notices: {
      coverage: () => coverage,
      get room() {
        return room
      },
    },
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
      finalBlock: async (slot) =>
        canReadBlocks
          ? {
              slot,
              blockhash: `hash ${slot}`,
              parentSlot: slot - 1n,
              parentBlockhash: '',
              time: NOW,
              notices: [],
            }
          : null,
    },
    store,
    finality: {
      followFinality(listener) {
        pushed = listener
      },
    },
    lateAddresses: only<LateAddresses>('lateAddresses', {
      async load(since) {
        done.push(since === null ? 'load every address' : 'load every address since the cursor')
        await whileLoading()
      },
      check: async () => {},
      catchUp: async () => void done.push('find new addresses'),
      add: async (ids) => void done.push(`add ${ids.join()}`),
      forget: () => {},
    }),
    setAside: {
      load: async () => {},
      async put(ids) {
        if (ids.length > 0) done.push(`set aside ${ids.join()}`)
        for (const id of ids) setAside.add(id)
      },
      check: async () => void done.push('check what is set aside'),
      forget: () => {},
      ids: setAside,
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
  slotMs = 400
  coverage = { via: 'websockets', isTicking: false, wanted: 0, covered: 0 }
  room = 0
  oldest = 0n
  canReadBlocks = true
  scope = null
  settled = true
  unexplained = []
  overdue = []
  setAside = new Set()
  pollFails = false
  begun = null
  blockTime = NOW
  head = { lag: 0n, movedAt: now, forks: 0 }
  pushed = null
  whileLoading = async () => {}
  begin()
})

/** Returns the calls that were made during some work. */
async function during(work: () => Promise<unknown>): Promise<readonly string[]> {
  done = []
  await work()
  return done
}
/** Lets a minute pass, and has the costs computed again. */
async function nextMinute(): Promise<readonly string[]> {
  now += MINUTE
  newest += 150n
  head.movedAt = now
  return await during(() => detection.catchUp())
}

describe('with few addresses', () => {
  test('addresses are polled, and no block is read', async () => {
    expect(await during(() => detection.reload())).toEqual(['watch all'])
    expect(await during(() => detection.runOnce())).toEqual(['poll'])
    expect(await during(() => detection.scan())).toEqual([])
    await nextMinute()
    expect(state).toMatchObject({ source: 'polling', pollingCallsPerMinute: 40 })
    expect([detection.taken, pushed]).toEqual([null, null])
  })
})

test('a payment whose balance has not been explained for 15 minutes is set aside once, for the operator to see', async () => {
  await detection.reload()
  overdue = ['intent-1']
  expect(await during(() => detection.runOnce())).toEqual(['poll', 'set aside intent-1'])
  expect(await during(() => detection.runOnce())).toEqual(['poll'])
})

describe('when polling costs more than blocks', () => {
  beforeEach(async () => {
    await detection.reload()
    load = MANY
    settled = false
    await nextMinute()
  })

  test('a block is the anchor, and then every address is read once', async () => {
    expect(done).toEqual(['catch up', 'load every address', 'read all'])
    expect(state?.source).toBe('blocks')
    expect(await during(() => detection.runOnce())).toEqual(['poll'])
    expect(await during(() => detection.scan())).toEqual([])
    expect(begun).toBeNull()
    settled = true
    const anchor = newest - 2n
    newest += 20n
    expect(await during(() => detection.runOnce())).toEqual([
      'poll',
      `save ${anchor}`,
      `begin after ${anchor}`,
      'watch none',
    ])
    expect(await during(() => detection.scan())).toEqual(['scan'])
    expect(detection.taken?.slot).toBe(anchor)
  })

  test('an address that blocks were searched for need not be read, when the blocks have a time', async () => {
    expect(detection.searched).toBeNull()
    settled = true
    await detection.runOnce()
    expect(detection.searched).toEqual({ readTo: NOW, unfinished: new Set(['unpriced']) })
    blockTime = null
    expect(detection.searched).toBeNull()
  })

  test('addresses that could not be read are read before blocks are, and the others are not read again', async () => {
    pollFails = true
    done = []
    await expect(detection.runOnce()).rejects.toThrow('away')
    expect(done).toEqual(['poll'])
    expect(begun).toBeNull()
    pollFails = false
    expect(await during(() => detection.runOnce())).toEqual(['poll'])
    settled = true
    await detection.runOnce()
    expect(begun).not.toBeNull()
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
      'poll',
      'set aside intent-1',
      `save ${newest - 2n}`,
      `begin after ${newest - 2n}`,
      'watch none',
    ])
  })

  test('the source and its reason are reported to the operator', async () => {
    expect(state?.reason).toMatch(/^polling would cost 2500 calls a minute, blocks 160/)
    expect(state).toMatchObject({ pollingCallsPerMinute: 2_500, blockCallsPerMinute: 160 })
  })

  test('the cost of blocks follows the slot time of the chain', async () => {
    slotMs = 200
    await nextMinute()
    expect(state?.blockCallsPerMinute).toBe(310)
  })

  test('each finality notice wakes the reader of blocks', async () => {
    settled = true
    await detection.runOnce()
    done = []
    pushed?.(1_234n)
    expect(done).toEqual(['hint 1234', 'wake'])
  })

  test('polling returns when there are fewer addresses, but not at once', async () => {
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

describe('when account notices arrive', () => {
  const arriving = (covered: number, wanted = covered): NoticeCoverage => ({
    via: 'websockets',
    isTicking: true,
    wanted,
    covered,
  })
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await nextMinute()
  }
  beforeEach(async () => {
    room = 50_000
    begin()
    state = chosen({ source: 'polling', cursor: null })
    await detection.reload()
    load = MANY
    coverage = arriving(15_000)
  })

  test('polling stays, although it would cost more than blocks without them, and the operator sees why', async () => {
    await minutes(1)
    expect(state).toMatchObject({
      source: 'polling',
      reason:
        'polling would cost 30 calls a minute, 2500 without account notices, blocks 160: no reason to change; notices come from websockets',
      noticeCallsPerMinute: 30,
      pollingCallsPerMinute: 2_500,
      noticedAccounts: 15_000,
      watchedAccounts: 15_000,
    })
  })

  test('for a part of the accounts, the others cost what polling costs', async () => {
    coverage = arriving(5_000, 15_000)
    await minutes(5)
    expect([state?.source, state?.noticeCallsPerMinute]).toEqual(['blocks', 1_000 + 5 + 15])
  })

  test('a minute in which some are missing changes nothing', async () => {
    await minutes(4)
    coverage = arriving(5_000, 15_000)
    await minutes(4)
    expect(state?.noticeCallsPerMinute).toBe(30)
  })

  test('an outage of less than five minutes changes nothing, and a longer one changes the source', async () => {
    await minutes(1)
    coverage = { via: 'websockets', isTicking: false, wanted: 15_000, covered: 0 }
    await minutes(4)
    expect(state).toMatchObject({ source: 'polling', noticedAccounts: 0 })
    await minutes(1)
    expect(state).toMatchObject({ source: 'blocks', noticeCallsPerMinute: 2_500 })
  })

  test('for fewer accounts for a while, because a stream is away, changes nothing', async () => {
    await minutes(2)
    room = 1_000
    coverage = arriving(1_000, 15_000)
    await minutes(3)
    expect([state?.source, state?.noticeCallsPerMinute]).toEqual(['polling', 30])
  })

  test('while blocks are read, polling returns when their clock ticks', async () => {
    coverage = { via: 'websockets', isTicking: false, wanted: 15_000, covered: 0 }
    await minutes(6)
    expect(state?.source).toBe('blocks')
    await detection.runOnce()
    coverage = arriving(0)
    now += REST_AFTER_MOVE_MS
    await minutes(1)
    expect(state?.source).toBe('polling')
  })

  test('while blocks are read, polling does not return when too few accounts were covered before', async () => {
    coverage = arriving(1_000, 15_000)
    await minutes(5)
    expect(state?.source).toBe('blocks')
    await detection.runOnce()
    coverage = arriving(0)
    now += REST_AFTER_MOVE_MS
    await minutes(6)
    expect(state?.source).toBe('blocks')
  })
})

describe('a restart', () => {
  test('continues from the cursor, and reads no address', async () => {
    state = chosen()
    expect(await during(() => detection.reload())).toEqual([
      'load every address since the cursor',
      'begin after 900',
      'watch none',
      'find new addresses',
    ])
    expect(begun).toMatchObject({ slot: 900n, blockhash: 'hash 900' })
    expect(await during(() => detection.scan())).toEqual(['scan'])
  })

  test('far behind polls open payments as well, until it has caught up', async () => {
    state = chosen({ cursor: cursorAt(500n) })
    expect(await during(() => detection.reload())).toContain('watch open')
    head.lag = 400n
    expect(await during(() => detection.runOnce())).toEqual(['poll'])
    head.lag = 3n
    expect(await during(() => detection.runOnce())).toEqual(['poll', 'watch none'])
  })

  test.each([
    ['older than any provider keeps', 80_000n, 80_001n],
    ['too far back to be read up', 90_000n - MAX_GAP_SLOTS, 0n],
  ])('with a cursor %s reads every address once', async (_, slot, keptFrom) => {
    state = chosen({ cursor: cursorAt(slot) })
    newest = 90_001n
    oldest = keptFrom
    expect(await during(() => detection.reload())).toEqual(['load every address', 'watch all', 'read all'])
    expect(begun).toBeNull()
    await detection.runOnce()
    expect(begun).toMatchObject({ slot: 89_999n })
  })

  test('continues from the cursor also when no provider reports its oldest block', async () => {
    state = chosen()
    oldest = null
    expect(await during(() => detection.reload())).toContain('begin after 900')
  })

  test('before the first cursor was saved begins the switch again', async () => {
    state = chosen({ cursor: null })
    expect(await during(() => detection.reload())).toEqual(['load every address', 'watch all', 'read all'])
  })

  test.each([
    ['lost', cursorAt(100n)],
    ['not saved yet', null],
  ])('with a cursor that is %s polls every address while no block can be read', async (_, cursor) => {
    state = chosen({ cursor })
    load = MANY
    newest = 90_001n
    canReadBlocks = false
    await expect(detection.reload()).rejects.toThrow('no final block')
    expect([detection.loaded, scope]).toEqual([true, 'all'])
    expect(await during(() => detection.runOnce())).toEqual(['poll'])
    expect(await during(() => detection.refresh(['a'], 'created'))).toEqual(['refresh a'])
    canReadBlocks = true
    await nextMinute()
    expect(done).toEqual(['catch up', 'load every address', 'read all'])
    await detection.runOnce()
    expect(begun).toMatchObject({ slot: newest - 2n })
  })

  test('in polling mode continues to poll', async () => {
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

  test('or stalled have open payments polled as well, and the reason says so', async () => {
    now += MINUTE
    expect(await during(() => detection.runOnce())).toEqual(['poll', 'watch open'])
    head.lag = 7n
    await detection.catchUp()
    expect(state?.reason).toMatch(/7 slots behind, so open payments are polled as well$/)
    head = { ...head, lag: 0n, movedAt: now }
    expect(await during(() => detection.runOnce())).toEqual(['poll', 'watch none'])
  })

  test('delay no end of a window, except where an account has a payment that is not taken in', async () => {
    const stores = createMemoryStores()
    stores.put(intentWith())
    stores.put(intentWith({ id: 'intent-paid', address: addressNo(7) }))
    const after = new Date(pendingIntent.expiresAt.getTime() + 1_000)
    const system = addressNo(9_100)
    const expire = createExpirer({
      chainOf: () => ({
        blockTime: async () => ({ slot: 2_000n, time: after }),
        readAccounts: async (accounts) => ({
          slot: 2_000n,
          states: accounts.map((account) =>
            account === addressNo(7) ? { lamports: makeLamports(PRICE), ownerProgram: system, token: null } : null,
          ),
        }),
      }),
      store: stores.intents,
      directory: { tokens: async () => context().tokens },
      keys: toyKeys,
      decisionContext: async () => context({ now: after }),
      clock: { now: () => after },
      searched: () => detection.searched,
      onError: (error) => {
        throw error
      },
    })
    expect(await expire('live')).toEqual({ expired: 0 })
    now += MINUTE
    expect(await expire('live')).toEqual({ expired: 1 })
    expect((await stores.intents.facts(pendingIntent.id))?.intent.status).toBe('cancelled')
    expect((await stores.intents.facts('intent-paid'))?.intent.status).toBe('pending')
  })

  test('and dropped by every provider are begun again after a reading of every address', async () => {
    oldest = 901n
    expect(await nextMinute()).not.toContain('read all')
    now += MINUTE
    done = []
    await detection.catchUp()
    expect(done).toEqual(['catch up', 'find new addresses', 'load every address', 'watch all', 'read all'])
  })

  test('that no provider returns, but all still keep, are waited for', async () => {
    now += 60 * MINUTE
    expect(await during(() => detection.catchUp())).toEqual(['catch up', 'find new addresses'])
  })

  test('and dropped by every provider have every address polled while no other block can be read', async () => {
    oldest = 901n
    now += MINUTE
    canReadBlocks = false
    await expect(detection.catchUp()).rejects.toThrow('no final block')
    expect([scope, pushed, detection.taken]).toEqual(['all', null, null])
    canReadBlocks = true
    expect(await nextMinute()).toEqual(['catch up', 'load every address', 'read all'])
  })

  test('and contradict the cursor permanently are begun again after a reading of every address', async () => {
    head.forks = 31
    expect(await nextMinute()).toEqual([
      'catch up',
      'find new addresses',
      'load every address',
      'watch all',
      'read all',
    ])
  })
})

describe('change notices', () => {
  test('of payments that are created while every address is loaded add their addresses', async () => {
    await detection.reload()
    load = MANY
    whileLoading = () => detection.refresh(['a'], 'created')
    expect(await nextMinute()).toEqual(['catch up', 'load every address', 'add a', 'refresh a', 'read all'])
  })

  test('of new payments go to the addresses that blocks are searched for, and of changes nowhere', async () => {
    state = chosen()
    await detection.reload()
    expect(await during(() => detection.refresh(['a', 'b'], 'created'))).toEqual(['add a,b'])
    expect(await during(() => detection.refresh(['a'], 'changed'))).toEqual([])
  })

  test('go to the watcher in polling mode', async () => {
    await detection.reload()
    expect(await during(() => detection.refresh(['a'], 'created'))).toEqual(['refresh a'])
    expect(await during(() => detection.refresh(['a'], 'changed'))).toEqual(['note a', 'refresh a'])
  })
})

test('other token accounts are looked for every minute while addresses are polled: blocks show them', async () => {
  await detection.reload()
  expect(await during(() => detection.catchUp())).toContain('look for other accounts')
  state = chosen()
  begin({ fixed: 'blocks' })
  await detection.reload()
  expect(await during(() => detection.catchUp())).not.toContain('look for other accounts')
})

describe('the source that the operator has chosen', () => {
  test('is used from the start, whatever it costs', async () => {
    begin({ fixed: 'blocks' })
    await detection.reload()
    await detection.runOnce()
    expect(await during(() => detection.scan())).toEqual(['scan'])
    expect(state).toMatchObject({
      source: 'blocks',
      reason: 'the operator has settled on it; every address is read once before',
    })
  })

  test('replaces the source that the costs have chosen', async () => {
    state = chosen()
    load = MANY
    begin({ fixed: 'polling' })
    expect(await during(() => detection.reload())).toEqual(['watch all'])
    expect(state).toMatchObject({ source: 'polling' })
  })
})

test('payments that are set aside are checked with the backlog, also when that fails', async () => {
  done = []
  await expect(detection.readBacklog()).rejects.toThrow('away')
  expect(done).toEqual(['check what is set aside'])
})

test('payments with many deposits in blocks are taken in with the backlog, while blocks are read', async () => {
  done = []
  await expect(detection.readBacklog()).rejects.toThrow('away')
  expect(done).not.toContain('take in floods')
  state = chosen()
  await detection.reload()
  done = []
  await expect(detection.readBacklog()).rejects.toThrow('away')
  expect(done).toContain('take in floods')
})

test('one switch is made after the other, however many jobs ask for one', async () => {
  await detection.reload()
  load = MANY
  const asked = [detection.catchUp(), detection.runOnce(), detection.catchUp(), detection.runOnce()]
  done = []
  await Promise.all(asked)
  await detection.runOnce()
  const moves = done.filter((what) => /^(watch|begin|read all)/.test(what))
  expect(moves).toEqual(['read all', 'begin after 998', 'watch none'])
})

test('an instance that leads no more reads nothing', async () => {
  state = chosen()
  await detection.reload()
  detection.forget()
  expect([detection.loaded, pushed, detection.taken]).toEqual([false, null, null])
  expect(await during(() => detection.scan())).toEqual([])
})
