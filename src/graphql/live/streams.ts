// How many live streams may be open: each holds memory and a place in the change feed, so each is counted.
import { ServiceError } from '#core/errors.ts'

export type StreamSettings = { readonly perHolder: number; readonly total: number }

export const DEFAULT_STREAM_LIMITS: StreamSettings = { perHolder: 100, total: 10_000 }

/** A place for one stream. Its signal aborts when the stream must end; `close` gives the place back, once. */
export type Stream = { readonly signal: AbortSignal; close(): void }

export type Streams = {
  /** Takes a place for `holder`, an account or an intent; throws `rate_limited`. */
  open(holder: string): Stream
  /** Ends every stream and opens none again: the service is going away. */
  endAll(): void
}

export function createStreams({ perHolder, total }: StreamSettings): Streams {
  const held = new Map<string, Set<AbortController>>()
  let open = 0
  let ended = false
  return {
    open(holder) {
      const own = held.get(holder) ?? new Set()
      if (ended || own.size >= perHolder || open >= total) {
        throw new ServiceError('rate_limited', { retry_after_seconds: 10 })
      }
      const controller = new AbortController()
      held.set(holder, own.add(controller))
      open++
      return {
        signal: controller.signal,
        close() {
          if (!own.delete(controller)) return
          open--
          if (own.size === 0) held.delete(holder)
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
