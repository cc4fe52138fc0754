// Live status from the outbox: a notice says that an intent changed, its events say through which states it went.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import { intentFromJson, intentToJson } from '#core/payments/codec.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { LiveEvents } from '#ports/live-events.ts'

/** Events that one notice is followed by at most; more come with the next look, which follows at once. */
const PAGE = 50

export type LiveEventsAdapter = LiveEvents & { close(): Promise<void> }

export async function createLiveEvents(db: Database): Promise<LiveEventsAdapter> {
  const wakers = new Map<string, Set<() => void>>()
  const looks = createLooks((told) => newsAfter(db, told))
  const wakeFollowers = (intentId: string) => {
    looks.forget(intentId)
    for (const wake of wakers.get(intentId) ?? []) wake()
  }
  // After a lost connection every follower looks for itself: notices in between are gone.
  const wakeAll = () => {
    for (const intentId of wakers.keys()) wakeFollowers(intentId)
  }
  const unlisten = await db.listen(INTENT_CHANGED, wakeFollowers, wakeAll)

  const subscribe = (intentId: string, wake: () => void): (() => void) => {
    const waiting = wakers.get(intentId) ?? new Set()
    wakers.set(intentId, waiting.add(wake))
    return () => {
      waiting.delete(wake)
      if (waiting.size === 0) wakers.delete(intentId)
    }
  }

  return {
    async *follow(intentId, signal) {
      const bell = createBell(signal)
      const unsubscribe = subscribe(intentId, bell.ring)
      try {
        const row = await db.prisma.paymentIntent.findUnique({ where: { id: intentId } })
        if (row === null) return
        let told = intentFromPrisma(row)
        yield told
        while (await bell.rung()) {
          const { states, isMore } = await looks.after(told)
          if (isMore) bell.ring()
          for (const state of states) {
            told = state
            yield state
          }
        }
      } finally {
        unsubscribe()
      }
    },
    close: unlisten,
  }
}

type News = {
  readonly states: readonly PaymentIntent[]
  /** More came than one look shows. */
  readonly isMore: boolean
}

/**
 * Followers of an intent that know the same state share a look, however many they are. A look that began before the last
 * notice is not shared any more, because it may have missed what that notice was about.
 */
function createLooks(look: (told: PaymentIntent) => Promise<News>) {
  const underWay = new Map<string, Map<number, Promise<News>>>()
  return {
    forget: (intentId: string): void => void underWay.delete(intentId),
    after(told: PaymentIntent): Promise<News> {
      const own = underWay.get(told.id) ?? new Map<number, Promise<News>>()
      const shared = own.get(told.version)
      if (shared !== undefined) return shared
      underWay.set(told.id, own)
      const looking = look(told).finally(() => {
        own.delete(told.version)
        if (own.size === 0 && underWay.get(told.id) === own) underWay.delete(told.id)
      })
      own.set(told.version, looking)
      return looking
    },
  }
}

/** What came after a state that was told: the states of its events, then the row where that says more. */
async function newsAfter(db: Database, told: PaymentIntent): Promise<News> {
  // The row comes first: of a change that commits in between, the events are read and not only their end.
  const row = await db.prisma.paymentIntent.findUnique({ where: { id: told.id } })
  if (row === null || row.version <= told.version) return { states: [], isMore: false }
  const states = await statesAfter(db, told)
  if (states.length === PAGE) return { states, isMore: true }
  const [last = told] = states.slice(-1)
  const now = intentFromPrisma(row)
  const isNew = now.version > last.version && saysMore(now, last)
  return { states: isNew ? [...states, now] : states, isMore: false }
}

/** Whether a later state shows anything that the one before does not: some changes have no event. */
function saysMore(later: PaymentIntent, told: PaymentIntent): boolean {
  const { version, updatedAt } = told
  return JSON.stringify(intentToJson({ ...later, version, updatedAt })) !== JSON.stringify(intentToJson(told))
}

/** The states after one that was told, in the order in which they came to be. */
async function statesAfter(db: Database, told: PaymentIntent): Promise<readonly PaymentIntent[]> {
  const events = await db.prisma.event.findMany({
    where: { intentId: told.id, version: { gt: told.version } },
    orderBy: { sequence: 'asc' },
    take: PAGE,
    select: { data: true },
  })
  return events.map(({ data }) => intentFromJson(data))
}

/** Remembers that it rang, so that a notice between two looks is not lost. */
function createBell(signal: AbortSignal): { ring: () => void; rung: () => Promise<boolean> } {
  let rings = 0
  let wake = () => {}
  const ring = () => {
    rings += 1
    wake()
  }
  signal.addEventListener('abort', () => wake(), { once: true })
  return {
    ring,
    async rung() {
      if (rings === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      rings = 0
      return !signal.aborted
    },
  }
}
