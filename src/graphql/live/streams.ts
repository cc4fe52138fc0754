// How many live streams may be open: each holds memory and a place in the change feed, so each is counted.
import { ServiceError } from '#core/errors.ts'

export type StreamSettings = { readonly perHolder: number; readonly total: number }

export const DEFAULT_STREAM_LIMITS: StreamSettings = { perHolder: 100, total: 10_000 }

export type Streams = {
  /** Takes a place for `holder`, a key or a client secret; throws `rate_limited`. Call the result once, to give it back. */
  open(holder: string): () => void
}

export function createStreams({ perHolder, total }: StreamSettings): Streams {
  const held = new Map<string, number>()
  let open = 0
  return {
    open(holder) {
      const own = held.get(holder) ?? 0
      if (own >= perHolder || open >= total) throw new ServiceError('rate_limited', { retry_after_seconds: 10 })
      held.set(holder, own + 1)
      open++
      let returned = false
      return () => {
        if (returned) return
        returned = true
        open--
        const left = (held.get(holder) ?? 1) - 1
        if (left === 0) held.delete(holder)
        else held.set(holder, left)
      }
    },
  }
}
