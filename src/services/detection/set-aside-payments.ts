// Payments whose deposits could not be taken in for some time. Each is stored, so that no crash loses it, and its
// balance is checked after growing pauses. The block cursor and the move to block mode do not wait for set-aside
// payments.
import type { Network } from '#core/chain/types.ts'
import type { Clock } from '#ports/clock.ts'
import type { SetAsidePayment, SetAsideStore } from '#ports/deposit-sources.ts'
import type { Watcher } from './polling/watcher.ts'

/** A payment is set aside after it has failed for this long. */
export const SET_ASIDE_AFTER_MS = 30_000
/** Payments that one round checks. */
const CHECKED_AT_ONCE = 20
/** After each check that explains nothing, the pause is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 10 * 60_000

export type SetAsidePaymentsDeps = {
  readonly network: Network
  readonly store: SetAsideStore
  readonly watcher: Pick<Watcher, 'checkDeeply'>
  /** Returns the slot of the newest block that was read; 0 when none was. Its deposits are in every balance that counts. */
  readonly readToSlot: () => bigint
  readonly wallClock: Clock
}

export class SetAsidePayments {
  readonly #deps: SetAsidePaymentsDeps
  readonly #ids = new Set<string>()

  constructor(deps: SetAsidePaymentsDeps) {
    this.#deps = deps
  }

  /** Loads the payments that are set aside. */
  async load(): Promise<void> {
    const all = await this.#deps.store.allSetAside(this.#deps.network)
    this.#ids.clear()
    for (const id of all) this.#ids.add(id)
  }

  /** Stores payments, with the reason for people. From then on their balances are checked. */
  async put(intentIds: readonly string[], reason: string): Promise<void> {
    if (intentIds.length === 0) return
    const { network, store } = this.#deps
    await store.setAside(network, intentIds, reason, this.#now(), this.#after(FIRST_PAUSE_MS))
    for (const id of intentIds) this.#ids.add(id)
  }

  /** Checks the balances of the payments that are due, in one bounded round. */
  async check(): Promise<void> {
    const due = await this.#deps.store.dueSetAside(this.#deps.network, this.#now(), CHECKED_AT_ONCE)
    if (due.length === 0) return
    const ids = due.map(({ intentId }) => intentId)
    const { again, unfinished } = await this.#deps.watcher.checkDeeply(ids, this.#deps.readToSlot())
    const unexplained = new Set([...again, ...unfinished])
    for (const payment of due) {
      if (unexplained.has(payment.intentId)) await this.#postpone(payment, unfinished.includes(payment.intentId))
      else await this.#end(payment)
    }
  }

  forget(): void {
    this.#ids.clear()
  }

  get ids(): ReadonlySet<string> {
    return this.#ids
  }

  #now(): Date {
    return this.#deps.wallClock.now()
  }

  #after(ms: number): Date {
    return new Date(this.#now().getTime() + ms)
  }

  async #postpone({ intentId, attempts }: SetAsidePayment, isReading: boolean): Promise<void> {
    // The pause does not grow while a long history is read: each check gets further.
    const failed = isReading ? attempts : attempts + 1
    const pause = isReading ? FIRST_PAUSE_MS : FIRST_PAUSE_MS * 2 ** Math.min(failed, 16)
    await this.#deps.store.postponeSetAside(intentId, failed, this.#after(Math.min(pause, MAX_PAUSE_MS)))
  }

  async #end(payment: SetAsidePayment): Promise<void> {
    // Deleted before the row: a `put` at the same moment adds the id after it has stored its own row.
    this.#ids.delete(payment.intentId)
    if (!(await this.#deps.store.endSetAside(payment))) this.#ids.add(payment.intentId)
  }
}
