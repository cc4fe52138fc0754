// Payments whose deposits could not be taken in for some time. Each is stored, so that no crash loses it, and read by its
// address with growing pauses. The block cursor and the move to block mode do not wait for them.
import type { Network } from '#core/chain/types.ts'
import type { Clock } from '#ports/clock.ts'
import type { SetAsidePayment, SetAsideStore } from '#ports/deposit-sources.ts'
import type { Watcher } from './polling/watcher.ts'

/** How long a payment may fail before it is set aside. */
export const PATIENCE_MS = 30_000
/** Payments that one round looks at. */
const LOOKED_AT_ONCE = 20
/** After each look that explains nothing, the pause is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 10 * 60_000

export type SetAside = {
  /** Loads the payments that are set aside. */
  load(): Promise<void>
  /** Stores payments, with the reason for people. From then on they are read by their addresses. */
  put(intentIds: readonly string[], reason: string): Promise<void>
  /** Looks at the payments whose turn it is, in one bounded round. */
  look(): Promise<void>
  forget(): void
  readonly ids: ReadonlySet<string>
}

export function createSetAside(deps: {
  network: Network
  store: SetAsideStore
  watcher: Pick<Watcher, 'checkDeeply'>
  wallClock: Clock
}): SetAside {
  const { network, store } = deps
  const ids = new Set<string>()
  const now = () => deps.wallClock.now()
  const after = (ms: number) => new Date(now().getTime() + ms)

  const postpone = async ({ intentId, attempts }: SetAsidePayment, isReading: boolean): Promise<void> => {
    // A long history is read on without a longer pause: each look gets further.
    const failed = isReading ? attempts : attempts + 1
    const pause = isReading ? FIRST_PAUSE_MS : FIRST_PAUSE_MS * 2 ** Math.min(failed, 16)
    await store.postponeSetAside(intentId, failed, after(Math.min(pause, LONGEST_PAUSE_MS)))
  }

  const end = async (payment: SetAsidePayment): Promise<void> => {
    // Before the row goes: a `put` at the same moment adds the id after its own row is stored.
    ids.delete(payment.intentId)
    if (!(await store.endSetAside(payment))) ids.add(payment.intentId)
  }

  return {
    async load() {
      const all = await store.allSetAside(network)
      ids.clear()
      for (const id of all) ids.add(id)
    },
    async put(intentIds, reason) {
      if (intentIds.length === 0) return
      await store.setAside(network, intentIds, reason, now(), after(FIRST_PAUSE_MS))
      for (const id of intentIds) ids.add(id)
    },
    async look() {
      const due = await store.dueSetAside(network, now(), LOOKED_AT_ONCE)
      if (due.length === 0) return
      const { again, unfinished } = await deps.watcher.checkDeeply(due.map(({ intentId }) => intentId))
      const unexplained = new Set([...again, ...unfinished])
      for (const payment of due) {
        if (unexplained.has(payment.intentId)) await postpone(payment, unfinished.includes(payment.intentId))
        else await end(payment)
      }
    },
    forget: () => ids.clear(),
    ids,
  }
}
