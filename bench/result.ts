// What a measurement says, and how it is shown.

/** One figure with its baseline of the same run. */
export type BenchResult = {
  readonly name: string
  readonly ours: number
  readonly baseline: number | null
  readonly unit: string
  /** ours over baseline; for a plain count, the count itself. */
  readonly ratio: number
  readonly target: { readonly atLeast: number } | { readonly atMost: number }
  /** Set when the target is about the figure itself, and the baseline is only shown. */
  readonly judged?: 'ours'
  readonly detail: string
}

export const isMet = ({ ours, ratio, judged, target }: BenchResult): boolean => {
  const figure = judged === 'ours' ? ours : ratio
  return 'atLeast' in target ? figure >= target.atLeast : figure <= target.atMost
}

const HEADER = ['measured', 'ours', 'baseline', 'ratio', 'target', 'met']

/** Returns a table for people, and for docs/testing.md: Markdown, aligned, with what else is to say of its rows below it. */
export function tableOf(results: readonly BenchResult[]): string {
  const rows = [HEADER, ...results.map(rowOf)]
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  const [header = HEADER, ...body] = rows
  const notes = results.map(({ name, detail }) => `${name}: ${detail}`)
  return [line(header), rule, ...body.map(line), '', ...notes].join('\n')
}

const rowOf = (result: BenchResult): readonly string[] => [
  result.name,
  `${shown(result.ours)} ${result.unit}`,
  result.baseline === null ? '' : `${shown(result.baseline)} ${result.unit}`,
  result.baseline === null ? '' : result.ratio.toFixed(2),
  'atLeast' in result.target ? `≥ ${result.target.atLeast}` : `≤ ${result.target.atMost}`,
  isMet(result) ? 'yes' : 'no',
]

const shown = (figure: number): string => (figure >= 100 ? Math.round(figure).toLocaleString('en') : figure.toFixed(1))
