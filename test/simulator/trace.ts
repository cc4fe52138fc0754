// The events of a run, line by line, and one hash of all: two runs of a seed are the same when their hashes are equal.
import { createHash, type Hash } from 'node:crypto'
import { DAWN, virtualNow } from './virtual-time.ts'

const KEPT = 50_000

export type Trace = {
  note(line: string): void
  /** Lines so far. The oldest are dropped when there are too many. */
  lines(): readonly string[]
  hash(): string
}

export function createTrace(): Trace {
  const hash: Hash = createHash('sha256')
  let lines: string[] = []
  return {
    note(line) {
      const stamped = `${stamp()} ${line}`
      hash.update(stamped)
      lines.push(stamped)
      if (lines.length > 2 * KEPT) lines = lines.slice(-KEPT)
    },
    lines: () => lines,
    hash: () => hash.copy().digest('hex').slice(0, 16),
  }
}

/** Hours, minutes, seconds and milliseconds since the start of the world. */
function stamp(): string {
  const passed = virtualNow() - DAWN
  const part = (unit: number, of: number, width: number) => String(Math.floor(passed / unit) % of).padStart(width, '0')
  return `${part(3_600_000, 1_000, 2)}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}.${part(1, 1_000, 3)}`
}
