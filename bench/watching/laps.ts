// RPC calls of watching: the production watcher over a chain that only counts, against the fewest possible calls.

import { systemClock } from '#adapters/node/clock.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'
import type { AccountNotices, DepositKeys } from '#ports/chain.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import { LAP_EVERY_MS, WATCH_CALLS_PER_MINUTE } from '#services/detection/polling/watch-list.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import type { BenchResult } from '../result.ts'

const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const MINUTE_MS = 60_000
const WINDOW_MS = 10 * MINUTE_MS
const MINUTES = 12
const MOST = 10_000
/** As in the adapter: the most accounts with notices, and some slots until they begin. */
const ROOM = 50_000
const BEGINS_AFTER_MS = 1_000n

const token: Token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: TOKEN_PROGRAM,
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
}
const sol: Token = { ...token, asset: SOL, mint: makeAddress(WRAPPED_SOL_MINT), isNative: true, tokenProgram: null }

const directory = {
  tokens: async () =>
    new Map<Asset, Token>([
      [SOL, sol],
      [MINT, token],
    ]),
}

/** Open intents that accept SOL and one token, and have a minute in common. */
function createIntents(count: number) {
  const keys = createDepositKeys(new Uint8Array(64).fill(count % 251))
  const started = systemClock.now().getTime()
  const intentNo = (at: number, createdAt = started): WatchedIntent => ({
    id: `intent-${at}`,
    version: 1,
    network: 'live',
    derivationIndex: at + 1,
    address: keys.addressOf({ network: 'live', branch: 'deposit', account: 1, intent: at + 1 }),
    acceptedAssets: [SOL, MINT],
    asset: SOL,
    status: 'pending',
    createdAt: new Date(createdAt),
    expiresAt: new Date(createdAt + WINDOW_MS),
    updatedAt: new Date(createdAt),
  })
  return { keys, started, intentNo }
}

type World = {
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly now: () => number
  readonly intents: () => readonly WatchedIntent[]
  readonly byId?: (id: string) => WatchedIntent | undefined
  readonly notices: AccountNotices | null
  readonly onRead: (accounts: readonly Address[]) => void
}

const watcherOf = ({ keys, now, intents, byId = () => undefined, notices, onRead }: World): Watcher =>
  new Watcher({
    network: 'live',
    chain: {
      async readAccounts(accounts) {
        onRead(accounts)
        return { slot: BigInt(now()), states: accounts.map(() => null) }
      },
    },
    store: {
      watchList: async (_network, { afterIndex, limit, open }) =>
        open
          ? intents()
              .filter(({ derivationIndex }) => derivationIndex > afterIndex)
              .slice(0, limit)
          : [],
      watched: async (ids) => ids.flatMap((id) => byId(id) ?? []),
    },
    directory,
    keys,
    notices,
    observe: async () => ({ explained: true, unfinished: false, leaving: new Set() }),
    clock: { now: () => new Date(now()) },
    callsPerMinute: WATCH_CALLS_PER_MINUTE,
    onNotice: () => {},
    onError: (error) => {
      throw error
    },
  })

/** As the adapter does: a hundred accounts a call. */
const callsFor = (accounts: readonly Address[]): number => Math.ceil(accounts.length / 100)

/** One minute of watching `count` open intents, on a clock of its own. */
async function watchFor(count: number): Promise<{ laps: number; calls: number; floor: number; everyMs: number }> {
  const { keys, started, intentNo } = createIntents(count)
  const intents = Array.from({ length: count }, (_, at) => intentNo(at))
  let now = started
  let calls = 0
  const begunAt: number[] = []
  const watcher = watcherOf({
    keys,
    now: () => now,
    intents: () => intents,
    notices: null,
    onRead(accounts) {
      calls += callsFor(accounts)
      if (accounts[0] === intents[0]?.address) begunAt.push(now)
    },
  })
  await watcher.reload()
  for (; now < started + MINUTE_MS; now += 1_000) await watcher.runOnce()
  const laps = begunAt.length
  const everyMs = laps > 1 ? ((begunAt.at(-1) ?? now) - (begunAt[0] ?? now)) / (laps - 1) : LAP_EVERY_MS.busy
  return { laps, calls, floor: laps * Math.ceil((count * 2) / 100), everyMs }
}

/**
 * The last ten of twelve minutes with `count` open intents and healthy notices, on a clock of its own: each second as many are
 * created as end, and the buyer of every other intent chooses an asset. Returns the calls of a minute.
 */
async function watchWithNotices(count: number): Promise<{ readonly calls: number; readonly ended: number }> {
  const { keys, started, intentNo } = createIntents(count)
  let now = started
  let calls = 0
  const byId = new Map<string, WatchedIntent>()
  const put = (intent: WatchedIntent): string => {
    byId.set(intent.id, intent)
    return intent.id
  }
  const make = (at: number): string => put({ ...intentNo(at, now), asset: at % 2 === 0 ? SOL : null })
  for (let at = 0; at < count; at += 1) make(at)
  const watcher = watcherOf({
    keys,
    now: () => now,
    intents: () => [...byId.values()],
    byId: (id) => byId.get(id),
    notices: createNotices(() => BigInt(now)),
    onRead(accounts) {
      calls += callsFor(accounts)
    },
  })
  await watcher.reload()
  let [made, ended] = [count, 0]
  for (; now < started + MINUTES * MINUTE_MS; now += 1_000) {
    if (now === started + 2 * MINUTE_MS) calls = 0
    const until = Math.floor(((now - started) / WINDOW_MS) * count)
    const changed: string[] = []
    for (; made < count + until; made += 1) changed.push(make(made))
    for (; ended < until; ended += 1) {
      const intent = byId.get(`intent-${ended}`)
      if (intent !== undefined)
        changed.push(put({ ...intent, version: 2, status: 'cancelled', updatedAt: new Date(now) }))
    }
    await watcher.refresh(changed)
    await watcher.runOnce()
  }
  return { calls: calls / (MINUTES - 2), ended }
}

/** Notices that arrive for every account from its subscription on. Slots are milliseconds here. */
function createNotices(slot: () => bigint): AccountNotices {
  let since: ReadonlyMap<Address, bigint> = new Map()
  return {
    watch(accounts) {
      const before = since
      since = new Map([...accounts].map((account) => [account, before.get(account) ?? slot() + BEGINS_AFTER_MS]))
    },
    onNotice: () => {},
    coveredSince: (account) => since.get(account) ?? null,
    coverage: () => ({ via: 'websockets', isTicking: true, wanted: since.size, covered: since.size }),
    room: ROOM,
    close: async () => {},
  }
}

export async function benchLaps(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const count of [100, 1_000, 10_000]) {
    progress(`watching ${count} open intents for a minute of their own`)
    const { calls, floor, everyMs } = await watchFor(count)
    results.push({
      name: `RPC calls a minute, ${count} open intents`,
      ours: calls,
      baseline: floor,
      unit: 'calls',
      ratio: calls / floor,
      target: { atMost: 1.1 },
      detail: `a lap every ${(everyMs / 1_000).toFixed(1)} s; baseline: full calls of 100 accounts, nothing read twice`,
    })
  }
  progress(`watching ${MOST} open intents with account notices, for twelve minutes of their own`)
  const { calls, ended } = await watchWithNotices(MOST)
  results.push({
    name: `RPC calls a minute with account notices, ${MOST} open intents`,
    ours: calls,
    baseline: results.at(-1)?.ours ?? null,
    unit: 'calls',
    ratio: calls / (results.at(-1)?.ours ?? 1),
    target: { atMost: 60 },
    judged: 'ours',
    detail: `${MOST / 10} new ones a minute, each read after its notices began, and ${ended} that ended; the baseline polls`,
  })
  return results
}
