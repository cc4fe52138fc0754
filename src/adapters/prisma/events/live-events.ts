// Live status from the outbox: a notice says that an intent changed, its events have the states that it went through.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import { differsInState } from '#core/payments/change.ts'
import { intentFromJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import type { LiveEventLog, LiveEvents } from '#ports/live.ts'
import { presentPlace, readAfter } from './event-log.ts'
import { createFollower, createLogFollower, type LogPauses } from './follower.ts'

export type LiveEventsAdapter = LiveEvents & { close(): Promise<void> }

export async function createLiveEvents(db: Database): Promise<LiveEventsAdapter> {
  const { follow, wakes } = await createFollower<PaymentIntent>(db, INTENT_CHANGED, {
    async present(id) {
      const row = await db.prisma.paymentIntent.findUnique({ where: { id } })
      return row === null ? null : intentFromPrisma(row)
    },
    async eventsAfter({ id, version }, limit) {
      const events = await db.prisma.event.findMany({
        where: { intentId: id, version: { gt: version } },
        orderBy: { sequence: 'asc' },
        take: limit,
        select: { data: true },
      })
      return events.map(({ data }) => intentFromJson(data))
    },
    isNew: differsInState,
  })
  return { follow, close: wakes.close }
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
