// A plot of figures over time. It is read with the mouse, with the keyboard, and as a table.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Table } from '#dashboard/browser/parts/basics.tsx'
import type { Drawing, Line, Place } from '#dashboard/browser/parts/plot-drawing.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { directionOf } from '#pay/texts/texts.ts'

type PlotProps = {
  /** What is plotted. */
  readonly label: string
  readonly places: readonly Place[]
  /** The first line is the one to read; the others are drawn behind it. */
  readonly lines: readonly Line[]
  /** Formats a value exactly. */
  format(value: string): string
  /** Formats a round value of the other axis. */
  brief(value: number): string
}

export function Plot({ label, places, lines, format, brief }: PlotProps) {
  const { say, language } = useWords()
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  // There may be fewer places than there were.
  const chosen = at === null || at >= places.length ? null : at
  const read = (place: number): string =>
    lines.map(({ label, values }) => `${label}: ${format(values[place] ?? '0')}`).join(' · ')
  return (
    <figure class="plot" aria-label={label}>
      <figcaption>
        <ul class="keys">
          {lines.map((line) => (
            <li key={line.label}>{line.label}</li>
          ))}
        </ul>
        <Button onPress={() => setTable(!isTable)}>{say(isTable ? 'asPlot' : 'asTable')}</Button>
      </figcaption>
      {isTable ? (
        <Table
          label={label}
          rows={places.map((_place, place) => place)}
          keyOf={String}
          columns={[
            { label: say('timeOfPlot'), cell: (place) => places[place]?.name },
            ...lines.map(({ label, values }) => ({
              label,
              kind: 'number' as const,
              cell: (place: number) => format(values[place] ?? '0'),
            })),
          ]}
        />
      ) : (
        <>
          <p class="reading" role="status">
            {chosen === null ? (
              <span class="hint">{say('plotHint')}</span>
            ) : (
              <>
                <strong>{places[chosen]?.name}</strong> {read(chosen)}
              </>
            )}
          </p>
          <Canvas
            {...{ label, places, lines, brief }}
            isRightToLeft={directionOf(language) === 'rtl'}
            at={chosen}
            onPoint={setAt}
          />
        </>
      )}
    </figure>
  )
}

type CanvasProps = Pick<PlotProps, 'label' | 'places' | 'lines' | 'brief'> & {
  readonly isRightToLeft: boolean
  readonly at: number | null
  onPoint(at: number | null): void
}

/** The picture. Its arrow keys go from place to place. */
function Canvas({ label, places, lines, brief, isRightToLeft, at, onPoint }: CanvasProps) {
  const root = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  useEffect(() => {
    let made: Drawing | null = null
    let isGone = false
    // The library is loaded when there is something to draw.
    void import('#dashboard/browser/parts/plot-drawing.ts').then(({ draw }) => {
      if (isGone || root.current === null) return
      made = draw(root.current, { places, lines, brief, isRightToLeft, onPoint })
      setDrawing(made)
    })
    return () => {
      isGone = true
      made?.end()
    }
  }, [places, lines])
  useEffect(() => drawing?.point(at), [drawing, at])

  const last = places.length - 1
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = placeAfter(event.key, { at, last, isRightToLeft })
    if (to === undefined) return
    event.preventDefault()
    onPoint(to)
  }
  return (
    <div
      ref={root}
      class="canvas"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={places[at ?? last]?.name ?? ''}
      onKeyDown={onKeyDown}
    />
  )
}

type Standing = { readonly at: number | null; readonly last: number; readonly isRightToLeft: boolean }

/** Returns the place to which a key leads: null to none, undefined for a key that leads nowhere. */
function placeAfter(key: string, { at, last, isRightToLeft }: Standing): number | null | undefined {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -7, PageUp: 7 }[key]
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'Escape') return null
  if (step === undefined) return undefined
  if (at === null) return last
  const isMirrored = isRightToLeft && (key === 'ArrowLeft' || key === 'ArrowRight')
  return Math.min(last, Math.max(0, at + (isMirrored ? -step : step)))
}
