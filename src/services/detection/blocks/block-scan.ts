// Reads the finalized chain block by block, without a gap, and takes in every deposit. The cursor never passes a block
// that was not read, or a block whose deposits are not in the database.

import { msSince } from '#lib/time.ts'
import type { BlockPlace, BlockSource, ScannedBlock } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { BlockInbox, type BlockInboxDeps } from './block-inbox.ts'
import type { LateAddresses } from './late-addresses.ts'
import { LinkedBlocks } from './linked-blocks.ts'
import { SlotDiscovery } from './slot-discovery.ts'

const SAVE_EVERY_MS = 2_000

export type BlockScanDeps = BlockInboxDeps & {
  readonly source: Pick<BlockSource, 'finalSlots' | 'nextFinalSlots' | 'finalBlock'>
  readonly store: Pick<DepositSourceStore, 'saveCursor'>
  /** The service's clock, for stored times. */
  readonly clock: Clock
  /** The addresses that blocks are searched for. */
  readonly lateAddresses: Pick<LateAddresses, 'knowsAll' | 'late'>
}

type TakenBlock = { readonly slot: bigint; readonly time: Date | null }

export class BlockScan {
  readonly #deps: BlockScanDeps
  readonly #inbox: BlockInbox
  readonly #slots: SlotDiscovery
  readonly #blocks: LinkedBlocks
  #head: BlockPlace | null = null
  #readTo: Date | null = null
  #taken: TakenBlock | null = null
  #movedAt = 0
  #saved = { slot: 0n, at: 0 }

  constructor(deps: BlockScanDeps) {
    this.#deps = deps
    this.#inbox = new BlockInbox(deps)
    this.#slots = new SlotDiscovery(deps.source, deps.wallClock)
    this.#blocks = new LinkedBlocks({ source: deps.source, onSingle: (found) => this.#slots.learn(found) })
  }

  /** Continues after this block. */
  begin(after: BlockPlace): void {
    this.#head = after
    this.#readTo = null
    this.#taken = null
    this.#saved = { slot: 0n, at: this.#saved.at }
    this.#blocks.clear()
    this.#movedAt = this.#now()
    this.#slots.raise(after.slot)
  }

  /** Takes a finality notice: the chain is final up to this slot. Only a hint. */
  hint(slot: bigint): void {
    this.#slots.hint(slot)
  }

  /** Reads final blocks in one bounded round. `again`: there are more. */
  async runOnce(): Promise<{ readonly blocks: number; readonly again: boolean }> {
    if (this.#head === null) return { blocks: 0, again: false }
    const slots = await this.#slots.next(this.#head.slot, this.#movedAt)
    const blocks = slots.length === 0 ? [] : await this.#blocks.read(this.#head, slots)
    const last = blocks.at(-1)
    // Before anything is taken in: when taking in fails, the inbox keeps the notices and the cursor waits.
    this.#inbox.add(blocks.flatMap(({ notices }) => notices))
    if (last !== undefined) this.#moveTo(last)
    // Also without new blocks: what failed before is tried again.
    await this.#inbox.takeIn()
    if (last !== undefined && this.#deps.lateAddresses.knowsAll) this.#taken = { slot: last.slot, time: last.time }
    await this.#save()
    return { blocks: blocks.length, again: last !== undefined && this.#slots.tip > last.slot }
  }

  /** Takes in deposits of payments with too many of them for a round of `runOnce`, in one bounded round. */
  takeInFlooded(): Promise<void> {
    return this.#inbox.takeInFlooded()
  }

  /** The newest block that was read; null before `begin`. */
  get head(): BlockPlace | null {
    return this.#head
  }

  /** The time of that block; null when it is not known. */
  get readTo(): Date | null {
    return this.#readTo
  }

  /** Slots between the head and the newest slot that is known to be final. */
  get lag(): bigint {
    return this.#head === null ? 0n : this.#slots.newest - this.#head.slot
  }

  /** When the head last moved, in real milliseconds. */
  get movedAt(): number {
    return this.#movedAt
  }

  /** The newest block up to which everything but `unfinished` was taken in; null before the first block. */
  get taken(): TakenBlock | null {
    return this.#taken
  }

  /** Intents, set aside or not, that a block up to there may have paid without the service knowing it yet. */
  get unfinished(): ReadonlySet<string> {
    return new Set([...this.#inbox.unfinished, ...this.#deps.lateAddresses.late, ...this.#deps.setAside.ids])
  }

  /** How often in a row blocks did not follow the head. */
  get forks(): number {
    return this.#blocks.forks
  }

  #now(): number {
    return this.#deps.wallClock.now().getTime()
  }

  #moveTo({ slot, blockhash, time }: ScannedBlock): void {
    this.#head = { slot, blockhash }
    this.#readTo = time
    this.#movedAt = this.#now()
    this.#slots.raise(slot)
  }

  /**
   * Stores the head as the cursor, when everything up to it was taken in. After a restart, reading continues from the
   * cursor: only payments that are set aside, and stored as such, may be unfinished before it.
   */
  async #save(): Promise<void> {
    const head = this.#head
    if (head === null || head.slot === this.#saved.slot) return
    if (msSince(this.#saved.at, this.#now()) < SAVE_EVERY_MS || !this.#isClear()) return
    await this.#deps.store.saveCursor(this.#deps.network, head, this.#deps.clock.now())
    this.#saved = { slot: head.slot, at: this.#now() }
  }

  #isClear(): boolean {
    const { lateAddresses } = this.#deps
    return lateAddresses.knowsAll && this.#inbox.unfinished.length === 0 && lateAddresses.late.size === 0
  }
}
