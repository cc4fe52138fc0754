// RPC calls in a minute of watching, by blocks and by addresses: as many intents made and expired in it as keep the number
// of open ones what it is.
import { makeAddress } from '#core/chain/base58.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { SOL } from '#core/chain/types.ts'
import type { DepositSourceStore, WatchedAddress } from '#ports/deposit-sources.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import type { BenchResult } from '../result.ts'
import { blockhashOf, createBlockMaker } from './mainnet-block.ts'
import { MINT, openDetection } from './network.ts'
import { type RpcServer, startRpcServer } from './rpc-server.ts'

const SLOT_MS = 200
const SLOTS = 300
const FINAL_AFTER_MS = 2 * SLOT_MS
const WINDOW_MS = 600_000
const FIRST_SLOT = 1_000
/** A call for each block, and a few listings. */
const AT_MOST = SLOTS + 20

export async function benchCalls(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const open of [1_000, 10_000, 100_000]) {
    progress(`a minute of ${open.toLocaleString('en')} open intents, by blocks and by addresses`)
    const [ours, baseline] = [await minuteOf(open, 'blocks'), await minuteOf(open, 'polling')]
    const methods = [...ours.counts].map(([method, count]) => `${method} ${count}`).join(', ')
    results.push({
      name: `RPC calls a minute, ${open.toLocaleString('en')} open intents`,
      ours: ours.calls,
      baseline: baseline.calls,
      unit: 'calls',
      ratio: ours.calls / baseline.calls,
      target: { atMost: AT_MOST },
      judged: 'ours',
      detail: `${methods}; the baseline reads each address every six seconds, a hundred a call`,
    })
  }
  return results
}

type Minute = { readonly calls: number; readonly counts: ReadonlyMap<string, number> }

async function minuteOf(open: number, fixed: DepositSourceKind): Promise<Minute> {
  const rpc = await startRpcServer(FIRST_SLOT)
  const world = createWorld(open)
  const { detection, expire, final, close } = openDetection({
    rpcUrl: rpc.url,
    now: () => new Date(world.now()),
    sources: world.sources(fixed),
    intents: world.intents,
    fixed,
    takeIn: async () => {},
  })
  try {
    const chainTime = () => new Date(world.now() - FINAL_AFTER_MS)
    rpc.advance(FIRST_SLOT, chainTime())
    await detection.reload()
    await detection.runOnce()
    await detection.scan()
    rpc.counts.clear()
    for (let slot = 1; slot <= SLOTS; slot += 1) {
      world.pass(SLOT_MS)
      rpc.advance(FIRST_SLOT + slot, chainTime())
      final(BigInt(FIRST_SLOT + slot))
      await detection.scan()
      if (world.isNewSecond(SLOT_MS)) {
        await detection.refresh(world.makeIntents(open / 600), 'created')
        await detection.runOnce()
      }
      if (slot % 25 === 0) await expire('live')
    }
    await detection.catchUp()
    return { counts: new Map(rpc.counts), calls: sum(rpc) }
  } finally {
    await close()
    rpc.stop()
  }
}

const sum = (rpc: RpcServer): number => [...rpc.counts.values()].reduce((all, count) => all + count, 0)

/** Intents that are made at an even pace and expire ten minutes later, unpaid. */
function createWorld(open: number) {
  const maker = createBlockMaker(open)
  const start = Date.UTC(2026, 0, 1)
  let now = start
  let owed = 0
  const all: WatchedIntent[] = []
  const byId = new Map<string, WatchedIntent>()
  const ended = new Set<string>()
  const make = (createdAt: number): WatchedIntent => {
    const intent: WatchedIntent = {
      id: `intent-${all.length + 1}`,
      version: 1,
      network: 'live',
      derivationIndex: all.length + 1,
      address: makeAddress(maker.freshAddress()),
      acceptedAssets: [SOL, MINT],
      asset: null,
      status: 'pending',
      createdAt: new Date(createdAt),
      expiresAt: new Date(createdAt + WINDOW_MS),
      updatedAt: new Date(createdAt),
    }
    all.push(intent)
    byId.set(intent.id, intent)
    return intent
  }
  for (let at = 0; at < open; at += 1) make(start - WINDOW_MS + (at * WINDOW_MS) / open)

  const page = (afterIndex: number, limit: number) => all.slice(afterIndex, afterIndex + limit)
  const asAddress = ({ id, address, derivationIndex, createdAt }: WatchedIntent): WatchedAddress => ({
    intentId: id,
    address,
    derivationIndex,
    createdAt,
  })
  return {
    now: () => now,
    pass(ms: number) {
      now += ms
    },
    isNewSecond: (step: number) => Math.floor(now / 1_000) > Math.floor((now - step) / 1_000),
    makeIntents(count: number): readonly string[] {
      owed += count
      const made = Math.floor(owed)
      owed -= made
      return Array.from({ length: made }, () => make(now).id)
    },
    intents: {
      watchList: async (
        _network: unknown,
        { afterIndex, limit, open: isOpen }: { afterIndex: number; limit: number; open: boolean },
      ) => (isOpen ? page(afterIndex, limit) : []),
      watched: async (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []),
      async expired(_network: unknown, before: Date, { limit }: { limit: number }) {
        const due = all.filter(({ id, expiresAt }) => expiresAt < before && !ended.has(id)).slice(0, limit)
        for (const { id } of due) ended.add(id)
        return due
      },
    },
    sources: (fixed: DepositSourceKind): DepositSourceStore => ({
      read: async () => ({
        source: fixed,
        reason: '',
        since: new Date(start),
        // Old enough that the reader before missed no open payment.
        cursor: { slot: BigInt(FIRST_SLOT), blockhash: blockhashOf(FIRST_SLOT), savedAt: new Date(start + WINDOW_MS) },
        noticeCallsPerMinute: 0,
        pollingCallsPerMinute: 0,
        blockCallsPerMinute: 0,
        noticedAccounts: 0,
        watchedAccounts: 0,
      }),
      saveChoice: async () => {},
      saveCursor: async () => {},
      addresses: async (_network, { afterIndex, limit }) => page(afterIndex, limit).map(asAddress),
      intentsAt: async () => new Map(),
      setAside: async () => {},
      allSetAside: async () => [],
      dueSetAside: async () => [],
      postponeSetAside: async () => {},
      endSetAside: async () => true,
      load: async () => ({ busy: 0, idle: 2 * open, closing: 0, ended: 0, old: 0 }),
    }),
  }
}
