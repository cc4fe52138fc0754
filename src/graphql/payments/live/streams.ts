// How many live streams may be open: each holds memory and a place in the change feed, so each is counted, for all that
// it belongs to.
import { ServiceError } from '#core/errors.ts'
import { countedAs } from '#core/network/ip-address.ts'

/**
 * What a stream is counted for. `account`: the business whose key opened it. `feed`: the marketplace whose payments it
 * shows. `buyers`: the business whose client secrets
 * opened it. `intent` and `address`: the one intent of a client secret, and the client address that it came from.
 * `everyBuyer`: all streams that client secrets opened, so that they leave room for businesses.
 */
export type HolderKind = 'account' | 'feed' | 'buyers' | 'intent' | 'address' | 'everyBuyer'

export type Holder = { readonly kind: HolderKind; readonly id: string }

/** How many each holder may have, by kind, and all of them together. */
export type StreamLimits = Readonly<Record<HolderKind | 'total', number>>

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  account: 2_000,
  feed: 50,
  buyers: 2_000,
  intent: 50,
  address: 1_000,
  everyBuyer: 8_000,
  total: 10_000,
}

export const holdersOfAccount = (accountId: string): readonly Holder[] => [{ kind: 'account', id: accountId }]

export const holdersOfFeed = (accountId: string): readonly Holder[] => [
  ...holdersOfAccount(accountId),
  { kind: 'feed', id: accountId },
]

export const holdersOfIntent = (intent: { id: string; accountId: string }, address: string): readonly Holder[] => [
  { kind: 'intent', id: intent.id },
  { kind: 'buyers', id: intent.accountId },
  { kind: 'address', id: countedAs(address) },
  { kind: 'everyBuyer', id: '' },
]

/** A place for one stream. Its signal aborts when the stream must end; `close` gives the place back, once. */
export type Stream = { readonly signal: AbortSignal; close(): void }

export type Streams = {
  /**
   * Takes a place; throws `rate_limited` when one of the holders has none left. The place is given back by `close`, or
   * when the request's own signal aborts, so that no transport can lose it.
   */
  open(holders: readonly Holder[], request?: AbortSignal): Stream
  count(): number
  /** Ends every stream and opens none again: the service is going away. */
  endAll(): void
}

export function createStreams(limits: StreamLimits): Streams {
  const tally = createTally(limits)
  const streams = new Set<Stream>()
  let isOver = false
  return {
    open(holders, request) {
      if (isOver || streams.size >= limits.total || !tally.hasRoom(holders)) {
        throw new ServiceError('rate_limited', { retry_after_seconds: 10 })
      }
      const over = new AbortController()
      const stream: Stream = {
        signal: over.signal,
        close() {
          if (!streams.delete(stream)) return
          tally.remove(holders)
          request?.removeEventListener('abort', stream.close)
          over.abort()
        },
      }
      streams.add(stream)
      tally.add(holders)
      if (request?.aborted) stream.close()
      else request?.addEventListener('abort', stream.close, { once: true })
      return stream
    },
    count: () => streams.size,
    endAll() {
      isOver = true
      for (const stream of streams) stream.close()
    },
  }
}

type Tally = {
  hasRoom(holders: readonly Holder[]): boolean
  add(holders: readonly Holder[]): void
  remove(holders: readonly Holder[]): void
}

/** Counts streams by holder, and keeps no holder that has none. */
function createTally(limits: StreamLimits): Tally {
  const counts = new Map<string, number>()
  const keyOf = ({ kind, id }: Holder): string => `${kind} ${id}`
  const countOf = (holder: Holder): number => counts.get(keyOf(holder)) ?? 0
  return {
    hasRoom: (holders) => holders.every((holder) => countOf(holder) < limits[holder.kind]),
    add(holders) {
      for (const holder of holders) counts.set(keyOf(holder), countOf(holder) + 1)
    },
    remove(holders) {
      for (const holder of holders) {
        const left = countOf(holder) - 1
        if (left === 0) counts.delete(keyOf(holder))
        else counts.set(keyOf(holder), left)
      }
    },
  }
}
