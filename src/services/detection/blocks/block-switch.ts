// The switch from polling to blocks. A final block is the anchor; then every address is read once; then blocks are read
// from the anchor on. So every payment is seen by one of the two.
import type { Network } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { BlockPlace, BlockSource } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { SET_ASIDE_AFTER_MS, type SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import type { LateAddresses } from './late-addresses.ts'

/** Slots that are listed to find the anchor: the newest slots may have been skipped. */
const TIP_SLOTS = 64

export type BlockSwitchDeps = {
  readonly network: Network
  readonly watcher: Pick<Watcher, 'readAll' | 'unexplained'>
  readonly source: Pick<BlockSource, 'newestFinalSlot' | 'finalSlots' | 'finalBlock'>
  readonly store: Pick<DepositSourceStore, 'saveCursor'>
  readonly lateAddresses: Pick<LateAddresses, 'load'>
  readonly setAside: Pick<SetAsidePayments, 'put'>
  readonly clock: Clock
  readonly wallClock: Clock
}

export class BlockSwitch {
  readonly #deps: BlockSwitchDeps
  #anchor: BlockPlace | null = null
  /** When every address had been read, in real milliseconds. */
  #readAllAt: number | null = null

  constructor(deps: BlockSwitchDeps) {
    this.#deps = deps
  }

  /** Fixes the anchor. Throws when no final block can be read. */
  async prepare(): Promise<void> {
    await this.#deps.lateAddresses.load(null)
    this.#anchor = await newestBlock(this.#deps.source)
    if (this.#anchor === null) throw new Error('no final block can be read')
  }

  /** Makes every watched address due to be read. */
  begin(): void {
    this.#deps.watcher.readAll()
    this.#readAllAt = null
  }

  /**
   * Returns the anchor, stored as the cursor, once every balance is explained or its payment is set aside; until then
   * null.
   */
  async finish(): Promise<BlockPlace | null> {
    const { clock, network, setAside, store, watcher } = this.#deps
    const anchor = this.#anchor
    const { unexplained } = watcher
    if (unexplained === null) this.#readAllAt = null
    if (unexplained === null || anchor === null) return null
    const now = this.#deps.wallClock.now().getTime()
    this.#readAllAt ??= now
    if (unexplained.size > 0 && msSince(this.#readAllAt, now) < SET_ASIDE_AFTER_MS) return null
    // Stored before the cursor: after a crash, blocks are read from the anchor on.
    await setAside.put([...unexplained], 'Its balance was not explained when reading by blocks began.')
    await store.saveCursor(network, anchor, clock.now())
    return anchor
  }
}

/** Returns the newest final block that can be read; null when there is none. */
async function newestBlock(source: BlockSwitchDeps['source']): Promise<BlockPlace | null> {
  const newest = await source.newestFinalSlot()
  const slots = await source.finalSlots(newest - BigInt(TIP_SLOTS), TIP_SLOTS, true)
  for (const slot of slots.toReversed()) {
    const block = await source.finalBlock(slot)
    if (block !== null) return { slot: block.slot, blockhash: block.blockhash }
  }
  return null
}
