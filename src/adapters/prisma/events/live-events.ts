// Live status from the outbox: a notice says that an intent changed, its events have the states that it went through.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createSharedReadings } from '#adapters/prisma/events/shared-readings.ts'
import { createWakeup } from '#adapters/prisma/events/wakeup.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import { intentFromJson, intentToJson } from '#core/payments/codec.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { LiveEvents } from '#ports/live-events.ts'

/** The most events that one reading returns. The next reading follows at once when there are more. */
const PAGE = 50

export type LiveEventsAdapter = LiveEvents & { close(): Promise<void> }

export async function createLiveEvents(db: Database): Promise<LiveEventsAdapter> {
  const wakers = new Map<string, Set<() => void>>()
  const readings = createSharedReadings(
    ({ version }: PaymentIntent) => String(version),
    (_intentId, last) => changesAfter(db, last),
  )
  const wakeFollowers = (intentId: string) => {
    readings.forget(intentId)
    for (const wake of wakers.get(intentId) ?? []) wake()
  }
  // Notices are lost with a connection, so every follower reads after one.
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
      const wakeup = createWakeup(signal)
      const unsubscribe = subscribe(intentId, wakeup.notify)
      try {
        const row = await db.prisma.paymentIntent.findUnique({ where: { id: intentId } })
        if (row === null) return
        let last = intentFromPrisma(row)
        yield last
        while (await wakeup.wait()) {
          const { states, isMore } = await readings.after(intentId, last)
          if (isMore) wakeup.notify()
          for (const state of states) {
            last = state
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

type Changes = {
  readonly states: readonly PaymentIntent[]
  /** There are more changes than one reading returns. */
  readonly isMore: boolean
}

/** Returns the states after `known`: the states of its events, then the row when it differs from the last of them. */
async function changesAfter(db: Database, known: PaymentIntent): Promise<Changes> {
  // The row is read first, so that a change that commits in between is read with its events.
  const row = await db.prisma.paymentIntent.findUnique({ where: { id: known.id } })
  if (row === null || row.version <= known.version) return { states: [], isMore: false }
  const states = await statesAfter(db, known)
  if (states.length === PAGE) return { states, isMore: true }
  const [last = known] = states.slice(-1)
  const now = intentFromPrisma(row)
  const isNew = now.version > last.version && differsInState(now, last)
  return { states: isNew ? [...states, now] : states, isMore: false }
}

/** Whether a later state differs from an earlier one in more than its version: some changes have no event. */
function differsInState(later: PaymentIntent, earlier: PaymentIntent): boolean {
  const { version, updatedAt } = earlier
  return JSON.stringify(intentToJson({ ...later, version, updatedAt })) !== JSON.stringify(intentToJson(earlier))
}

/** Returns the states after `known`, oldest first. */
async function statesAfter(db: Database, known: PaymentIntent): Promise<readonly PaymentIntent[]> {
  const events = await db.prisma.event.findMany({
    where: { intentId: known.id, version: { gt: known.version } },
    orderBy: { sequence: 'asc' },
    take: PAGE,
    select: { data: true },
  })
  return events.map(({ data }) => intentFromJson(data))
}
