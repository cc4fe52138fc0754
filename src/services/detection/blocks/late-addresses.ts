// The addresses that blocks are searched for. An address is late when blocks that could have paid it were read before
// it was added. A late address is read by its balance once; later blocks report its payments. A balance that stays
// unexplained is set aside.
import type { Network } from '#core/chain/types.ts'
import { forEachPage } from '#lib/pages.ts'
import { msSince } from '#lib/time.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore, WatchedAddress } from '#ports/deposit-sources.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { SET_ASIDE_AFTER_MS, type SetAsidePayments } from '#services/detection/set-aside-payments.ts'

const PAGE = 20_000
/** The clocks of chain and service differ, and a block's time is in whole seconds. */
const MARGIN_MS = 5_000
/** A notice of a new address may have been lost this long before the cursor was last saved, or before the last catch-up. */
const DOUBTFUL_MS = 3 * 60_000
const CHECKED_AT_ONCE = 500
/** Catching up is due every minute. Later than this, new addresses may be unknown. */
const CAUGHT_UP_MS = 150_000

export type LateAddressesDeps = {
  readonly network: Network
  readonly source: Pick<BlockSource, 'watch'>
  readonly store: Pick<DepositSourceStore, 'addresses'>
  readonly intents: Pick<IntentWorkStore, 'watched'>
  readonly watcher: Pick<Watcher, 'checkOnce'>
  readonly setAside: Pick<SetAsidePayments, 'put'>
  /** Returns the time of the newest block that was read; null when it is not known. */
  readonly readTo: () => Date | null
  /** Returns the slot of the newest block that was read; 0 when none was. Its deposits are in every balance that counts. */
  readonly readToSlot: () => bigint
  readonly wallClock: Clock
}

type NewAddress = Pick<WatchedAddress, 'intentId' | 'address' | 'createdAt'>

export class LateAddresses {
  readonly #deps: LateAddressesDeps
  readonly #late = new Set<string>()
  /** When a check first did not explain a balance, in real milliseconds. */
  readonly #unexplainedSince = new Map<string, number>()
  #caughtUpAt = Number.NEGATIVE_INFINITY

  constructor(deps: LateAddressesDeps) {
    this.#deps = deps
  }

  /** Loads every address. Addresses that are younger than `since`, less a margin, are late. */
  async load(since: Date | null): Promise<void> {
    const doubtful = since === null ? Number.POSITIVE_INFINITY : since.getTime() - DOUBTFUL_MS
    await this.#readPages(null, (page) => {
      this.#deps.source.watch(page.map(({ address }) => address))
      for (const { intentId, createdAt } of page) if (createdAt.getTime() > doubtful) this.#late.add(intentId)
    })
    this.#caughtUpAt = this.#now()
  }

  /** Adds the addresses of intents that were just created. */
  async add(intentIds: readonly string[]): Promise<void> {
    const intents = await this.#deps.intents.watched(intentIds)
    const own = intents.filter(({ network }) => network === this.#deps.network)
    this.#addNew(own.map(({ id, ...intent }) => ({ intentId: id, ...intent })))
  }

  /** Adds the addresses of intents that are open or have ended since the last catch-up, in case a notice was lost. */
  async catchUp(): Promise<void> {
    const startedAt = this.#now()
    const endedSince = new Date(Math.max(0, this.#caughtUpAt - DOUBTFUL_MS))
    await this.#readPages(endedSince, (page) => this.#addNew(page))
    this.#caughtUpAt = startedAt
  }

  /** Checks the balances of a number of late addresses. Sets aside a payment that stays unexplained for too long. */
  async check(): Promise<void> {
    if (this.#late.size === 0) return
    const asked = [...this.#late].slice(0, CHECKED_AT_ONCE)
    const unexplained = new Set(await this.#deps.watcher.checkOnce(asked, this.#deps.readToSlot()))
    for (const id of asked) this.#file(id, unexplained.has(id))
    await this.#setAsideOverdue()
  }

  forget(): void {
    this.#late.clear()
    this.#unexplainedSince.clear()
    this.#caughtUpAt = Number.NEGATIVE_INFINITY
  }

  /** Whether every address that could be paid by now was added, late or not. */
  get knowsAll(): boolean {
    return msSince(this.#caughtUpAt, this.#now()) < CAUGHT_UP_MS
  }

  /** Intents whose late addresses have yet to be checked. */
  get late(): ReadonlySet<string> {
    return this.#late
  }

  #now(): number {
    return this.#deps.wallClock.now().getTime()
  }

  #addNew(addresses: readonly NewAddress[]): void {
    const fresh = new Set(this.#deps.source.watch(addresses.map(({ address }) => address)))
    const readTo = this.#deps.readTo()
    for (const { intentId, address, createdAt } of addresses) {
      if (!fresh.has(address)) continue
      if (readTo === null || createdAt.getTime() < readTo.getTime() + MARGIN_MS) this.#late.add(intentId)
    }
  }

  #readPages(endedSince: Date | null, work: (page: readonly WatchedAddress[]) => void): Promise<void> {
    const { network, store } = this.#deps
    return forEachPage(
      PAGE,
      (afterIndex) => store.addresses(network, { afterIndex, limit: PAGE, endedSince }),
      ({ derivationIndex }) => derivationIndex,
      work,
    )
  }

  /** Drops an explained address. Moves an unexplained address behind the others. */
  #file(id: string, isUnexplained: boolean): void {
    this.#late.delete(id)
    if (isUnexplained) this.#late.add(id)
    if (!isUnexplained) this.#unexplainedSince.delete(id)
    else if (!this.#unexplainedSince.has(id)) this.#unexplainedSince.set(id, this.#now())
  }

  async #setAsideOverdue(): Promise<void> {
    const overdue = [...this.#unexplainedSince]
      .filter(([, since]) => msSince(since, this.#now()) >= SET_ASIDE_AFTER_MS)
      .map(([id]) => id)
    await this.#deps.setAside.put(overdue, 'Its address was searched for too late, and its balance is not explained.')
    for (const id of overdue) {
      this.#late.delete(id)
      this.#unexplainedSince.delete(id)
    }
  }
}
