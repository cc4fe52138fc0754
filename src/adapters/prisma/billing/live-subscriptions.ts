// Live status of subscriptions from the outbox, and notices of changes of checkouts.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createFollower, createWakeup, type Wakes } from '#adapters/prisma/events/follower.ts'
import { type BillingSubscription, SUBSCRIPTION_FIELDS, SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'
import type { LiveSubscriptions, Watch } from '#ports/live.ts'
import { SUBSCRIPTIONS } from './tables.ts'

const codec = record(SUBSCRIPTION_FIELDS)

export type LiveSubscriptionsAdapter = LiveSubscriptions & { close(): Promise<void> }

export async function createLiveSubscriptions(db: Database): Promise<LiveSubscriptionsAdapter> {
  const { follow, wakes } = await createFollower<BillingSubscription>(db, SUBSCRIPTION_CHANGED, {
    async present(id) {
      const [row] = await db.query(BY_ID, [id])
      return row === undefined ? null : SUBSCRIPTIONS.fromRow(row)
    },
    async eventsAfter({ id, version }, limit) {
      const rows = await db.query<{ data: unknown }>(EVENTS, [id, version, limit])
      return rows.map(({ data }) => codec.read(data, 'events.data'))
    },
    isNew: () => true,
  })
  return { follow, watch: (signal) => watchOf(wakes, signal), close: wakes.close }
}

const BY_ID = `SELECT ${SUBSCRIPTIONS.columns} FROM billing_subscriptions WHERE id = $1::uuid`

const EVENTS = `
SELECT data FROM events WHERE subject_kind = '${SUBSCRIPTION_SUBJECT}' AND subject_id = $1::uuid AND version > $2
ORDER BY version, sequence LIMIT $3::int`

function watchOf(wakes: Wakes, signal: AbortSignal): Watch {
  const wakeup = createWakeup(signal)
  const included = new Set<string>()
  const ends: (() => void)[] = []
  const endAll = () => {
    for (const end of ends) end()
  }
  signal.addEventListener('abort', endAll, { once: true })
  return {
    include(ids) {
      if (signal.aborted) return false
      const added = ids.filter((id): id is string => id !== null && !included.has(id))
      for (const id of added) {
        included.add(id)
        ends.push(wakes.subscribe(id, wakeup.notify))
      }
      return added.length > 0
    },
    changed: () => wakeup.wait(),
  }
}
