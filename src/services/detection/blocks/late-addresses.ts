// Which addresses blocks are searched for. One that joins after blocks were read which could have paid it is read by its
// address, once: from then on, blocks tell of it. A balance that stays unexplained is set aside.
import type { Network } from '#core/chain/types.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore, WatchedAddress } from '#ports/deposit-sources.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { PATIENCE_MS, type SetAside } from '#services/detection/set-aside.ts'

const PAGE = 20_000
/** Chain and service do not tell the time alike, and a block's time is whole seconds. */
const MARGIN_MS = 5_000
/** Before the last cursor was saved, a notice of a new address may have been lost for as long as it takes to catch up. */
const DOUBTFUL_MS = 3 * 60_000
const LOOKED_AT_ONCE = 500
/** Catching up is due every minute; without it, new addresses may have been missed. */
const CAUGHT_UP_MS = 150_000

export type LateAddresses = {
  /** Loads every address. Those that are younger than `since`, less a margin, are read by their address. */
  load(since: Date | null): Promise<void>
  /** Payments that were just made, or changed. */
  join(intentIds: readonly string[]): Promise<void>
  /** Open payments that no notice told of. */
  catchUp(): Promise<void>
  /** Reads a number of late addresses. One that stays unexplained for `PATIENCE_MS` is set aside. */
  look(): Promise<void>
  forget(): void
  /** Whether every address that could be paid by now is searched for, those who joined late included. */
  readonly knowsAll: boolean
  /** Those whose balance has yet to tell what earlier blocks brought. */
  readonly late: ReadonlySet<string>
}

export function createLateAddresses(deps: {
  network: Network
  source: Pick<BlockSource, 'watch'>
  store: Pick<DepositSourceStore, 'addresses'>
  intents: Pick<IntentWorkStore, 'watched'>
  watcher: Pick<Watcher, 'checkOnce'>
  setAside: Pick<SetAside, 'put'>
  /** The time of the newest block that was read; null when it is not known. */
  readTo: () => Date | null
  wallClock: Clock
}): LateAddresses {
  const late = new Set<string>()
  /** When a look first did not explain the balance, in real milliseconds. */
  const unexplainedSince = new Map<string, number>()
  let caughtUpAt = Number.NEGATIVE_INFINITY
  const now = () => deps.wallClock.now().getTime()

  const add = (joining: readonly Pick<WatchedAddress, 'intentId' | 'address' | 'createdAt'>[]): void => {
    const fresh = new Set(deps.source.watch(joining.map(({ address }) => address)))
    const readTo = deps.readTo()
    for (const { intentId, address, createdAt } of joining) {
      if (!fresh.has(address)) continue
      if (readTo === null || createdAt.getTime() < readTo.getTime() + MARGIN_MS) late.add(intentId)
    }
  }

  const readPages = async (open: boolean, take: (page: readonly WatchedAddress[]) => void): Promise<void> => {
    for (let afterIndex = 0; ; ) {
      const page = await deps.store.addresses(deps.network, { afterIndex, limit: PAGE, open })
      take(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      afterIndex = last.derivationIndex
    }
  }

  return {
    async load(since) {
      const doubtful = since === null ? Number.POSITIVE_INFINITY : since.getTime() - DOUBTFUL_MS
      await readPages(false, (page) => {
        deps.source.watch(page.map(({ address }) => address))
        for (const { intentId, createdAt } of page) if (createdAt.getTime() > doubtful) late.add(intentId)
      })
      caughtUpAt = now()
    },
    async join(intentIds) {
      const intents = await deps.intents.watched(intentIds)
      add(
        intents
          .filter(({ network }) => network === deps.network)
          .map(({ id, ...intent }) => ({ intentId: id, ...intent })),
      )
    },
    async catchUp() {
      await readPages(true, add)
      caughtUpAt = now()
    },
    async look() {
      if (late.size === 0) return
      const asked = [...late].slice(0, LOOKED_AT_ONCE)
      const again = new Set(await deps.watcher.checkOnce(asked))
      for (const id of asked) {
        late.delete(id)
        // At the end, so that the others have their turn first.
        if (again.has(id)) late.add(id)
        if (!again.has(id)) unexplainedSince.delete(id)
        else if (!unexplainedSince.has(id)) unexplainedSince.set(id, now())
      }
      const overdue = [...unexplainedSince].filter(([, since]) => now() - since >= PATIENCE_MS).map(([id]) => id)
      await deps.setAside.put(overdue, 'Its address was searched for too late, and its balance is not explained.')
      for (const id of overdue) {
        late.delete(id)
        unexplainedSince.delete(id)
      }
    },
    forget() {
      late.clear()
      unexplainedSince.clear()
      caughtUpAt = Number.NEGATIVE_INFINITY
    },
    get knowsAll() {
      return now() - caughtUpAt < CAUGHT_UP_MS
    },
    late,
  }
}
