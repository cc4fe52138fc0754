// The event log of each business as it grows, for any number of followers. docs/decisions/events.md
import type { Database } from '#adapters/prisma/engine/database.ts'
import { EVENTS_ADDED } from '#adapters/prisma/engine/notices.ts'
import { nullWhenUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { EventPosition } from '#core/events/envelope.ts'
import type { LiveEventLog } from '#ports/live.ts'
import { type NewEvents, presentPlace, readAfter } from './event-log.ts'
import { createSharedReadings, createWakes, createWakeup } from './follower.ts'

const PAGE = 20

/** In milliseconds. A notice can be lost, so a follower reads from time to time without one. */
const PAUSES = { idle: 5_000, pending: 100 }

type Place = { readonly tenant: Tenant; readonly after: EventPosition }

export async function createLiveEventLog(
  db: Pick<Database, 'query' | 'listen'>,
  pauses: { readonly idle: number; readonly pending: number } = PAUSES,
): Promise<LiveEventLog & { close(): Promise<void> }> {
  const readings = createSharedReadings<Place, NewEvents>(
    ({ after }) => `${after.transaction} ${after.sequence}`,
    (_accountId, { tenant, after }) => readAfter(db, tenant, after, PAGE),
  )
  const wakes = await createWakes(db, EVENTS_ADDED, readings.forget)
  return {
    present: () => presentPlace(db),
    async *follow(tenant, start, signal) {
      const wakeup = createWakeup(signal)
      const leave = wakes.subscribe(tenant.accountId, wakeup.notify)
      try {
        let after = start
        let pause = pauses.idle
        wakeup.notify()
        while (await wakeup.wait(pause)) {
          const page = await nullWhenUnavailable(readings.after(tenant.accountId, { tenant, after }))
          if (page?.isMore) wakeup.notify()
          pause = page?.isPending ? pauses.pending : pauses.idle
          for (const event of page?.events ?? []) {
            after = event.position
            yield event
          }
        }
      } finally {
        leave()
      }
    },
    close: wakes.close,
  }
}
