// How a network's deposits are found: by reading addresses, or by reading blocks, whichever costs less. Moving from one to
// the other leaves no gap, and while blocks are behind, open payments are read by their addresses as well.

import { chooseSource, type DepositSourceKind, pollingCallsPerMinute } from '#core/chain/source-choice.ts'
import type { Network } from '#core/chain/types.ts'
import type { BlockPlace, BlockSource, FinalityNotices } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceState, DepositSourceStore } from '#ports/deposit-sources.ts'
import type { Searched } from '#services/payments/expire.ts'
import type { BlockScan } from './blocks/block-scan.ts'
import type { LateAddresses } from './blocks/late-addresses.ts'
import { SWEEP_EVERY_MS, TIERS } from './polling/watch-list.ts'
import type { WatchScope } from './polling/watched-intents.ts'
import type { Watcher } from './polling/watcher.ts'
import { PATIENCE_MS, type SetAside } from './set-aside.ts'

/** A longer gap is not filled block by block: one reading of every address costs less, and sooner shows what is there. */
export const MOST_GAP_SLOTS = 20_000n
/** Ten minutes. */
const SURELY_KEPT_SLOTS = 1_500n
/** Further behind than this, or standing still for so long, blocks alone would show payments too late. */
const BEHIND_SLOTS = 150n
const STILL_MS = 45_000
/** Blocks that contradict each other so often in a row will not agree any more. */
const MOST_FORKS = 30
const DEFAULT_SLOTS_PER_MINUTE = 150
const LISTINGS_PER_MINUTE = 10
const TIP_SLOTS = 64

export type Detection = Pick<Watcher, 'catchUp' | 'checkAgain' | 'readBacklog' | 'forget' | 'loaded'> & {
  reload(): Promise<void>
  runOnce(): Promise<void>
  /** Intents that were just made, or that changed. */
  refresh(intentIds: readonly string[], news: 'created' | 'changed'): Promise<void>
  /** Reads what is final by now, where blocks are read. */
  scan(): Promise<{ readonly again: boolean }>
  /** While blocks are read: up to where they were taken in. Null while they are not. */
  readonly taken: BlockScan['taken']
  /** While blocks are read, and tell the time: what need not be read by its address any more. */
  readonly searched: Searched | null
}

export type DetectionDeps = {
  readonly network: Network
  readonly watcher: Watcher
  readonly scan: BlockScan
  readonly source: Pick<
    BlockSource,
    'watch' | 'watched' | 'newestFinalSlot' | 'oldestSlot' | 'finalSlots' | 'finalBlock'
  >
  readonly store: DepositSourceStore
  readonly finality: FinalityNotices
  readonly lateAddresses: LateAddresses
  readonly setAside: SetAside
  /** What the operator has settled on; null leaves it to the costs. */
  readonly fixed: DepositSourceKind | null
  readonly clock: Clock
  readonly wallClock: Clock
  /** A push said that there is more to read. */
  readonly onFinality: () => void
}

/** `joining`: everything is read by its address once more, behind a block from which on blocks are read. */
type Mode = 'polling' | 'joining' | 'blocks'

export function createDetection(deps: DetectionDeps): Detection {
  const { network, watcher, scan, source, store, lateAddresses } = deps
  let mode: Mode = 'polling'
  let scope: WatchScope = 'all'
  let anchor: BlockPlace | null = null
  /** When everything had been read once in joining, in real milliseconds. */
  let readAllAt: number | null = null
  let state: DepositSourceState | null = null
  let pace: { readonly slot: bigint; readonly at: number } | null = null
  let slotsPerMinute = DEFAULT_SLOTS_PER_MINUTE
  const wall = () => deps.wallClock.now().getTime()
  // Jobs run side by side: two moves at once would leave neither's watch list.
  const exclusively = inTurn()

  const watchBy = async (next: WatchScope): Promise<void> => {
    if (watcher.loaded && scope === next) return
    watcher.forget()
    scope = next
    await watcher.reload(next)
  }

  const follow = (): void =>
    deps.finality.followFinality((slot) => {
      scan.hint(slot)
      deps.onFinality()
    })

  const begin = (cursor: BlockPlace): void => {
    scan.begin(cursor)
    mode = 'blocks'
    follow()
  }

  /** Blocks from the newest on; what came before them is read by its address, once. */
  const join = async (): Promise<void> => {
    await lateAddresses.load(null)
    anchor = await newestBlock(source)
    if (anchor === null) throw new Error('no final block can be read')
    await watchBy('all')
    watcher.sweepAll()
    readAllAt = null
    mode = 'joining'
  }

  /** Whether no provider keeps blocks from there on any more. Where none says, reading on will tell. */
  const isForgotten = async (slot: bigint): Promise<boolean> => slot < (await source.oldestSlot().catch(() => 0n))

  const goOn = async (cursor: BlockPlace & { readonly savedAt: Date }): Promise<void> => {
    const newest = await source.newestFinalSlot()
    const gap = newest - cursor.slot
    // Every provider is asked how far back it goes, and one may be away: not where all of them go back so far.
    if (gap > MOST_GAP_SLOTS || (gap > SURELY_KEPT_SLOTS && (await isForgotten(cursor.slot)))) return await join()
    await lateAddresses.load(cursor.savedAt)
    begin(cursor)
    await watchBy(gap > BEHIND_SLOTS ? 'open' : 'pushes')
    // Whoever was made while everybody was loaded.
    await lateAddresses.catchUp()
  }

  const poll = async (): Promise<void> => {
    deps.finality.followFinality(null)
    mode = 'polling'
    await watchBy('all')
  }

  /** Ends when everything is explained, or set aside: a payment that is not explained does not keep blocks from being read. */
  const endJoining = async (): Promise<void> => {
    const { unsettled } = watcher
    if (unsettled === null) readAllAt = null
    if (unsettled === null || anchor === null) return
    readAllAt ??= wall()
    if (unsettled.size > 0 && wall() - readAllAt < PATIENCE_MS) return
    // Stored before the cursor: after a crash, blocks are read from the anchor on.
    await deps.setAside.put([...unsettled], 'Its balance was not explained when reading by blocks began.')
    await store.saveCursor(network, anchor, deps.clock.now())
    begin(anchor)
    await watchBy('pushes')
  }

  const isBehind = (): boolean => scan.lag > BEHIND_SLOTS || wall() - scan.movedAt > STILL_MS

  const choose = async (): Promise<void> => {
    const now = deps.wallClock.now()
    slotsPerMinute = await measure(now.getTime())
    const issued = mode === 'polling' ? watcher.size : source.watched
    const load = await store.load(network, deps.clock.now(), issued)
    const polling = pollingCallsPerMinute(
      TIERS.map((tier) => ({ accounts: load[tier], everyMs: SWEEP_EVERY_MS[tier] })),
    )
    const blocks = slotsPerMinute + LISTINGS_PER_MINUTE
    const current = state?.source ?? 'polling'
    const sinceMs = state === null ? null : now.getTime() - state.since.getTime()
    const choice =
      deps.fixed === null
        ? chooseSource({ source: current, sinceMs }, { polling, blocks })
        : { source: deps.fixed, reason: 'the operator has settled on it' }
    const since = state?.source === choice.source ? state.since : now
    const figures = { pollingCallsPerMinute: polling, blockCallsPerMinute: blocks }
    const joins = choice.source === 'blocks' && (mode === 'polling' || (await cannotGoOn()))
    const reason = choice.reason + (choice.source === 'blocks' ? standing(joins) : '')
    state = { ...choice, reason, since, cursor: null, ...figures }
    await store.saveChoice(network, state)
    if (joins) await join()
    if (choice.source === 'polling' && mode !== 'polling') await poll()
  }

  /** Blocks contradict the cursor for good, or those behind it were forgotten while none could be read. */
  const cannotGoOn = async (): Promise<boolean> => {
    if (mode !== 'blocks' || scan.head === null) return false
    return scan.forks > MOST_FORKS || (isBehind() && (await isForgotten(scan.head.slot)))
  }

  const standing = (joins: boolean): string => {
    if (joins || mode === 'joining') return '; every address is read once before'
    return mode === 'blocks' && isBehind() ? `; ${scan.lag} slots behind, so open payments are polled as well` : ''
  }

  /** Slots a minute, from how far the chain came since it was asked last. */
  const measure = async (at: number): Promise<number> => {
    const slot = mode === 'blocks' && scan.head !== null ? scan.head.slot + scan.lag : await source.newestFinalSlot()
    const before = pace
    pace = { slot, at }
    if (before === null || at - before.at < 10_000 || slot <= before.slot) return slotsPerMinute
    return (Number(slot - before.slot) * 60_000) / (at - before.at)
  }

  return {
    reload: () =>
      exclusively(async () => {
        lateAddresses.forget()
        watcher.forget()
        await deps.setAside.load()
        state = await store.read(network)
        const cursor = state?.cursor ?? null
        if (state?.source !== 'blocks' || deps.fixed === 'polling') await poll()
        else if (cursor === null) await join()
        else await goOn(cursor)
        if (deps.fixed !== null && deps.fixed !== state?.source) await choose()
      }),
    async runOnce() {
      try {
        await watcher.runOnce()
      } catch (error) {
        if (mode === 'joining') watcher.sweepAll()
        throw error
      }
      await exclusively(async () => {
        if (mode === 'joining') await endJoining()
        else if (mode === 'blocks') await watchBy(isBehind() ? 'open' : 'pushes')
      })
    },
    async scan() {
      if (mode !== 'blocks') return { again: false }
      const [read, looked] = await Promise.allSettled([scan.runOnce(), lateAddresses.look()])
      if (read.status === 'rejected') throw read.reason
      if (looked.status === 'rejected') throw looked.reason
      return read.value
    },
    async catchUp() {
      await watcher.catchUp()
      if (mode !== 'polling') await lateAddresses.catchUp()
      await exclusively(choose)
    },
    async refresh(intentIds, news) {
      if (mode !== 'polling' && news === 'created') await lateAddresses.join(intentIds)
      // Nobody has chosen yet how to pay what was just made.
      if (mode !== 'blocks' || scope !== 'pushes' || news === 'changed') await watcher.refresh(intentIds)
    },
    checkAgain: (intentIds) => watcher.checkAgain(intentIds),
    async readBacklog() {
      const [read, looked] = await Promise.allSettled([watcher.readBacklog(), deps.setAside.look()])
      if (read.status === 'rejected') throw read.reason
      if (looked.status === 'rejected') throw looked.reason
      return read.value
    },
    forget() {
      deps.finality.followFinality(null)
      lateAddresses.forget()
      deps.setAside.forget()
      mode = 'polling'
      watcher.forget()
    },
    get loaded() {
      return watcher.loaded
    },
    get taken() {
      return mode === 'blocks' ? scan.taken : null
    },
    get searched() {
      const readTo = mode === 'blocks' ? (scan.taken?.time ?? null) : null
      return readTo === null ? null : { readTo, unfinished: scan.unfinished }
    },
  }
}

/** Runs one piece of work after the other, whatever became of the one before. */
function inTurn() {
  let last: Promise<unknown> = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
}

/** The newest final block that can be read: the newest final slots may have been skipped. */
async function newestBlock(
  source: Pick<BlockSource, 'newestFinalSlot' | 'finalSlots' | 'finalBlock'>,
): Promise<BlockPlace | null> {
  const newest = await source.newestFinalSlot()
  const slots = await source.finalSlots(newest - BigInt(TIP_SLOTS), TIP_SLOTS, true)
  for (const slot of slots.toReversed()) {
    const block = await source.finalBlock(slot)
    if (block !== null) return { slot: block.slot, blockhash: block.blockhash }
  }
  return null
}
