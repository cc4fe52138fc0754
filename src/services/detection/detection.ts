// How the deposits of a network are found: by balances, address by address, or by blocks, whichever costs fewer RPC
// calls. A switch from one to the other leaves no gap. While block reading is behind, open payments are polled as well.
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Network } from '#core/chain/types.ts'
import { createTurns, type Turns } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import type { BlockPlace, BlockSource, FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, SlotTime } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { Searched } from '#services/payments/expire.ts'
import type { BlockScan } from './blocks/block-scan.ts'
import { BlockSwitch } from './blocks/block-switch.ts'
import type { LateAddresses } from './blocks/late-addresses.ts'
import type { OtherAccounts } from './polling/other-accounts.ts'
import type { WatchScope } from './polling/watched-intents.ts'
import type { Watcher } from './polling/watcher.ts'
import type { SetAsidePayments } from './set-aside-payments.ts'
import { SourceChooser } from './source-chooser.ts'

// How far block reading is behind the chain, and whether it can continue at all.

/** A longer gap is not read block by block: one reading of every address costs less and reports payments sooner. */
export const MAX_GAP_SLOTS = 20_000n
/** Providers keep at least this many slots. */
const SURELY_KEPT_SLOTS = 1_500n
/** Block reading is behind when its head is this far behind the chain, or has not moved for this long. */
const BEHIND_SLOTS = 150n
const STALLED_MS = 45_000
/** After this many forks in a row, the blocks will not follow the cursor any more. */
const MAX_FORKS = 30

type ScanProgressDeps = {
  readonly scan: Pick<BlockScan, 'forks' | 'head' | 'lag' | 'movedAt'>
  readonly source: Pick<BlockSource, 'newestFinalSlot' | 'oldestSlot'>
  readonly wallClock: Clock
}

/** `long`: block reading begins behind. `lost`: the blocks after the cursor cannot all be read, or cost too much. */
type Gap = 'short' | 'long' | 'lost'

class ScanProgress {
  readonly #deps: ScanProgressDeps

  constructor(deps: ScanProgressDeps) {
    this.#deps = deps
  }

  get isBehind(): boolean {
    const { scan, wallClock } = this.#deps
    return scan.lag > BEHIND_SLOTS || msSince(scan.movedAt, wallClock.now().getTime()) > STALLED_MS
  }

  /** Returns how far the cursor is behind the newest final block. */
  async gapAfter({ slot }: BlockPlace): Promise<Gap> {
    const gap = (await this.#deps.source.newestFinalSlot()) - slot
    // Every provider is asked for its oldest block, and one may be away: a short gap is kept by all of them.
    if (gap > MAX_GAP_SLOTS || (gap > SURELY_KEPT_SLOTS && (await this.#isForgotten(slot)))) return 'lost'
    return gap > BEHIND_SLOTS ? 'long' : 'short'
  }

  /** Returns whether blocks contradict the cursor permanently, or every provider dropped them before they were read. */
  async cannotContinue(): Promise<boolean> {
    const { forks, head } = this.#deps.scan
    if (head === null) return false
    return forks > MAX_FORKS || (this.isBehind && (await this.#isForgotten(head.slot)))
  }

  /** Returns whether every provider has dropped the blocks from this slot on. False when no provider answers. */
  async #isForgotten(slot: bigint): Promise<boolean> {
    return slot < (await this.#deps.source.oldestSlot().catch(() => 0n))
  }
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
  readonly setAside: Pick<SetAsidePayments, 'load' | 'put' | 'check' | 'forget' | 'ids'>
  /** Blocks show every token account; addresses are asked for theirs. */
  readonly otherAccounts: Pick<OtherAccounts, 'note' | 'check'>
  /** The source that the operator has chosen; null leaves the choice to the costs. */
  readonly fixed: DepositSourceKind | null
  /** As `SourceCosts`. */
  readonly blockCredits: number
  readonly slotTime: SlotTime
  readonly notices: Pick<AccountNotices, 'coverage' | 'room'> | null
  readonly clock: Clock
  readonly wallClock: Clock
  /** Called when a finality notice says that there are more blocks to read. */
  readonly onFinality: () => void
}

/** A payment is set aside, for the operator to see, when checks have not explained its balance for this long. */
const UNEXPLAINED_MS = 15 * 60_000

/** `switching`: every address is read once before blocks are. */
type Mode = 'polling' | 'switching' | 'blocks'

export class Detection {
  readonly #deps: DetectionDeps
  readonly #switch: BlockSwitch
  readonly #chooser: SourceChooser
  readonly #progress: ScanProgress
  /** Jobs run at the same time. Two switches at the same time would overwrite each other's watch list. */
  readonly #turns: Turns = createTurns()
  #mode: Mode = 'polling'
  #scope: WatchScope = 'all'

  constructor(deps: DetectionDeps) {
    this.#deps = deps
    this.#switch = new BlockSwitch(deps)
    this.#chooser = new SourceChooser(deps)
    this.#progress = new ScanProgress(deps)
  }

  reload(): Promise<void> {
    return this.#exclusively(async () => {
      const { fixed, lateAddresses, setAside, watcher } = this.#deps
      lateAddresses.forget()
      watcher.forget()
      const state = await this.#chooser.read()
      // After the cursor: a leader that was replaced may still set a payment aside, and then move the cursor past its blocks.
      await setAside.load()
      if (state?.source !== 'blocks' || fixed === 'polling') await this.#poll()
      else if (state.cursor === null) await this.#beginSwitch()
      else await this.#resume(state.cursor)
      if (fixed !== null && fixed !== this.#chooser.source) await this.#choose()
    })
  }

  async runOnce(): Promise<void> {
    const { setAside, watcher } = this.#deps
    await watcher.runOnce()
    const overdue = watcher.unexplainedFor(UNEXPLAINED_MS).filter((id) => !setAside.ids.has(id))
    await setAside.put(overdue, 'Its balance has not been explained for 15 minutes.')
    await this.#exclusively(async () => {
      if (this.#mode === 'switching') await this.#finishSwitch()
      else if (this.#mode === 'blocks') await this.#watch(this.#progress.isBehind ? 'open' : 'none')
    })
  }

  /** Reads final blocks, in block mode. */
  async scan(): Promise<{ readonly again: boolean }> {
    if (this.#mode !== 'blocks') return { again: false }
    return await firstOfBoth(this.#deps.scan.runOnce(), this.#deps.lateAddresses.check())
  }

  async catchUp(): Promise<void> {
    await this.#deps.watcher.catchUp()
    await this.#exclusively(async () => {
      if (this.#mode !== 'polling') await this.#deps.lateAddresses.catchUp()
      await this.#choose()
    })
    if (this.#mode === 'polling') await this.#deps.otherAccounts.check()
  }

  /** Reads intents that were created or changed. */
  async refresh(intentIds: readonly string[], change: 'created' | 'changed'): Promise<void> {
    if (this.#mode === 'polling' && change === 'changed') this.#deps.otherAccounts.note(intentIds)
    if (this.#mode !== 'polling' && change === 'created') await this.#deps.lateAddresses.add(intentIds)
    if (this.#scope !== 'none') await this.#deps.watcher.refresh(intentIds)
  }

  readBacklog(): ReturnType<Watcher['readBacklog']> {
    const { scan, setAside, watcher } = this.#deps
    const flooded = this.#mode === 'blocks' ? scan.takeInFlooded() : Promise.resolve()
    return firstOfBoth(watcher.readBacklog(), firstOfBoth(setAside.check(), flooded))
  }

  forget(): void {
    this.#deps.finality.followFinality(null)
    this.#deps.lateAddresses.forget()
    this.#deps.setAside.forget()
    this.#mode = 'polling'
    this.#deps.watcher.forget()
  }

  get loaded(): boolean {
    return this.#deps.watcher.loaded
  }

  /**
   * The block up to which deposits were taken in. Null outside block mode, and while block reading is behind: nothing waits
   * for blocks then, because open payments are polled.
   */
  get taken(): BlockScan['taken'] {
    return this.#mode === 'blocks' && !this.#progress.isBehind ? this.#deps.scan.taken : null
  }

  /** The part of the chain that blocks were searched to, for expiry; null like `taken`, or without block times. */
  get searched(): Searched | null {
    const readTo = this.taken?.time ?? null
    return readTo === null ? null : { readTo, unfinished: this.#deps.scan.unfinished }
  }

  /** Runs one switch after the other, also after one that failed. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    return this.#turns('switch', work)
  }

  async #watch(scope: WatchScope): Promise<void> {
    const { watcher } = this.#deps
    if (watcher.loaded && this.#scope === scope) return
    watcher.forget()
    this.#scope = scope
    await watcher.reload(scope)
  }

  async #poll(): Promise<void> {
    this.#deps.finality.followFinality(null)
    this.#mode = 'polling'
    await this.#watch('all')
  }

  #readBlocks(cursor: BlockPlace): void {
    const { finality, onFinality, scan } = this.#deps
    scan.begin(cursor)
    this.#mode = 'blocks'
    finality.followFinality((slot) => {
      scan.hint(slot)
      onFinality()
    })
  }

  /** Continues to read blocks after the cursor, or begins the switch again when the blocks after it are lost. */
  async #resume(cursor: BlockPlace & { readonly savedAt: Date }): Promise<void> {
    const { lateAddresses } = this.#deps
    const gap = await this.#progress.gapAfter(cursor)
    if (gap === 'lost') return await this.#beginSwitch()
    await lateAddresses.load(cursor.savedAt)
    this.#readBlocks(cursor)
    await this.#watch(gap === 'long' ? 'open' : 'none')
    // For addresses that were created while the others were loaded.
    await lateAddresses.catchUp()
  }

  /** Begins the switch to blocks. While no final block can be read, it fails, and every address is polled. */
  async #beginSwitch(): Promise<void> {
    // From here on, new addresses are added: the addresses from before are being loaded.
    this.#mode = 'switching'
    try {
      await this.#switch.prepare()
    } catch (error) {
      await this.#poll()
      throw error
    }
    await this.#watch('all')
    this.#switch.begin()
  }

  async #finishSwitch(): Promise<void> {
    const anchor = await this.#switch.finish()
    if (anchor === null) return
    this.#readBlocks(anchor)
    await this.#watch('none')
  }

  /** Chooses the source and switches to it. */
  async #choose(): Promise<void> {
    const { source, wallClock, watcher } = this.#deps
    const now = wallClock.now()
    const choice = await this.#chooser.choose(now, this.#mode === 'polling' ? watcher.size : source.watched)
    const switches = choice.source === 'blocks' && (this.#mode === 'polling' || (await this.#mustBeginAgain()))
    const remaining = choice.source === 'blocks' ? this.#remaining(switches) : ''
    await this.#chooser.save({ ...choice, reason: choice.reason + remaining })
    if (switches) await this.#beginSwitch()
    if (choice.source === 'polling' && this.#mode !== 'polling') await this.#poll()
  }

  async #mustBeginAgain(): Promise<boolean> {
    return this.#mode === 'blocks' && (await this.#progress.cannotContinue())
  }

  /** Describes, after the reason of a choice, what block reading still has to do. */
  #remaining(switches: boolean): string {
    if (switches || this.#mode === 'switching') return '; every address is read once before'
    return this.#mode === 'blocks' && this.#progress.isBehind
      ? `; ${this.#deps.scan.lag} slots behind, so open payments are polled as well`
      : ''
  }
}

/** Returns what the first work returns, after both have ended. Throws the failure of either, the first's before. */
async function firstOfBoth<Result>(first: Promise<Result>, second: Promise<void>): Promise<Result> {
  const [result, other] = await Promise.allSettled([first, second])
  if (result.status === 'rejected') throw result.reason
  if (other.status === 'rejected') throw other.reason
  return result.value
}
