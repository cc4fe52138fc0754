// Covers ranges of time with the spans of the rollups, so that a year is read from a few hundred rows.

/** The spans of rollups in seconds, each a multiple of the next. Time zones differ by multiples of the last one. */
export const ROLLUP_SPANS = [86_400, 14_400, 3_600, 1_800, 900] as const

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000

/** Rows of one span whose starts are in [from, to), in ms. Span 0 stands for the payments themselves. */
export type Run = { readonly span: number; readonly from: number; readonly to: number }

/** The rows whose sums are those of ranges between neighbouring bounds. */
export type Cover = {
  /** Where the rows are divided into ranges, in ms: a bound for each that was given. */
  readonly bounds: readonly number[]
  /** From the first bound to the last one, in order. No row crosses a bound. Neighbouring runs of one span are one. */
  readonly runs: readonly Run[]
  readonly shifts: readonly Shift[]
}

/** Rows that are counted in one range, by its place, and belong to the other: what is between a bound and its midnight. */
export type Shift = { readonly from: number; readonly to: number; readonly runs: readonly Run[] }

/**
 * Returns rows for the ranges between neighbouring bounds (ms, ascending). A local day is a day of UTC without its evening and
 * with the evening before. These are fewer rows than those between its own bounds, and each evening is read once for two days.
 */
export function coverOf(bounds: readonly number[]): Cover {
  const divided = bounds.map((bound, place) => {
    const [before = bound, after = bound] = [bounds[place - 1], bounds[place + 1]]
    return canMove(bound, before, after) ? Math.round(bound / DAY_MS) * DAY_MS : bound
  })
  const shifts = bounds.flatMap((bound, place): readonly Shift[] => {
    const midnight = divided[place] ?? bound
    if (midnight > bound) return [{ from: place - 1, to: place, runs: cover(bound, midnight, 0) }]
    return midnight < bound ? [{ from: place, to: place - 1, runs: cover(midnight, bound, 0) }] : []
  })
  return { bounds: divided, runs: runsBetween(divided), shifts }
}

/**
 * The first and the last bound never move. A bound that is not at a quarter of an hour stays as well: a shift would have to count
 * payments one by one. With half a day on both sides, no bound passes another on its way to the nearest midnight.
 */
const canMove = (bound: number, before: number, after: number): boolean =>
  bound % QUARTER_MS === 0 && bound - before >= DAY_MS / 2 && after - bound >= DAY_MS / 2

function runsBetween(bounds: readonly number[]): readonly Run[] {
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
