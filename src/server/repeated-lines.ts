// Log lines that one cause can repeat without limit: a few of each kind are written in a period, the rest are counted.
import type { Logger } from './log.ts'

type Level = 'info' | 'warn' | 'error'
type Write = (kind: string, fields: object, message: string) => void

/** Each logs one line, or only counts it when its kind has reached the limit of this period. */
export type RepeatedLines = { readonly [_ in Level]: Write } & {
  /** Logs the number of lines left out until now. */
  flush(): void
  close(): void
}

/** `renewed`: a kind that goes on is written again in the next period. Otherwise it is only counted until a period has none of it. */
type Settings = { readonly lines: number; readonly everyMs: number; readonly renewed: boolean }

/** For what clients cause. */
export const DEFAULT_REPEATED_LINES: Settings = { lines: 10, everyMs: 60_000, renewed: true }
/** For an outage, which fails every request and job until it is over. */
export const OUTAGE_LINES: Settings = { lines: 1, everyMs: 10_000, renewed: false }

type Count = { written: number; leftOut: number; hasPaused: boolean; readonly level: Level; readonly message: string }

export function createRepeatedLines(log: Logger, { lines, everyMs, renewed }: Settings): RepeatedLines {
  const counts = new Map<string, Count>()
  const flush = () => {
    for (const [kind, count] of counts) {
      const { leftOut, level, message } = count
      if (leftOut > 0) log[level]({ kind, leftOut }, `${message}: lines left out`)
      if (renewed || count.hasPaused) counts.delete(kind)
      count.leftOut = 0
      count.hasPaused = true
    }
  }
  const timer = setInterval(flush, everyMs).unref()
  const at = (level: Level): Write => {
    return (kind, fields, message) => {
      const count = counts.get(kind) ?? { written: 0, leftOut: 0, hasPaused: false, level, message }
      counts.set(kind, count)
      count.hasPaused = false
      if (count.written === lines) {
        count.leftOut++
        return
      }
      count.written++
      log[level]({ kind, ...fields }, message)
    }
  }
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush,
    close() {
      clearInterval(timer)
      flush()
    },
  }
}

// Failures of requests and jobs, as the log has them: each with its cause, those of an outage counted after the first.

export type Failures = {
  /** `fields` say what failed, such as the id of the request. */
  write(error: unknown, fields: object, message: string): void
  close(): void
}

/** `outageOf` returns the code of an outage; null for any other failure, which is written each time. */
export function createFailures(log: Logger, outageOf: (error: unknown) => string | null): Failures {
  const lines = createRepeatedLines(log, OUTAGE_LINES)
  return {
    write(error, fields, message) {
      const outage = outageOf(error)
      if (outage === null) log.error({ err: error, ...fields }, message)
      else lines.error(outage, { err: error, ...fields }, message)
    },
    close: lines.close,
  }
}
