// A stream of a Yellowstone gRPC provider, over a real connection that speaks the published protocol.
import type { Address } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { OpenFeed } from '#adapters/solana/notices/notice-feed.ts'
import { createStreams, createWebsocketNotices, NoticeSource } from '#adapters/solana/notices/notice-source.ts'
import { loadStreams, type OpenStream, StreamFeed } from '#adapters/solana/notices/stream-feed.ts'
import { StreamNotices } from '#adapters/solana/notices/stream-notices.ts'
import { createDice, type Dice } from '../../../simulator/dice.ts'
import { type StreamedBlock, type StreamProvider, startStreamProvider } from '../../../support/stream-provider.ts'
import { until } from '../../../support/until.ts'
import { anAddress } from '../chain-data.ts'

const [A, B, C] = (await Promise.all([anAddress(), anAddress(), anAddress()])) as [Address, Address, Address]
const soon = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 3_000 })

/** The block that follows another, whose slot is skipped with the odds of a chain. */
const blockAfter = ({ slot, blockhash }: StreamedBlock, slots = 1n): StreamedBlock => ({
  slot: slot + slots,
  blockhash: `hash ${slot + slots}`,
  parentSlot: slot,
  parentBlockhash: blockhash,
})
const FIRST: StreamedBlock = { slot: 100n, blockhash: 'hash 100', parentSlot: 99n, parentBlockhash: 'hash 99' }

async function start(options: Parameters<typeof startStreamProvider>[0] = {}, token: string | null = null) {
  const provider = await startStreamProvider(options)
  onTestFinished(() => provider.close())
  const time = { ms: Date.now() }
  const clock = { now: () => new Date(time.ms) }
  const faults: string[] = []
  const source = createStreams({
    openStream: loadStreams(provider.url, token),
    onFault: (error) => faults.push(String(error)),
    clock,
    random: { fraction: () => 0 },
    newestSlot: () => null,
  })
  onTestFinished(() => source.close())
  const noticed: Address[] = []
  source.onNotice((account) => noticed.push(account))
  let newest = FIRST
  /** Sends the next block, with changes of these accounts. */
  const block = (accounts: readonly Address[] = [], slots = 1n) => {
    newest = blockAfter(newest, slots)
    for (const account of accounts) provider.send({ account, slot: newest.slot })
    provider.send({ block: newest })
    return newest.slot
  }
  const watch = async (...accounts: readonly Address[]) => {
    source.watch(new Set(accounts))
    await soon(() => provider.watched().flat()).toEqual(accounts)
  }
  return { provider, source, noticed, faults, time, clock, block, watch }
}

describe('notices of a stream', () => {
  test('arrive for the watched accounts only, which are covered from the first block that has passed their filter', async () => {
    const { source, noticed, block, watch } = await start()
    await watch(A, B)
    const since = block([C])
    await soon(() => source.coverage()).toEqual({ via: 'stream', isTicking: true, wanted: 2, covered: 2 })
    expect([source.coveredSince(A), source.coveredSince(C)]).toEqual([since, null])
    const changed = block([B, C])
    await soon(() => source.coveredSince(B)).toBe(changed)
    expect([noticed, source.coveredSince(A)]).toEqual([[B], since])
  })

  test('begin for another account with a block after its filter, and end for one that is no longer watched', async () => {
    const { source, noticed, block, watch, provider } = await start()
    await watch(A)
    block()
    await soon(() => source.coverage().covered).toBe(1)
    await watch(B, C)
    expect(provider.watched()).toEqual([[B, C]])
    expect(source.coveredSince(B)).toBeNull()
    const since = block([A])
    await soon(() => [source.coveredSince(B), source.coveredSince(C)]).toEqual([since, since])
    expect([noticed, source.coveredSince(A)]).toEqual([[], null])
  })

  test('of more accounts wait until a block has passed the last filter, and share the next one', async () => {
    const { source, provider, block, watch } = await start()
    await watch(A)
    source.watch(new Set([A, B]))
    await new Promise((resolve) => setTimeout(resolve, 20))
    source.watch(new Set([A, B, C]))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([provider.received(), provider.watched()]).toEqual([1, [[A]]])
    block()
    await soon(() => provider.watched()).toEqual([[A, B, C]])
    expect([provider.received(), source.coveredSince(C)]).toEqual([2, null])
    const since = block()
    await soon(() => source.coveredSince(C)).toBe(since)
  })

  test('say how far the chain is final, without any account', async () => {
    const { source, block, provider } = await start()
    const final: bigint[] = []
    source.followFinality((slot) => final.push(slot))
    await soon(() => provider.watched()).toEqual([[]])
    const slot = block([A])
    await soon(() => final).toEqual([slot])
  })

  test.each<[string, (provider: StreamProvider, last: StreamedBlock) => void]>([
    ['a block is missing', (provider, last) => provider.send({ block: blockAfter(blockAfter(last)) })],
    [
      'a block follows another one',
      (provider, last) => provider.send({ block: blockAfter({ ...last, blockhash: 'fork' }) }),
    ],
    ['the slot of a block was wrong', (provider, last) => provider.send({ block: blockAfter({ ...last, slot: 7n }) })],
    ['a block has passed no filter', (provider, last) => provider.send({ block: blockAfter(last) }, [])],
    ['an address is too short', (provider) => provider.send({ account: A, slot: 1n, bytes: new Uint8Array(31) })],
    ['the stream is cut', (provider) => provider.cut()],
    ['the provider ends the stream', (provider) => provider.finish()],
  ])('prove nothing any more when %s, until another stream has begun', async (_, fail) => {
    const { source, provider, block, watch, faults } = await start()
    await watch(A)
    const slot = block()
    await soon(() => source.coveredSince(A)).toBe(slot)
    fail(provider, { ...FIRST, slot, blockhash: `hash ${slot}` })
    await soon(() => source.coveredSince(A)).toBeNull()
    expect(faults).toHaveLength(1)
    await soon(() => provider.received()).toBe(2)
    const since = block([], 5n)
    await soon(() => source.coveredSince(A)).toBe(since)
  })

  test('that are silent for five seconds prove nothing, until they go on', async () => {
    const { source, block, watch, time } = await start()
    await watch(A)
    const since = block()
    await soon(() => source.coverage().covered).toBe(1)
    time.ms += 5_000
    expect(source.coverage()).toMatchObject({ isTicking: false, covered: 0 })
    block()
    // Linked blocks prove that nothing was hidden.
    await soon(() => source.coveredSince(A)).toBe(since)
  })

  test('need the token of the provider, and the fault does not show it', async () => {
    const { source, block, watch } = await start({ token: 'sesame' }, 'sesame')
    await watch(A)
    block()
    await soon(() => source.coverage().covered).toBe(1)
    const other = await start({ token: 'sesame' }, 'guessed')
    other.source.watch(new Set([A]))
    await soon(() => other.faults).not.toEqual([])
    expect(other.faults[0]).toMatch(/no valid token/)
    expect(other.faults.join()).not.toContain('guessed')
  })

  test('a ping is answered', async () => {
    const { provider, watch } = await start()
    await watch(A)
    provider.ping()
    await soon(() => provider.pings).toEqual([1])
  })

  test('end with the source, and leave no stream behind', async () => {
    const { source, provider, watch, faults } = await start()
    await watch(A)
    await source.close()
    await soon(() => provider.watched()).toEqual([])
    expect(faults).toEqual([])
  })
})

// The faults of a provider, 1,000 of them: after each, no account counts as covered while a change of it was not reported.

type Fault = (updates: Updates, dice: Dice) => Updates
type Updates = readonly (Parameters<StreamProvider['send']>[0] | 'cut')[]
const isBlock = (one: Updates[number]): boolean => one !== 'cut' && 'block' in one
const FAULTS: Readonly<Record<string, Fault>> = {
  cut: (updates, dice) => updates.toSpliced(dice.between(0, updates.length), 0, 'cut'),
  duplicated: (updates) => updates.flatMap((one) => [one, one]),
  'repeated at the end': (updates) => [...updates, ...updates],
  'out of order': (updates, dice) => dice.shuffled(updates),
  'block missing': (updates, dice) => {
    const lost = updates.indexOf(dice.pick(updates.filter(isBlock)))
    const before = updates.findLastIndex((one, at) => at < lost && isBlock(one))
    return updates.filter((_, at) => at > lost || at <= before)
  },
  'wrong slot': (updates, dice) => {
    const wrong = dice.pick(updates.filter(isBlock))
    const by = BigInt(dice.between(-20, 2_000))
    return updates.map((one) =>
      one === wrong && one !== 'cut' && 'block' in one ? { block: { ...one.block, slot: one.block.slot + by } } : one,
    )
  },
}

test('whatever goes wrong, 1,000 times, no change is missed', { timeout: 120_000 }, async () => {
  const dice = createDice('streams')
  const provider = await startStreamProvider()
  onTestFinished(() => provider.close())
  const openStream = loadStreams(provider.url, null)
  const accounts = await Promise.all(Array.from({ length: 12 }, anAddress))
  const reader = createReader(accounts)
  let head = FIRST
  let ticked = 0n
  const open = (openIt: OpenStream) =>
    new StreamFeed(
      { openStream: openIt, onFault: () => {} },
      { clock: { now: () => new Date() }, newestSlot: () => reader.newestSlot, checkEveryMs: 60_000 },
      accounts,
      {
        onAccount: (account) => reader.read(account, head.slot - BigInt(dice.between(0, 3))),
        onTick: (slot) => (ticked = slot),
        onEnd: () => {
          hasEnded = true
        },
      },
    )
  let hasEnded = false
  let feed = open(openStream)
  onTestFinished(() => feed.close())
  await until(() => provider.watched().length === 1)
  /** Makes the next block: the chain has its changes before any stream reports them. */
  const made = (): Updates => {
    head = blockAfter(head, dice.chance(0.2) ? 3n : 1n)
    const changed = accounts.filter(() => dice.chance(0.2))
    for (const account of changed) reader.changed(account, head.slot)
    return [...changed.map((account) => ({ account, slot: head.slot })), { block: head }]
  }
  const send = (updates: Updates) => {
    for (const one of updates) {
      if (one === 'cut') provider.cut()
      else provider.send(one)
    }
  }
  const struck: Record<string, number> = {}
  let proved = 0
  let restarts = 0
  for (let round = 0; round < 1_000; round += 1) {
    const [name, fault] = dice.pick(Object.entries(FAULTS))
    struck[name] = (struck[name] ?? 0) + 1
    send(fault([...made(), ...made(), ...made()], dice))
    // A block that follows, and one more for a feed that has begun again meanwhile.
    do {
      if (hasEnded) {
        restarts += 1
        hasEnded = false
        const before = provider.received()
        feed = open(openStream)
        await until(() => provider.received() > before)
      }
      send(made())
      await until(() => hasEnded || ticked === head.slot)
    } while (hasEnded)
    // Messages of one stream keep their order: everything before this block has arrived.
    for (const account of accounts) {
      const since = feed.coveredSince(account)
      const { at, isCurrent } = reader.knownOf(account)
      const isCovered = since !== null && since <= at
      if (isCovered) proved += 1
      if (isCovered && !isCurrent) expect.fail(`${name}: a change before slot ${head.slot} is missed`)
      if (!isCovered && dice.chance(0.7)) reader.read(account, head.slot - BigInt(dice.between(0, 3)))
    }
  }
  expect(Object.keys(struck)).toHaveLength(Object.keys(FAULTS).length)
  expect([proved > 1_000, restarts > 100]).toEqual([true, true])
})

/** Reads accounts, at slots that may be old, and knows how many of the changes it has seen. */
function createReader(accounts: readonly Address[]) {
  const changes = new Map<Address, bigint[]>(accounts.map((account) => [account, []]))
  const readAt = new Map<Address, bigint>()
  let newestSlot: bigint | null = null
  return {
    changed: (account: Address, slot: bigint) => void changes.get(account)?.push(slot),
    read: (account: Address, slot: bigint) => {
      readAt.set(account, slot)
      if (newestSlot === null || slot > newestSlot) newestSlot = slot
    },
    knownOf: (account: Address) => {
      const at = readAt.get(account) ?? -1n
      return { at, isCurrent: (changes.get(account) ?? []).every((slot) => slot <= at) }
    },
    get newestSlot() {
      return newestSlot
    },
  }
}

describe('while the stream is away', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A provider whose streams tick every second, and end after so many milliseconds. */
  function begin(lasts: { ms: number }) {
    const watched: number[] = []
    const common = {
      clock: { now: () => new Date() },
      random: { fraction: () => 0 },
      newestSlot: () => null,
    }
    const open: OpenFeed = (_, __, handlers) => {
      const openedAt = Date.now()
      const ticks = setInterval(() => {
        if (Date.now() - openedAt < lasts.ms) return handlers.onTick(1n)
        clearInterval(ticks)
        handlers.onEnd()
      }, 1_000)
      return {
        subscribe: () => {},
        unsubscribe: () => {},
        coveredSince: () => 1n,
        isRefused: false,
        get isTicking() {
          return Date.now() - openedAt >= 1_000
        },
        close: () => clearInterval(ticks),
      }
    }
    const limits = { accountsPerConnection: 10, maxConnections: 1 }
    const stream = new NoticeSource({ ...common, ...limits, via: 'stream', providers: [open] })
    const websockets = createWebsocketNotices({ ...common, wsUrls: ['ws://127.0.0.1:9'] })
    const watch = websockets.watch.bind(websockets)
    websockets.watch = (accounts) => {
      watched.push(accounts.size)
      watch(accounts)
    }
    const notices = new StreamNotices(stream, websockets, common.clock)
    onTestFinished(() => void notices.close())
    notices.watch(new Set([A, B]))
    const viaAfter = async (seconds: number) => {
      await vi.advanceTimersByTimeAsync(seconds * 1_000)
      return notices.coverage().via
    }
    return { notices, watched, viaAfter }
  }

  test('websockets send the notices, until it has ticked for a minute', async () => {
    const lasts = { ms: 30_000 }
    const { notices, watched, viaAfter } = begin(lasts)
    expect([await viaAfter(20), watched, notices.room]).toEqual(['stream', [], 10])
    lasts.ms = 0
    expect([await viaAfter(40), watched, notices.room]).toEqual(['websockets', [2], 50_000])
    notices.watch(new Set([A]))
    lasts.ms = Number.POSITIVE_INFINITY
    expect([await viaAfter(60), watched]).toEqual(['websockets', [2, 1]])
    expect([await viaAfter(40), watched]).toEqual(['stream', [2, 1, 0]])
  })

  test('a stream that comes and goes is away, too', async () => {
    const { viaAfter } = begin({ ms: 30_000 })
    expect(await viaAfter(170)).toBe('stream')
    expect(await viaAfter(20)).toBe('websockets')
    expect(await viaAfter(300)).toBe('websockets')
  })
})
