// Live status of subscriptions from the outbox, and notices of changes of checkouts.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { type Changes, createFollower, createWakeup, type Wakes } from '#adapters/prisma/events/follower.ts'
import { type BillingSubscription, SUBSCRIPTION_FIELDS, SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'
import type { LiveSubscriptions, Watch } from '#ports/live.ts'
import { SUBSCRIPTIONS } from './tables.ts'

/** The most events that one reading returns. The next reading follows at once when there are more. */
const PAGE = 50

const codec = record(SUBSCRIPTION_FIELDS)

export type LiveSubscriptionsAdapter = LiveSubscriptions & { close(): Promise<void> }

export async function createLiveSubscriptions(db: Database): Promise<LiveSubscriptionsAdapter> {
  const present = async (id: string): Promise<BillingSubscription | null> => {
    const [row] = await db.query(BY_ID, [id])
    return row === undefined ? null : SUBSCRIPTIONS.fromRow(row)
  }
  const { follow, wakes } = await createFollower<BillingSubscription>(db, SUBSCRIPTION_CHANGED, {
    present,
    // The row is read first, so that a change that commits in between is read with its events.
    after: async (id, known) => changesAfter(db, await present(id), known),
  })
  return { follow, watch: (signal) => watchOf(wakes, signal), close: wakes.close }
}

const BY_ID = `SELECT ${SUBSCRIPTIONS.columns} FROM billing_subscriptions WHERE id = $1::uuid`

const EVENTS = `
SELECT data FROM events WHERE subject_kind = '${SUBSCRIPTION_SUBJECT}' AND subject_id = $1::uuid AND version > $2
ORDER BY version, sequence LIMIT ${PAGE}`

async function changesAfter(
  db: Pick<Database, 'query'>,
  now: BillingSubscription | null,
  known: BillingSubscription,
): Promise<Changes<BillingSubscription>> {
  if (now === null || now.version <= known.version) return { states: [], isMore: false }
  const rows = await db.query<{ data: unknown }>(EVENTS, [known.id, known.version])
  const states = rows.map(({ data }) => codec.read(data, 'events.data'))
  if (states.length === PAGE) return { states, isMore: true }
  const [last = known] = states.slice(-1)
  return { states: now.version > last.version ? [...states, now] : states, isMore: false }
}

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
