// How many live streams may be open: each holds memory and a place in the change feed, so each is counted.
import { ServiceError } from '#core/errors.ts'

/** Who a stream is counted for: the business whose key opened it, or the one intent of a buyer. */
export type Holder = { readonly kind: 'account' | 'intent'; readonly id: string }

/** How many each holder may have, by kind, and all of them together. */
export type StreamSettings = { readonly account: number; readonly intent: number; readonly total: number }

export const DEFAULT_STREAM_LIMITS: StreamSettings = { account: 2_000, intent: 50, total: 10_000 }

/** A place for one stream. Its signal aborts when the stream must end; `close` gives the place back, once. */
export type Stream = { readonly signal: AbortSignal; close(): void }

export type Streams = {
  /** Takes a place; throws `rate_limited` when there is none. */
  open(holder: Holder): Stream
  /** Ends every stream and opens none again: the service is going away. */
  endAll(): void
}

export function createStreams(limits: StreamSettings): Streams {
  const held = new Map<string, Set<AbortController>>()
  let open = 0
  let ended = false
  return {
    open({ kind, id }) {
      const own = held.get(id) ?? new Set()
      if (ended || own.size >= limits[kind] || open >= limits.total) {
        throw new ServiceError('rate_limited', { retry_after_seconds: 10 })
      }
      const controller = new AbortController()
      held.set(id, own.add(controller))
      open++
      return {
        signal: controller.signal,
        close() {
          if (!own.delete(controller)) return
          open--
          if (own.size === 0) held.delete(id)
          controller.abort()
        },
      }
    },
    endAll() {
      ended = true
      for (const own of held.values()) for (const controller of own) controller.abort()
    },
  }
}
