// Log lines that a client can cause as often as it likes: a few of each kind are written in a minute, then counted.
import type { Logger } from '#server/log.ts'

export type RepeatedLines = {
  /** Logs one line, or counts it when its kind had enough lines in this minute. */
  info(kind: string, fields: object, message: string): void
  /** Logs what was only counted until now. */
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
