// Reads the finalized chain block by block, without a gap, and has everything that it brought taken in. The cursor says
// how far: it never passes a block that was not read, nor one whose deposits are not in the database.
import { linkBlocks } from '#core/chain/block-chain.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BlockPlace, BlockSource, ScannedBlock } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { type BlockInboxDeps, createBlockInbox } from './block-inbox.ts'
import type { LateAddresses } from './late-addresses.ts'

/** Blocks in one round: enough to catch up quickly, few enough for the memory that they take. */
const BLOCKS_A_ROUND = 24
const BLOCKS_AT_ONCE = 6
/** So near, each block is found by the one after it, and nobody has to be asked which slots were skipped. */
const NEAR_SLOTS = 8n
/** Slots that one listing spans. */
const LISTED_SLOTS = 200
const SAVE_EVERY_MS = 2_000
/** While pushes come, the chain is asked how far it is only when they have been silent for so long. */
const SILENT_MS = 1_600
/** Without pushes, so often: with a call a block, fewer than two hundred a minute. */
const LIST_EVERY_MS = 1_900
/** A provider of blocks is a slot or two behind one that pushes, not more; tried anew now and then. */
const MOST_SHY = 4n
const BOLD_AFTER = 100
/** Nothing new for so long, and no provider is believed that knows of no new block until the others were asked. */
const STALE_MS = 10_000

export type BlockScanDeps = BlockInboxDeps & {
  readonly source: Pick<BlockSource, 'finalSlots' | 'finalBlock'>
  readonly store: Pick<DepositSourceStore, 'saveCursor'>
  /** The service's clock, for what is written down. */
  readonly clock: Clock
  /** The addresses that blocks are searched for. */
  readonly lateAddresses: Pick<LateAddresses, 'knowsAll' | 'late'>
}

export type BlockScan = {
  /** Goes on after this block. */
  begin(after: BlockPlace): void
  /** A push said that the chain is final up to this slot. Only a hint. */
  hint(slot: bigint): void
  /** Reads what is final by now, in one bounded round; `again` when there is more. */
  runOnce(): Promise<{ readonly blocks: number; readonly again: boolean }>
  /** The newest block that was read; null before `begin`. */
  readonly head: BlockPlace | null
  /** The time of that block; null when it is not known. */
  readonly readTo: Date | null
  /** Slots between the head and the newest one that is known to be final. */
  readonly lag: bigint
  /** When the head last moved, in real milliseconds. */
  readonly movedAt: number
  /** The newest block up to which everything was taken in, but for the unfinished; null before the first. */
  readonly taken: { readonly slot: bigint; readonly time: Date | null } | null
  /** Intents that may have been paid in blocks up to there without its being known yet, those set aside included. */
  readonly unfinished: ReadonlySet<string>
  /** How often in a row blocks did not follow the head. */
  readonly forks: number
}

export function createBlockScan(deps: BlockScanDeps): BlockScan {
  const { source } = deps
  const inbox = createBlockInbox(deps)
  let head: BlockPlace | null = null
  let readTo: Date | null = null
  let taken: BlockScan['taken'] = null
  let newest = 0n
  /** How many slots the providers of blocks are behind those that push. */
  let shy = 0n
  let bold = 0
  let forks = 0
  let hintedAt = Number.NEGATIVE_INFINITY
  let listedAt = Number.NEGATIVE_INFINITY
  let movedAt = 0
  let savedAt = 0
  let saved = 0n
  const now = () => deps.wallClock.now().getTime()

  /** Slots to read next. With a fresh push near the head its slot alone: the blocks before it name each other. */
  const discover = async (from: BlockPlace): Promise<readonly bigint[]> => {
    const reach = newest - shy
    const isFresh = now() - hintedAt < SILENT_MS
    if (isFresh && reach <= from.slot) return []
    if (isFresh && reach - from.slot <= NEAR_SLOTS) return [reach]
    if (reach <= from.slot && now() - listedAt < LIST_EVERY_MS) return []
    listedAt = now()
    const listed = await source.finalSlots(from.slot, LISTED_SLOTS, now() - movedAt > STALE_MS)
    const last = listed.at(-1)
    if (last !== undefined && last > newest) newest = last
    return listed.slice(0, BLOCKS_A_ROUND)
  }

  /** Asking for what is not there yet costs as much as an answer, so who is too early waits a slot longer for a while. */
  const learn = (found: boolean): void => {
    bold = found ? bold + 1 : 0
    if (!found && shy < MOST_SHY) shy += 1n
    if (bold % BOLD_AFTER === 0 && found && shy > 0n) shy -= 1n
  }

  const readAll = async (slots: readonly bigint[]): Promise<ScannedBlock[]> => {
    const blocks: ScannedBlock[] = []
    try {
      await forEachParallel(slots, BLOCKS_AT_ONCE, async (slot) => {
        const block = await source.finalBlock(slot)
        if (block !== null) blocks.push(block)
        if (slots.length === 1) learn(block !== null)
      })
    } catch (error) {
      if (blocks.length === 0) throw error
    }
    return blocks
  }

  /** The blocks at these slots and those between that nobody listed, as far as they follow the head. */
  const readLinked = async (from: BlockPlace, slots: readonly bigint[]): Promise<readonly ScannedBlock[]> => {
    const blocks = await readAll(slots)
    for (let walked = 0; ; walked += 1) {
      const { linked, obstacle } = linkBlocks(from, blocks)
      if (obstacle === null || linked.length > 0) {
        if (linked.length > 0) forks = 0
        return linked
      }
      if (obstacle.kind === 'fork') {
        forks += 1
        throw new Error(`block ${obstacle.slot} does not follow block ${from.slot}, which was read before`)
      }
      const parent = walked < BLOCKS_A_ROUND ? await source.finalBlock(obstacle.slot) : null
      if (parent === null) return []
      blocks.push(parent)
    }
  }

  const save = async (): Promise<void> => {
    if (head === null || head.slot === saved || now() - savedAt < SAVE_EVERY_MS || !isClear()) return
    await deps.store.saveCursor(deps.network, head, deps.clock.now())
    saved = head.slot
    savedAt = now()
  }
  // After a start, reading goes on from the cursor: behind it only what is set aside, and stored as such, may be unfinished.
  const isClear = () =>
    deps.lateAddresses.knowsAll && inbox.unfinished.length === 0 && deps.lateAddresses.late.size === 0

  return {
    begin(after) {
      head = after
      readTo = null
      taken = null
      saved = 0n
      forks = 0
      movedAt = now()
      if (newest < after.slot) newest = after.slot
    },
    hint(slot) {
      hintedAt = now()
      if (slot > newest) newest = slot
    },
    async runOnce() {
      if (head === null) return { blocks: 0, again: false }
      const slots = await discover(head)
      const blocks = slots.length === 0 ? [] : await readLinked(head, slots)
      const last = blocks.at(-1)
      // What was left over is tried again also where there is nothing new.
      if (last === undefined) {
        await inbox.takeIn()
        await save()
        return { blocks: 0, again: false }
      }
      // Before anything of it is taken in: what fails from here on is kept, and the cursor with it.
      inbox.add(blocks.flatMap(({ notices }) => notices))
      head = { slot: last.slot, blockhash: last.blockhash }
      readTo = last.time
      movedAt = now()
      if (newest < last.slot) newest = last.slot
      await inbox.takeIn()
      if (deps.lateAddresses.knowsAll) taken = { slot: last.slot, time: last.time }
      await save()
      return { blocks: blocks.length, again: newest - shy > last.slot }
    },
    get head() {
      return head
    },
    get readTo() {
      return readTo
    },
    get lag() {
      return head === null ? 0n : newest - head.slot
    },
    get movedAt() {
      return movedAt
    },
    get taken() {
      return taken
    },
    get unfinished() {
      return new Set([...inbox.unfinished, ...deps.lateAddresses.late, ...deps.setAside.ids])
    },
    get forks() {
      return forks
    },
  }
}
