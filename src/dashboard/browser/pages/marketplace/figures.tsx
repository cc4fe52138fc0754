// What a marketplace sold, and what it earned: by day, week or month of a time zone. What is shown is in the address.
import { useMemo } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { MarketplaceFrame } from '#dashboard/browser/pages/marketplace/frame.tsx'
import { beginOf, INTERVALS, type Interval, OWN_ZONE, ZONES } from '#dashboard/browser/pages/marketplace/spans.ts'
import { Card, Empty, Fact, Facts, FaultNotice, Loading, Table } from '#dashboard/browser/parts/basics.tsx'
import { Export } from '#dashboard/browser/parts/export.tsx'
import { useList } from '#dashboard/browser/parts/lists.tsx'
import { Plot } from '#dashboard/browser/parts/plot.tsx'
import { MARKETPLACE_FIGURES } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardMarketplaceNowDocument,
  DashboardMarketplaceStatsDocument,
  type DashboardMarketplaceStatsQuery,
} from '#dashboard/documents.generated.ts'

type Stats = NonNullable<DashboardMarketplaceStatsQuery['stats']>
type Bucket = NonNullable<DashboardMarketplaceStatsQuery['series']>['buckets'][number]

export const FiguresPage = () => (
  <MarketplaceFrame>{() => <Figures sellerId={null} path={MARKETPLACE_FIGURES} />}</MarketplaceFrame>
)

type FiguresProps = {
  /** Null for those of all sellers. */
  readonly sellerId: string | null
  readonly path: string
}

export function Figures({ sellerId, path }: FiguresProps) {
  const { say } = useWords()
  const { filter, show } = useList(path, ['interval', 'zone'])
  const interval = INTERVALS.find((one) => one === filter('interval')) ?? 'day'
  const zone = ZONES.find((one) => one === filter('zone')) ?? OWN_ZONE
  const now = useRead(DashboardMarketplaceNowDocument, {}).data?.stats.end ?? null
  const from = now === null ? null : beginOf(interval, zone, now)
  const asked = { from, interval, timezone: zone, sellerId }
  const { data, fault } = useRead(DashboardMarketplaceStatsDocument, asked, { pause: from === null })
  return (
    <>
      <search class="filters">
        <label>
          <span class="hidden">{say('interval')}</span>
          <select value={interval} onChange={({ currentTarget }) => show({ interval: currentTarget.value })}>
            {INTERVALS.map((one) => (
              <option key={one} value={one}>
                {say(`by_${one}`)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="hidden">{say('timeZone')}</span>
          <select value={zone} onChange={({ currentTarget }) => show({ zone: currentTarget.value })}>
            {ZONES.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
      </search>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <>
          <Total stats={data.stats} interval={interval} />
          <Course buckets={data.series.buckets} zone={zone} />
          <ByAsset assets={data.stats.byAsset} />
          <Buckets buckets={data.series.buckets} interval={interval} zone={zone} />
        </>
      )}
      {from !== null && <Exports key={from} from={from} sellerId={sellerId} />}
    </>
  )
}

function Total({ stats, interval }: { stats: Stats; interval: Interval }) {
  const { say, formats } = useWords()
  return (
    <Card title={say(`span_${interval}`)}>
      <Facts>
        <Fact label={say('volume')}>{formats.dollars(stats.volumeUsdCents)}</Fact>
        <Fact label={say('yourFees')}>{formats.dollars(stats.feeRevenueUsdCents)}</Fact>
        <Fact label={say('payments')}>{formats.number(stats.paymentsCount)}</Fact>
        <Fact label={say('swept')}>{formats.number(stats.countsByStatus.swept)}</Fact>
      </Facts>
    </Card>
  )
}

function Course({ buckets, zone }: Pick<BucketsProps, 'buckets' | 'zone'>) {
  const { say, formats, day, briefDay, roughDollars } = useWords()
  const places = useMemo(
    () => buckets.map(({ start }) => ({ name: day(start, zone), brief: briefDay(start, zone) })),
    [buckets, zone],
  )
  const lines = useMemo(
    () => [
      { label: say('volume'), values: buckets.map(({ volumeUsdCents }) => volumeUsdCents) },
      { label: say('yourFees'), values: buckets.map(({ feeRevenueUsdCents }) => feeRevenueUsdCents) },
    ],
    [buckets],
  )
  return (
    <Card title={say('volume')}>
      <Plot label={say('volume')} places={places} lines={lines} format={formats.dollars} brief={roughDollars} />
    </Card>
  )
}

type BucketsProps = { readonly buckets: readonly Bucket[]; readonly interval: Interval; readonly zone: string }

/** The newest is first. */
function Buckets({ buckets, interval, zone }: BucketsProps) {
  const { say, formats, day } = useWords()
  return (
    <Card title={say(`by_${interval}`)}>
      <Table
        label={say(`by_${interval}`)}
        rows={buckets.toReversed()}
        keyOf={({ start }) => start}
        columns={[
          { label: say(`begin_${interval}`), cell: ({ start }) => <time dateTime={start}>{day(start, zone)}</time> },
          { label: say('volume'), kind: 'number', cell: ({ volumeUsdCents }) => formats.dollars(volumeUsdCents) },
          {
            label: say('yourFees'),
            kind: 'number',
            cell: ({ feeRevenueUsdCents }) => formats.dollars(feeRevenueUsdCents),
          },
          { label: say('payments'), kind: 'number', cell: ({ paymentsCount }) => formats.number(paymentsCount) },
          { label: say('swept'), kind: 'number', cell: ({ countsByStatus }) => formats.number(countsByStatus.swept) },
        ]}
      />
    </Card>
  )
}

function ByAsset({ assets }: { assets: Stats['byAsset'] }) {
  const { say, formats } = useWords()
  return (
    <Card title={say('byAsset')}>
      {assets.length === 0 ? (
        <Empty title={say('nothingSettled')} />
      ) : (
        <Table
          label={say('byAsset')}
          rows={assets}
          keyOf={({ ticker }) => ticker}
          columns={[
            { label: say('asset'), cell: ({ ticker }) => <bdi>{ticker}</bdi> },
            { label: say('volume'), kind: 'number', cell: (asset) => formats.amount(asset.volume, asset) },
            { label: say('yourFees'), kind: 'number', cell: (asset) => formats.amount(asset.feeRevenue, asset) },
            { label: say('payments'), kind: 'number', cell: ({ paymentsCount }) => formats.number(paymentsCount) },
          ]}
        />
      )}
    </Card>
  )
}

const FILES = ['payments', 'settlements'] as const

function Exports({ sellerId, from }: { sellerId: string | null; from: string }) {
  const { say } = useWords()
  return (
    <Card title={say('exports')}>
      <p class="hint">{say('exportsText')}</p>
      {FILES.map((file) => (
        <Export
          key={file}
          label={say(`export_${file}`)}
          file={`${file}.csv`}
          query={() => new URLSearchParams({ from, ...(sellerId !== null && { seller_id: sellerId }) })}
        />
      ))}
    </Card>
  )
}
