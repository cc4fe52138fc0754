// Outcomes as a table.
import type { Outcome } from './run.ts'

const HEAD = ['attack', 'p99, ms', 'webhook, ms', 'memory, MiB', 'kept, MiB', 'after, s', 'verdict', 'it did'] as const

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...outcomes.map(rowOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const rowOf = ({
  name,
  deed,
  before,
  during,
  keptBefore,
  keptAfter,
  recoveredAfter,
  broken,
}: Outcome): readonly string[] => [
  name,
  `${before.p99.toFixed(1)} → ${during.p99.toFixed(1)}`,
  `${before.webhookMs.toFixed(0)} → ${during.webhookMs.toFixed(0)}`,
  `${mebibytes(before.memory)} → ${mebibytes(during.memory)}`,
  `${mebibytes(keptBefore)} → ${mebibytes(keptAfter)}`,
  recoveredAfter.toFixed(1),
  broken.length === 0 ? 'holds' : broken.join('; '),
  deed.did,
]

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
