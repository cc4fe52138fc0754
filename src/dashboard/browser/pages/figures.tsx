// The figures of a period against those of the period before: tiles, and a plot of the tile that is chosen.

import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useRead } from '#dashboard/browser/data.ts'
import { Card, FaultNotice, Loading } from '#dashboard/browser/parts/basics.tsx'
import { isPeriod, PERIODS, type Period, rangeOf, TIME_ZONE } from '#dashboard/browser/parts/periods.ts'
import { Plot } from '#dashboard/browser/parts/plot.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  type DashboardFiguresFragment,
  DashboardFiguresOfPeriodDocument,
  DashboardNowDocument,
} from '#dashboard/documents.generated.ts'

/** A share is in hundredths of a percent. */
type Kind = 'dollars' | 'count' | 'share'

const METRICS = {
  volume: { kind: 'dollars', of: ({ volumeUsdCents }) => volumeUsdCents },
  net: { kind: 'dollars', of: ({ netUsdCents }) => netUsdCents },
  fees: { kind: 'dollars', of: ({ feesUsdCents }) => feesUsdCents },
  payments: { kind: 'count', of: ({ paymentsCount }) => String(paymentsCount) },
  conversion: {
    kind: 'share',
    of: ({ paymentsCount, paidCount }) =>
      paymentsCount === 0 ? null : String((BigInt(paidCount) * 10_000n) / BigInt(paymentsCount)),
  },
  recurring: { kind: 'dollars', of: ({ recurringUsdCents }) => recurringUsdCents },
} as const satisfies Readonly<Record<string, { kind: Kind; of(figures: DashboardFiguresFragment): string | null }>>

type Metric = keyof typeof METRICS
const NAMES = ['volume', 'net', 'fees', 'payments', 'conversion', 'recurring'] as const satisfies readonly Metric[]

const isMetric = (text: string | undefined): text is Metric => NAMES.some((name) => name === text)

/** What is shown is in the address. */
function useChoice() {
  const { query, route } = useLocation()
  const period: Period = isPeriod(query.period) ? query.period : '30d'
  const metric: Metric = isMetric(query.figure) ? query.figure : 'volume'
  const show = (changed: { readonly period?: Period; readonly figure?: Metric }): void =>
    route(`${HOME}?${new URLSearchParams({ period, figure: metric, ...changed })}`, true)
  return { period, metric, show }
}

/** Left out of the page of a business that has nothing yet. */
export function Figures({ hasPayments }: { hasPayments: boolean }) {
  const { say } = useWords()
  const { period, metric, show } = useChoice()
  const now = useRead(DashboardNowDocument, {}).data?.stats.end ?? null
  const range = now === null ? null : rangeOf(period, now)
  const { data, fault } = useRead(
    DashboardFiguresOfPeriodDocument,
    { before: null, from: null, to: null, interval: null, ...range, timezone: TIME_ZONE },
    { pause: range === null },
  )
  if (!hasPayments && (data === null || !hasCharges(data.present, data.previous))) return null
  return (
    <Card>
      <div class="head">
        <h2>{say('figures')}</h2>
        <fieldset class="segments">
          <legend class="hidden">{say('period')}</legend>
          {PERIODS.map((one) => (
            <button
              key={one}
              type="button"
              class="button plain"
              aria-pressed={one === period}
              onClick={() => show({ period: one })}
            >
              {say(`period_${one}`)}
            </button>
          ))}
        </fieldset>
      </div>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <>
          <div class="tiles">
            {NAMES.map((name) => (
              <Tile
                key={name}
                name={name}
                present={METRICS[name].of(data.present)}
                previous={METRICS[name].of(data.previous)}
                isChosen={name === metric}
                onChoose={() => show({ figure: name })}
              />
            ))}
          </div>
          <MetricPlot
            metric={metric}
            period={period}
            present={data.series.buckets}
            previous={data.previousSeries.buckets}
          />
        </>
      )}
    </Card>
  )
}

const hasCharges = (...periods: readonly DashboardFiguresFragment[]): boolean =>
  periods.some(({ recurringUsdCents }) => BigInt(recurringUsdCents ?? 0) > 0n)

function useFormat(): (kind: Kind, value: string) => string {
  const { formats, percent } = useWords()
  return (kind, value) => {
    if (kind === 'dollars') return formats.dollars(value)
    return kind === 'count' ? formats.number(Number(value)) : percent(Number(value))
  }
}

type TileProps = {
  readonly name: Metric
  /** Null for what the member may not see, and for a share of nothing. */
  readonly present: string | null
  readonly previous: string | null
  readonly isChosen: boolean
  onChoose(): void
}

function Tile({ name, present, previous, isChosen, onChoose }: TileProps) {
  const { say } = useWords()
  const format = useFormat()
  const { kind } = METRICS[name]
  if (present === null && kind !== 'share') return null
  return (
    <button type="button" class="tile" aria-pressed={isChosen} onClick={onChoose}>
      <span class="hint">{say(`figure_${name}`)}</span>
      <span class="figure">{present === null ? '–' : format(kind, present)}</span>
      <span class="hint">
        {previous === null ? (
          say('nothingBefore')
        ) : (
          <>
            {present !== null && <Arrow from={BigInt(previous)} to={BigInt(present)} />}
            {say('before', { value: format(kind, previous) })}
          </>
        )}
      </span>
    </button>
  )
}

function Arrow({ from, to }: { from: bigint; to: bigint }) {
  const { say } = useWords()
  if (from === to) return null
  return (
    <>
      <span aria-hidden="true">{to > from ? '↑ ' : '↓ '}</span>
      <span class="hidden">{say(to > from ? 'risen' : 'fallen')} </span>
    </>
  )
}

type Bucket = DashboardFiguresFragment & { readonly start: string }

type MetricPlotProps = {
  readonly metric: Metric
  readonly period: Period
  readonly present: readonly Bucket[]
  readonly previous: readonly Bucket[]
}

function MetricPlot({ metric, period, present, previous }: MetricPlotProps) {
  const { say, place, roughDollars } = useWords()
  const format = useFormat()
  const { kind, of } = METRICS[metric]
  const places = useMemo(() => present.map(({ start }) => place(start, period === '24h')), [present, period])
  const lines = useMemo(() => {
    const valuesOf = (buckets: readonly Bucket[]) => present.map((_bucket, at) => valueAt(buckets, at))
    const valueAt = (buckets: readonly Bucket[], at: number): string => {
      const bucket = buckets[at]
      return (bucket === undefined ? null : of(bucket)) ?? '0'
    }
    return [
      { label: say('thisPeriod'), values: valuesOf(present) },
      { label: say('previousPeriod'), values: valuesOf(previous) },
    ]
  }, [present, previous, metric])
  return (
    <Plot
      label={say(`figure_${metric}`)}
      places={places}
      lines={lines}
      format={(value) => format(kind, value)}
      brief={(value) => (kind === 'dollars' ? roughDollars(value) : format(kind, String(value)))}
    />
  )
}
