// Live status from the outbox: a notice says that an intent changed, its events have the states that it went through.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import { differsInState } from '#core/payments/change.ts'
import { intentFromJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import type { LiveEventLog, LiveEvents } from '#ports/live.ts'
import { presentPlace, readAfter } from './event-log.ts'
import { type Changes, createFollower, createLogFollower, type LogPauses } from './follower.ts'

/** The most events that one reading returns. The next reading follows at once when there are more. */
const PAGE = 50

export type LiveEventsAdapter = LiveEvents & { close(): Promise<void> }

export async function createLiveEvents(db: Database): Promise<LiveEventsAdapter> {
  const { follow, wakes } = await createFollower<PaymentIntent>(db, INTENT_CHANGED, {
    async present(id) {
      const row = await db.prisma.paymentIntent.findUnique({ where: { id } })
      return row === null ? null : intentFromPrisma(row)
    },
    after: (_id, last) => changesAfter(db, last),
  })
  return { follow, close: wakes.close }
}

/** Returns the states after `known`: the states of its events, then the row when it differs from the last of them. */
async function changesAfter(db: Database, known: PaymentIntent): Promise<Changes<PaymentIntent>> {
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

// The event log of each business as it grows, for any number of followers. docs/decisions/events.md

const LOG_PAGE = 20

export async function createLiveEventLog(
  db: Pick<Database, 'query' | 'listen'>,
  pauses?: LogPauses,
): Promise<LiveEventLog & { close(): Promise<void> }> {
  const follower = await createLogFollower(db, (tenant, after) => readAfter(db, tenant, after, LOG_PAGE), pauses)
  return { present: () => presentPlace(db), ...follower }
}
