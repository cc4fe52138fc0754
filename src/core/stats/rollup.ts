// Covers ranges of time with the spans of the rollups, so that a year is read from fewer than sixty rows of an asset.

/**
 * The spans of rollups in seconds, each a multiple of the next. They begin at multiples of themselves, counted from 1970 in UTC.
 * With sixteen days, a year consists of few of them and few days at its two ends. Time zones differ by multiples of the last
 * span.
 */
export const ROLLUP_SPANS = [1_382_400, 86_400, 21_600, 10_800, 3_600, 1_800, 900] as const

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000
/** The place of a day among the spans. */
const DAY_LEVEL = ROLLUP_SPANS.indexOf(86_400)

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

/** Rows that move from one range, by its place, to the other. Those of a bound together are what is between it and its midnight. */
export type Shift = { readonly from: number; readonly to: number; readonly runs: readonly Run[] }

/**
 * Returns rows for the ranges between neighbouring bounds (ms, ascending). A local day is a day of UTC without its evening and
 * with the evening before. These are fewer rows than those between its own bounds, and each evening is read once for two days.
 * An evening is a longer span without what comes before it where that is fewer rows: five hours and a half are six without a half.
 */
export function coverOf(bounds: readonly number[]): Cover {
  const divided = bounds.map((bound, place) => {
    const [before = bound, after = bound] = [bounds[place - 1], bounds[place + 1]]
    return canMove(bound, before, after) ? Math.round(bound / DAY_MS) * DAY_MS : bound
  })
  const shifts = bounds.flatMap((bound, place): readonly Shift[] => {
    const midnight = divided[place] ?? bound
    const between = shortest(midnight, bound, DAY_LEVEL)
    const [added, taken] = [between.filter(({ isTaken }) => !isTaken), between.filter(({ isTaken }) => isTaken)]
    const [from, to] = midnight > bound ? [place - 1, place] : [place, place - 1]
    return [shiftOf(from, to, added), shiftOf(to, from, taken)].filter(({ runs }) => runs.length > 0)
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

/** A run is taken away when the longer run before it counts it and must not. */
type Signed = Run & { readonly isTaken: boolean }

const shiftOf = (from: number, to: number, runs: readonly Signed[]): Shift => ({
  from,
  to,
  runs: runs.map(({ isTaken: _, ...run }) => run),
})

/** Returns the fewest rows between a time at which a span of the level begins, and another that is at a quarter of an hour. */
function shortest(aligned: number, other: number, level: number): readonly Signed[] {
  const span = ROLLUP_SPANS[level]
  if (span === undefined || aligned === other) return []
  const ms = span * 1_000
  const [near, far] =
    aligned < other ? [Math.floor(other / ms), Math.ceil(other / ms)] : [Math.ceil(other / ms), Math.floor(other / ms)]
  const ways = [...new Set([near, far])].map((end) => {
    const isTaken = end === far && near !== far
    const rest = shortest(end * ms, other, level + 1)
    return [
      ...runBetween(span, aligned, end * ms),
      ...rest.map((run) => ({ ...run, isTaken: run.isTaken !== isTaken })),
    ]
  })
  return ways.reduce((one, way) => (rowsIn(way) < rowsIn(one) ? way : one))
}

const runBetween = (span: number, one: number, other: number): readonly Signed[] =>
  one === other ? [] : [{ span, from: Math.min(one, other), to: Math.max(one, other), isTaken: false }]

const rowsIn = (runs: readonly Run[]): number =>
  runs.reduce((rows, { span, from, to }) => rows + (to - from) / (span * 1_000), 0)

function append(runs: Run[], run: Run): void {
  const last = runs.at(-1)
  if (last?.span === run.span && last.to === run.from) runs[runs.length - 1] = { ...last, to: run.to }
  else runs.push(run)
}
