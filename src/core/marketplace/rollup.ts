// Covers ranges of time with the spans of the rollups, so that a year is read from a few hundred rows.

/** The spans of rollups in seconds, each a multiple of the next. Time zones differ by multiples of the last one. */
export const ROLLUP_SPANS = [86_400, 14_400, 3_600, 1_800, 900] as const

/** Rows of one span whose starts are in [from, to), in ms. Span 0 stands for the payments themselves. */
export type Run = { readonly span: number; readonly from: number; readonly to: number }

/**
 * Returns runs that together are exactly the ranges between neighbouring bounds (ms, ascending), in order. No row of a run
 * crosses a bound, so each row belongs to one range. Neighbouring runs of one span are one.
 */
export function coverOf(bounds: readonly number[]): readonly Run[] {
  const runs: Run[] = []
  bounds.slice(1).forEach((to, at) => {
    for (const run of cover(bounds[at] ?? to, to, 0)) append(runs, run)
  })
  return runs
}

function cover(from: number, to: number, level: number): readonly Run[] {
  if (from >= to) return []
  const span = ROLLUP_SPANS[level]
  if (span === undefined) return [{ span: 0, from, to }]
  const ms = span * 1_000
  const first = Math.ceil(from / ms) * ms
  const end = Math.floor(to / ms) * ms
  if (first >= end) return cover(from, to, level + 1)
  return [...cover(from, first, level + 1), { span, from: first, to: end }, ...cover(end, to, level + 1)]
}

function append(runs: Run[], run: Run): void {
  const last = runs.at(-1)
  if (last?.span === run.span && last.to === run.from) runs[runs.length - 1] = { ...last, to: run.to }
  else runs.push(run)
}
