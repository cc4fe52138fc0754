// Log lines that a client can cause without limit: a few of each kind are written in a minute, the rest are counted.
import type { Logger } from '#server/log.ts'

export type RepeatedLines = {
  /** Logs one line, or only counts it when its kind has reached the limit of this minute. */
  info(kind: string, fields: object, message: string): void
  /** Logs the number of lines left out until now. */
  flush(): void
  close(): void
}

type Settings = { readonly lines: number; readonly everyMs: number }

export const DEFAULT_REPEATED_LINES: Settings = { lines: 10, everyMs: 60_000 }

type Count = { written: number; leftOut: number; readonly message: string }

export function createRepeatedLines(log: Logger, { lines, everyMs }: Settings): RepeatedLines {
  const counts = new Map<string, Count>()
  const flush = () => {
    for (const [kind, { leftOut, message }] of counts) {
      if (leftOut > 0) log.info({ kind, leftOut }, `${message}: lines left out`)
    }
    counts.clear()
  }
  const timer = setInterval(flush, everyMs).unref()
  return {
    info(kind, fields, message) {
      const count = counts.get(kind) ?? { written: 0, leftOut: 0, message }
      counts.set(kind, count)
      if (count.written === lines) {
        count.leftOut++
        return
      }
      count.written++
      log.info({ kind, ...fields }, message)
    },
    flush,
    close() {
      clearInterval(timer)
      flush()
    },
  }
}
