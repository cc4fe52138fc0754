// Draws a plot with uPlot, which is loaded with this file alone.
import uPlot from 'uplot'

/** A place on the axis of time: its name, and a short one that fits below the plot. */
export type Place = { readonly name: string; readonly brief: string }

/** Whole numbers in their order of time, one for each place. Text, because they can exceed what a number holds. */
export type Line = { readonly label: string; readonly values: readonly string[] }

export type Drawing = {
  /** Points at a place, or at none. */
  point(at: number | null): void
  end(): void
}

type Given = {
  readonly places: readonly Place[]
  readonly lines: readonly Line[]
  brief(value: number): string
  readonly isRightToLeft: boolean
  onPoint(at: number | null): void
}

const HEIGHT = 260
/** What is left for the short name of a place, in pixels. */
const PLACE_WIDTH = 64
const PLACE_HEIGHT = 30
const DIGIT_WIDTH = 7.5

/** Draws into an element, whose style has the colours. */
export function draw(root: HTMLElement, { places, lines, brief, isRightToLeft, onPoint }: Given): Drawing {
  const colour = (name: string) => () => getComputedStyle(root).getPropertyValue(`--plot-${name}`)
  const axis: uPlot.Axis = {
    stroke: colour('text'),
    font: `12px ${getComputedStyle(root).fontFamily}`,
    ticks: { show: false },
    grid: { stroke: colour('grid'), width: 1 },
  }
  const plot = new uPlot(
    {
      width: root.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: {
          time: false,
          dir: isRightToLeft ? -1 : 1,
          range: (_plot, first, last) => (first === last ? [-1, 1] : [first, last]),
        },
        y: { range: (_plot, _least, most) => uPlot.rangeNum(0, Math.max(most, 1), 0.1, true) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: PLACE_HEIGHT,
          space: PLACE_WIDTH,
          incrs: STEPS,
          values: (_plot, splits) => splits.map((at) => places[at]?.brief ?? ''),
        },
        {
          ...axis,
          side: isRightToLeft ? 1 : 3,
          // Small amounts can have the same short text: it is shown once.
          values: (_plot, splits) =>
            splits
              .map((value) => (Number.isInteger(value) ? brief(value) : ''))
              .map((label, at, all) => (all.indexOf(label) === at ? label : '')),
          size: (_plot, values) => 20 + DIGIT_WIDTH * Math.max(2, ...(values ?? []).map(({ length }) => length)),
        },
      ],
      series: [{}, ...lines.map((_line, place) => (place === 0 ? mainSeries(colour) : otherSeries(colour)))],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    dataOf(lines),
    root,
  )
  const resized = new ResizeObserver(() => plot.setSize({ width: root.clientWidth, height: HEIGHT }))
  resized.observe(root)
  const darkness = matchMedia('(prefers-color-scheme: dark)')
  const redraw = (): void => plot.redraw(false)
  darkness.addEventListener('change', redraw)
  return {
    point(at) {
      plot.setCursor(at === null ? { left: -10, top: -10 } : { left: plot.valToPos(at, 'x'), top: 0 })
    },
    end() {
      resized.disconnect()
      darkness.removeEventListener('change', redraw)
      plot.destroy()
    },
  }
}

/** How many places are between two names. */
const STEPS = [1, 2, 3, 4, 5, 6, 7, 10, 14, 15, 20, 30, 50, 100, 200, 500]

type Colour = (name: string) => () => string

const mainSeries = (colour: Colour): uPlot.Series => ({
  stroke: colour('line'),
  fill: colour('area'),
  width: 2,
  points: { show: false },
})

const otherSeries = (colour: Colour): uPlot.Series => ({
  stroke: colour('other'),
  width: 1.5,
  dash: [4, 4],
  points: { show: false },
})

/** A picture needs no exact numbers. */
const dataOf = (lines: readonly Line[]): uPlot.AlignedData => [
  (lines[0]?.values ?? []).map((_value, at) => at),
  ...lines.map(({ values }) => values.map(Number)),
]
