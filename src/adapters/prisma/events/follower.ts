// Follows subjects: a notice says that one changed, a reading returns the states after the last one that was delivered.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { EVENTS_ADDED } from '#adapters/prisma/engine/notices.ts'
import { nullWhenUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { EventPosition } from '#core/events/envelope.ts'

// A signal between a notifier and one waiter.

export type Wakeup = {
  /** A notice that comes between two waits is kept. */
  notify(): void
  /** Resolves after a notice, or after `ms` milliseconds where they are given. Resolves to false once the signal aborts. */
  wait(ms?: number): Promise<boolean>
}

export function createWakeup(signal: AbortSignal): Wakeup {
  let isNotified = false
  let wake = () => {}
  const notify = () => {
    isNotified = true
    wake()
  }
  signal.addEventListener('abort', () => wake(), { once: true })
  return {
    notify,
    async wait(ms) {
      if (!isNotified && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
        await promise
        clearTimeout(timer)
      }
      isNotified = false
      return !signal.aborted
    },
  }
}

// Followers of one subject that are at the same place share a reading.

export type SharedReadings<Place, Result> = {
  /** Readings of the subject that are under way are not shared any more, because they may lack the last change. */
  forget(subject: string): void
  after(subject: string, place: Place): Promise<Result>
}

/** `keyOf` names a place of a subject. */
export function createSharedReadings<Place, Result>(
  keyOf: (place: Place) => string,
  read: (subject: string, place: Place) => Promise<Result>,
): SharedReadings<Place, Result> {
  const underWay = new Map<string, Map<string, Promise<Result>>>()
  return {
    forget: (subject) => void underWay.delete(subject),
    after(subject, place) {
      const key = keyOf(place)
      const own = underWay.get(subject) ?? new Map<string, Promise<Result>>()
      const shared = own.get(key)
      if (shared !== undefined) return shared
      underWay.set(subject, own)
      const reading = read(subject, place).finally(() => {
        own.delete(key)
        if (own.size === 0 && underWay.get(subject) === own) underWay.delete(subject)
      })
      own.set(key, reading)
      return reading
    },
  }
}

/** In milliseconds. After a reading that found no database, a follower waits this long for a notice, and then reads again. */
const READ_AGAIN_MS = 1_000

/** The most events that one reading returns. The next reading follows at once when there are more. */
const PAGE = 50

export type Source<State> = {
  /** Returns the present state; null when there is no such subject. */
  present(subject: string): Promise<State | null>
  /** Returns the states of the oldest events after one that was delivered. */
  eventsAfter(known: State, limit: number): Promise<readonly State[]>
  /** Returns whether a later state without an event is delivered after the last one. */
  isNew(now: State, last: State): boolean
}

type Changes<State> = { readonly states: readonly State[]; readonly isMore: boolean }

/** Returns the states after `known`: those of its events, then the present one when it differs from the last of them. */
async function changesAfter<State extends { readonly version: number }>(
  source: Source<State>,
  subject: string,
  known: State,
): Promise<Changes<State>> {
  // The present is read first, so that a change that commits in between is read with its events.
  const now = await source.present(subject)
  if (now === null || now.version <= known.version) return { states: [], isMore: false }
  const states = await source.eventsAfter(known, PAGE)
  if (states.length === PAGE) return { states, isMore: true }
  const last = states.at(-1) ?? known
  const isNew = now.version > last.version && source.isNew(now, last)
  return { states: isNew ? [...states, now] : states, isMore: false }
}

/** Wakes on notices, and on every one that may have been lost. */
export type Wakes = {
  /** Returns a function that ends it. */
  subscribe(subject: string, wake: () => void): () => void
  close(): Promise<void>
}

/** Listens to the notices of a channel, whose payloads are ids of subjects. `before` is called before followers wake. */
export async function createWakes(
  db: Pick<Database, 'listen'>,
  channel: string,
  before: (subject: string) => void = () => {},
): Promise<Wakes> {
  const wakers = new Map<string, Set<() => void>>()
  const wakeFollowers = (subject: string) => {
    before(subject)
    for (const wake of wakers.get(subject) ?? []) wake()
  }
  // Notices are lost with a connection, so every follower reads after one.
  const wakeAll = () => {
    for (const subject of wakers.keys()) wakeFollowers(subject)
  }
  const unlisten = await db.listen(channel, wakeFollowers, wakeAll)
  return {
    subscribe(subject, wake) {
      const waiting = wakers.get(subject) ?? new Set()
      wakers.set(subject, waiting.add(wake))
      return () => {
        if (waiting.delete(wake) && waiting.size === 0) wakers.delete(subject)
      }
    },
    close: unlisten,
  }
}

/**
 * Returns what follows a subject: its present state, then every later one, until the signal aborts. An outage of the database
 * delays the later ones.
 */
export async function createFollower<State extends { readonly version: number }>(
  db: Pick<Database, 'listen'>,
  channel: string,
  source: Source<State>,
): Promise<{
  readonly wakes: Wakes
  follow(subject: string, signal: AbortSignal): AsyncIterable<State>
}> {
  const readings = createSharedReadings(
    ({ version }: State) => String(version),
    (subject, known) => changesAfter(source, subject, known),
  )
  const wakes = await createWakes(db, channel, readings.forget)
  return {
    wakes,
    async *follow(subject, signal) {
      const wakeup = createWakeup(signal)
      const unsubscribe = wakes.subscribe(subject, wakeup.notify)
      try {
        const present = await source.present(subject)
        if (present === null) return
        let last = present
        yield last
        let pause: number | undefined
        while (await wakeup.wait(pause)) {
          const changes = await nullWhenUnavailable(readings.after(subject, last))
          pause = changes === null ? READ_AGAIN_MS : undefined
          if (changes?.isMore) wakeup.notify()
          for (const state of changes?.states ?? []) {
            last = state
            yield state
          }
        }
      } finally {
        unsubscribe()
      }
    },
  }
}

// Followers of the events of a business, in the order of its log.

/** In milliseconds. A notice can be lost, so a follower reads from time to time without one. */
export type LogPauses = { readonly idle: number; readonly pending: number }
const PAUSES: LogPauses = { idle: 5_000, pending: 100 }

export type NewEvents<Event> = {
  readonly events: readonly Event[]
  /** More follow at once. */
  readonly isMore: boolean
  /** Events wait for a transaction that began before them. No notice says when it ends. */
  readonly isPending: boolean
}

export type LogFollower<Event> = {
  /** Returns every event after a place, and then each new one. Ends when the signal aborts. */
  follow(tenant: Tenant, after: EventPosition, signal: AbortSignal): AsyncIterable<Event>
  close(): Promise<void>
}

/** `read` returns the oldest events after a place, up to the first whose place in the order is not certain. */
export async function createLogFollower<Event extends { readonly position: EventPosition }>(
  db: Pick<Database, 'listen'>,
  read: (tenant: Tenant, after: EventPosition) => Promise<NewEvents<Event>>,
  pauses = PAUSES,
): Promise<LogFollower<Event>> {
  const readings = createSharedReadings<{ readonly tenant: Tenant; readonly after: EventPosition }, NewEvents<Event>>(
    ({ after }) => `${after.transaction} ${after.sequence}`,
    (_accountId, { tenant, after }) => read(tenant, after),
  )
  const wakes = await createWakes(db, EVENTS_ADDED, readings.forget)
  return {
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
