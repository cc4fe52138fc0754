// What happened, line by line, and one hash of it all: two runs of a seed are the same run when their hashes are.
import { createHash, type Hash } from 'node:crypto'
import { DAWN, virtualNow } from './virtual-time.ts'

const KEPT = 50_000

export type Trace = {
  note(line: string): void
  /** Lines so far, the oldest dropped when there are very many. */
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

/** Hours, minutes, seconds and thousandths since dawn. */
function stamp(): string {
  const passed = virtualNow() - DAWN
  const part = (unit: number, of: number, width: number) => String(Math.floor(passed / unit) % of).padStart(width, '0')
  return `${part(3_600_000, 1_000, 2)}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}.${part(1, 1_000, 3)}`
}
