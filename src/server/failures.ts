// Failures of requests and jobs, as the log has them: each with its cause, those of an outage counted after the first.
import type { Logger } from '#server/log.ts'
import { createRepeatedLines, OUTAGE_LINES } from '#server/repeated-lines.ts'

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
