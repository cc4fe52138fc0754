import { setTimeout as sleep } from 'node:timers/promises'
import { UNFLUSHED } from '#adapters/prisma/sql.ts'
import { inGroups } from '#lib/values.ts'
import type { Database } from './engine.ts'

// Notices between instances when a transaction commits: a hint to read, never the data itself.

/** An intent changed; the payload is its id. */
export const INTENT_CHANGED = 'intent_changed'
/** Intents were created; the payload is their ids, separated by commas (a payload has at most 8,000 bytes). */
export const INTENTS_CREATED = 'intents_created'
/** Events wait for delivery; no payload. */
export const DELIVERIES_DUE = 'deliveries_due'
/** Transfers were planned, or planned again; the payload is the number of subjects, or empty for a few. */
export const TRANSFERS_DUE = 'transfers_due'
/** Accounts, keys or the allowlist changed; no payload. */
export const DIRECTORY_CHANGED = 'directory_changed'
/** The sandbox's clock was moved; no payload. */
export const CLOCK_MOVED = 'clock_moved'
/** A subscription or a checkout of one changed; the payload is its id. */
export const SUBSCRIPTION_CHANGED = 'subscription_changed'
/** Events were added to the log of a business; the payload is its id. */
export const EVENTS_ADDED = 'events_added'

// Notices after a commit instead of in it. PostgreSQL lets transactions that notify commit one at a time, each with its
// write to the disk: statements that are to commit at the same time send no notice themselves.

/** Sends the ids to the channel's listeners soon; without ids, one notice without a payload. Never fails. */
export type Announce = (channel: string, ids?: readonly string[]) => void

/** 150 ids of 37 characters are shorter than PostgreSQL's limit of 8,000 bytes. */
const IDS_PER_NOTICE = 150

/** Milliseconds from the end of one statement to the next. */
const PAUSE = 10

const NOTIFY = `
WITH ${UNFLUSHED}
SELECT pg_notify(channel, payload)
FROM unflushed CROSS JOIN unnest($1::text[], $2::text[]) AS notice(channel, payload)`

/**
 * Returns a sender of notices with at most one statement under way; ids that arrive until `PAUSE` after its end share the
 * next one. A notice that is not sent, because the database is away or this process ends, is a lost notice: its listeners find
 * the change in their next round.
 */
export function createLateNotices(db: Pick<Database, 'query'>): Announce {
  const waiting = new Map<string, string[]>()
  let sending = false

  async function send(): Promise<void> {
    if (sending) return
    sending = true
    try {
      while (waiting.size > 0) {
        const notices = takeNotices(waiting)
        await db.query(NOTIFY, [notices.map(({ channel }) => channel), notices.map(({ payload }) => payload)])
        await sleep(PAUSE, undefined, { ref: false })
      }
    } catch {
      waiting.clear()
    } finally {
      sending = false
    }
  }

  return (channel, ids) => {
    if (ids?.length === 0) return
    waiting.set(channel, [...(waiting.get(channel) ?? []), ...(ids ?? [])])
    void send()
  }
}

type Notice = { readonly channel: string; readonly payload: string }

/** Empties `waiting` into notices of at most `IDS_PER_NOTICE` ids. */
function takeNotices(waiting: Map<string, string[]>): readonly Notice[] {
  const notices = [...waiting].flatMap(([channel, ids]) =>
    (ids.length === 0 ? [[]] : inGroups(ids, IDS_PER_NOTICE)).map((group) => ({ channel, payload: group.join(',') })),
  )
  waiting.clear()
  return notices
}
